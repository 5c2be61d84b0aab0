"""Errors that receval raises on purpose: message, hint and exit code."""

from __future__ import annotations

import errno
import os
import re
import signal
from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from .patterns import regex
from .quoting import one_line, sentence

T = TypeVar("T")
_MOST_LINES: Final = 16
"""Most problems that are shown; with the heading, the hint and the number of others a message has at most 20 lines."""


_OPTIONS: Final[dict[str, str]] = {}
_ARGUMENTS: Final[dict[str, str]] = {}
"""Part of a message about a config → the same in options of the command line, and in arguments of a call; see `worded`."""


def worded(text: str, *, option: str | None = None, argument: str | None = None) -> str:
    """Return a part of a message about a config, and remember what it is in options and in arguments, if it differs there."""
    if option is not None:
        _OPTIONS[text] = option
    if argument is not None:
        _ARGUMENTS[text] = argument
    return text


def in_options(text: str) -> str:
    """Return a message about a config that was made from options in terms of these."""
    return _with(_OPTIONS, text)


def in_arguments(text: str) -> str:
    """Return a message about a config that was made from arguments in terms of these."""
    return _with(_ARGUMENTS, text)


def _with(words: Mapping[str, str], text: str) -> str:
    for part in sorted((part for part in words if part in text), key=len, reverse=True):
        text = text.replace(part, words[part])
    return text


class RecevalError(Exception):
    """An expected failure, described in one sentence.

    `message` says what is wrong and where, made safe by `quoting`; `hint` says what to do about it. A text is one line, whatever it quotes;
    several lines are a sequence. `exit_code` is the documented exit code of the process.
    """

    exit_code = 70
    heading = "several things are wrong"
    """First line of a message with several lines."""

    def __init__(self, message: str | Sequence[str], hint: str | Sequence[str] | None = None) -> None:
        self.message = _lines(message)
        super().__init__(self.message)
        self.hint = None if hint is None else _lines(hint)

    def shown(self) -> str:
        """Return the error as people read it: a heading if there are several lines, the first of these lines, and the hint."""
        return f"{self.heading}\n{self}" if "\n" in self.message else str(self)

    def __str__(self) -> str:
        lines, hint = self.message.split("\n"), (self.hint or "").split("\n")
        hint = hint[: 1 if len(lines) > 1 else 3]
        if len(lines) > _MOST_LINES + 1:
            lines[_MOST_LINES:] = [f"… and {len(lines) - _MOST_LINES} more like these"]
        return "\n".join([*lines, *(f"  {line}" for line in hint if line)])


def _lines(text: str | Sequence[str]) -> str:
    return "\n".join(map(one_line, (text,) if isinstance(text, str) else text))


class ConfigError(RecevalError):
    """The command line or the config is wrong (exit code 2); `problems` has every problem found, not only the first."""

    exit_code = 2
    heading = "the config is wrong"

    def __init__(self, problems: Sequence[str] | str, hint: str | Sequence[str] | None = None) -> None:
        self.problems = tuple(map(one_line, (problems,) if isinstance(problems, str) else problems))
        super().__init__(self.problems, hint)


class ArgumentError(ConfigError):
    """An argument of a call is wrong (exit code 2); `option` is the same problem in the terms of the command line."""

    def __init__(self, problem: str, *, option: str | None = None) -> None:
        self.option = sentence(option or problem)
        super().__init__(problem)


class Given(dict[str, T]):
    """Things by the name of their input; one that the config does not give raises `ConfigError` with the key that gives it."""

    def __missing__(self, role: str) -> T:
        raise ConfigError(f"this needs data.{role}, which is not given", f"give data.{role}")


class DataError(RecevalError):
    """A data file cannot be read or its content is wrong (exit code 3)."""

    exit_code = 3
    heading = "some files are missing or wrong"


class NoRowsError(DataError):
    """A file, table or frame has no rows (exit code 3). Lists may be empty where a convention defines values without lists."""


class NothingThereError(DataError):
    """There is no object at an address."""


class OutputError(RecevalError):
    """A result cannot be written (exit code 2: the path comes from the config or the command line)."""

    exit_code = 2


class MissingExtraError(RecevalError):
    """An engine or an optional extra is not installed (exit code 4)."""

    exit_code = 4


class MachineError(RecevalError):
    """The machine lacks disk space, memory or threads for the work, or the working folder no longer exists (exit code 4)."""

    exit_code = 4


_TEMPORARY: Final = regex(r".*/(receval-(copy|parts)-|\.receval-).*", re.DOTALL)
"""A path in a folder of temporary files; see `temporary`."""
_EXHAUSTED: Final = frozenset((errno.ENOSPC, errno.EDQUOT, errno.ENOMEM, errno.EAGAIN, errno.EMFILE, errno.ENFILE))
"""Error numbers of the system for a resource that is used up."""


def system_error(error: OSError | MemoryError) -> RecevalError:
    """Return an unexpected error of the system as an error with a message, hint and exit code."""
    if isinstance(error, MemoryError):
        return MachineError("there is not enough memory", "lower engine.memory, evaluate fewer models at once, or use a larger machine")
    where, why = (
        _TEMPORARY.sub("a temporary file", os.fsdecode(error.filename or "")),
        (error.strerror or str(error) or type(error).__name__).lower(),
    )
    if not _has_working_folder():
        return MachineError("the working folder no longer exists", "change to another one: cd")
    if error.errno in _EXHAUSTED or "no usable temporary directory" in why:
        return MachineError(f"{where}: {why}" if where else why, "receval doctor shows how much memory and disk space is free")
    return DataError(f"{where}: {why}" if where else why)


def _has_working_folder() -> bool:
    try:
        os.getcwd()
    except OSError:
        return False
    return True


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return the signals that end the program with the exit code 128 + number: SIGTERM, and SIGHUP unless it is ignored, as by nohup."""
    hangup = getattr(signal, "SIGHUP", None)  # Windows has none
    return (signal.SIGTERM, hangup) if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN else (signal.SIGTERM,)
