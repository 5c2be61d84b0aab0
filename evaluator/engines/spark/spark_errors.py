"""Errors of Spark → our errors."""

from __future__ import annotations

import re
from typing import Final

from ...load.scan import ReadError
from ...support.errors import ConfigError, DataError, MissingExtraError
from .versions import OtherVersions

_MISSING_MODULE: Final = re.compile(r"(?:ModuleNotFoundError|ImportError): No module named '([\w.]+)'|PACKAGE_NOT_INSTALLED\] (\w+)")
_OTHER_PYTHON: Final = "PYTHON_VERSION_MISMATCH"
_READ_ERROR: Final = re.compile(rf"{ReadError.__module__}\.{ReadError.__name__}: (.*)")
_DATA_ERROR: Final = re.compile(rf"{DataError.__module__}\.{DataError.__name__}: (.*)")
_CONFIG_ERROR: Final = re.compile(rf"{ConfigError.__module__}\.{ConfigError.__name__}: (.*)")
_OTHER_VERSIONS: Final = re.compile(rf"{OtherVersions.__module__}\.{OtherVersions.__name__}: (.*)")
_WORKER_TRACEBACK: Final = "Traceback (most recent call last)"
_OWN_CODE: Final = re.compile(r'File "[^"]*[\\/]engines[\\/]spark[\\/]\w+\.py"')
"""A line of our code in the traceback of a worker; without one, a function that the frame itself calls has failed."""
_WAYS_OUT: Final = "install receval and its dependencies there, or send a packed environment: engine.archives"


class WorkerError(RuntimeError):
    """Our code failed on a worker; the message has the traceback of the worker."""


def translate_error(error: Exception) -> Exception:
    """Return our error for an error of Spark.

    `MissingExtraError` if the workers' Python lacks receval or a package that it needs, `ReadError` if a source cannot be read, `DataError`
    if its contents are wrong, `ConfigError` if a metric of a plug-in failed, `WorkerError` if our code failed on a worker. An interruption
    is raised again, because PySpark's own cleanup may fail after it and hide it.
    """
    interruption = _interruption(error)
    if interruption is not None:
        raise interruption
    text = str(error)
    missing = _MISSING_MODULE.search(text)
    if missing:
        name = missing[1] or missing[2]
        return MissingExtraError(f"the Python of the Spark workers lacks {name.partition('.')[0]}", _WAYS_OUT)
    if _OTHER_PYTHON in text:
        return MissingExtraError("the Spark workers run a different Python version than this process", _WAYS_OUT)
    versions = _OTHER_VERSIONS.search(text)
    if versions:
        return MissingExtraError(versions[1], _WAYS_OUT)
    unreadable = _READ_ERROR.search(text)
    if unreadable:
        return ReadError(unreadable[1])
    wrong = _DATA_ERROR.search(text)
    if wrong:
        return DataError(wrong[1])
    if failed := _CONFIG_ERROR.search(text):  # of a plug-in
        return ConfigError(failed[1])
    if _WORKER_TRACEBACK in text:
        return WorkerError(text) if _OWN_CODE.search(text) else ReadError(_raised(text))
    return ReadError(first_line(error))


def _raised(text: str) -> str:
    """Return the last line of the first traceback in a text: the exception."""
    lines = text.partition(_WORKER_TRACEBACK)[2].splitlines()[1:]
    return next((line.strip() for line in lines if line.strip() and not line.startswith(" ")), "no reason given")


def _interruption(error: BaseException | None) -> KeyboardInterrupt | None:
    """Return the interruption among the causes of an error, or `None`."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


def first_line(error: Exception) -> str:
    """Return the first line of an error's text that tells more than the Java method that was called, at most 300 characters."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    telling = (line for line in lines if not line.startswith("An error occurred while calling "))
    return next(telling, lines[0] if lines else type(error).__name__).removeprefix(": ")[:300]
