"""One file that stores the types of its columns (Parquet, Arrow IPC), or one Delta table: its columns, and how to scan it."""

from __future__ import annotations

import faulthandler
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import polars as pl

from ..errors import DataError
from ..quoting import short
from .opening import FAILURES
from .read_options import ReadOptions
from .remote import Remote
from .scan import Format
from .source_file import FrameFile, SourceFile, in_words

_COMPLETE: Final = "check that it is complete"
_MOST_DIGITS: Final = 38
"""Of the decimal numbers that Polars reads."""


def stored_schema(where: str, file: SourceFile, format: Format, options: ReadOptions) -> dict[str, pl.DataType]:
    """The columns that a file stores, with their types; `DataError` if it cannot be read, or has a type that Polars does not know."""
    is_far_stream = isinstance(file.path, Remote) and format == "ipc"
    hint = f"{_COMPLETE} Arrow streams are read from local files only" if is_far_stream else _COMPLETE
    with refusing_unreadable(where, file, format, hint):
        if isinstance(file.path, Path) and format == "ipc":
            return dict(pl.read_ipc_schema(file.path))
        # a name is no pattern here, as it is where Polars reads a schema alone
        return dict(scan(file, format, options).collect_schema())


@contextmanager
def refusing_unreadable(where: str, file: SourceFile, format: str, hint: str = _COMPLETE) -> Iterator[None]:
    """Raise `DataError` for whatever Polars raises when it reads a file of that format; some broken files make it panic."""
    try:
        with panics_held_back():
            yield
    except pl.exceptions.PanicException as error:
        hint = f"{hint} If so, write its columns in simple types: integers, numbers, text (string, not string_view), or lists of these"
        raise DataError(f"{where}: Polars cannot read this {format} file ({_first_line(error, file)})", hint) from error
    except FAILURES as error:
        raise DataError(f"{where}: not a readable {format} file ({_first_line(error, file)})", hint) from error


def scan(file: SourceFile, format: Format, options: ReadOptions) -> pl.LazyFrame:
    """The rows of a file or Delta table."""
    if isinstance(file.path, FrameFile):
        return file.path.frame
    if format == "delta":
        return pl.scan_delta(file.address, storage_options=dict(options.storage) or None)
    scanned = pl.scan_parquet if format == "parquet" else pl.scan_ipc
    return scanned(file.address, glob=False, storage_options=dict(options.storage) or None)


def temporary_rows(file: Path) -> pl.LazyFrame:
    """The rows of a temporary Arrow file that receval wrote itself; only those that are asked for are read."""
    return pl.scan_ipc(file, glob=False)


def _first_line(error: BaseException, file: SourceFile) -> str:
    return short(next(iter(in_words(error, file).splitlines()), type(error).__name__))


def panics_at(dtype: object) -> bool:
    """Whether Polars knows a type, and panics at its values: a decimal number of more than 38 digits."""
    return isinstance(dtype, pl.Decimal) and dtype.precision > _MOST_DIGITS


@contextmanager
def panics_held_back() -> Iterator[None]:
    """Do not print what a panic tells the developers of Polars, before our own sentence.

    Only where the command line asks for it (RECEVAL_DEBUG is 0): a program of someone else may be writing to standard error.
    """
    if os.environ.get("RECEVAL_DEBUG") != "0":
        yield
        return
    before, (end, start) = os.dup(2), os.pipe()
    os.set_blocking(start, False)  # what does not fit is lost, and nobody waits
    os.dup2(start, 2)
    with_faults = not faulthandler.is_enabled()
    if with_faults:  # some damage makes Polars end the process: then at least the place is printed
        faulthandler.enable(before)
    try:
        yield
    finally:
        if with_faults:
            faulthandler.disable()
        os.dup2(before, 2)
        os.close(before)
        os.close(start)
        with os.fdopen(end, "rb") as printed:
            text = printed.read()
        if text and b"panicked at" not in text:
            with suppress(OSError):  # what standard error cannot take is lost
                os.write(2, text)
