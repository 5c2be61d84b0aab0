"""Failures told to whoever called a function: the same sentences, with the names of arguments in the place of keys of a config."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ..config import Loaded
from ..errors import ConfigError, DataError
from ..forks import refuse_lost_threads
from ..quoting import one_line

_REWORDED: Final = (
    (re.compile(r"\bdata\.(?=(test|train|items|users|baseline|previous_policy|predictions|distances|recommendations)\b)"), ""),
    (re.compile(r"\bevaluation\.(?=[a-z_]+\b)"), ""),
    (re.compile(r"\bengine\.name\b"), "engine"),
    (re.compile(r" in the config\b"), ""),
    (re.compile(r"paths are relative to the config file"), "paths start from the folder that Python runs in"),
    (re.compile(r"give name: path, or --recs NAME=PATH"), "give {name: lists}"),
    (re.compile(r"columns: \{(\w+): ([^{}]+)\}"), r"columns={'\1': '\2'}"),
    (re.compile(r"\badd engine: spark\b"), "add engine='spark'"),
    (re.compile(r"^--(rule|by|cluster) "), r"\1 "),
    (re.compile(r"give --baseline DIR, gates\.baseline, or against in the rule"), "give baseline, or against in the rule"),
    (re.compile(r"make one with receval baseline set DIR, or"), "create it with result.save, or"),
    (re.compile(r"\bgates\.(baseline|anchor)\.(?=if_missing)"), ""),
    (re.compile(r"\bgates\.baseline\.model\b"), "baseline_model"),
    (re.compile(r"\bcompare\.users: common\b"), "common=True"),
    (re.compile(r"\bgates\.models\b"), "models"),
    (re.compile(r"\bgates\.(?=[a-z_]+:)"), ""),
)
"""What stands in a sentence about a config → what it is called in a call."""


def in_words_of_a_call(text: str) -> str:
    """A sentence about a config as one about the arguments of a function."""
    for pattern, words in _REWORDED:
        text = pattern.sub(words, text)
    return text


@contextmanager
def told_of_arguments() -> Iterator[None]:
    """Raise what is wrong with the config that was made of arguments, or with its data, as a failure of these arguments.

    `MachineError` in a process in which Polars cannot work.
    """
    refuse_lost_threads()
    try:
        yield
    except ConfigError as error:
        problems = [in_words_of_a_call(problem) for problem in error.problems]
        raise ConfigError(problems, error.hint and in_words_of_a_call(error.hint)) from None
    except DataError as error:
        raise DataError(in_words_of_a_call(error.message), error.hint and in_words_of_a_call(error.hint)) from error.__cause__


def warn(loaded: Loaded) -> None:
    """Give the warnings about a config as those of Python."""
    for warning in loaded.warnings:
        warnings.warn(one_line(in_words_of_a_call(warning)), UserWarning, stacklevel=4)
