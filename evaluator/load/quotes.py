"""Quotation marks in separated text: which of them quote a field, read as Python's `csv` module reads them."""

from __future__ import annotations

import codecs
import csv
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Final, Literal

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..errors import DataError
from ..temporary import new_copy
from . import sniff
from .opening import FAILURES
from .recode import CountedLines, copy_of, opened, unpacked
from .source_file import SourceFile

_BLOCK: Final = 1 << 22
_MARK, _NEWLINE, _RETURN = b'"\n\r'
_HINT: Final = (
    "a field that starts with a quotation mark is quoted: close it before the next separator, and double quotation marks inside it"
)
Role = Literal["literal", "regular", "mixed"]
"""What the quotation marks of a file do. `literal`: none stands at the start of a field, so none quotes. `regular`: each opens or closes a
field, or is one of a doubled pair in a quoted field, so that all readers agree. `mixed`: some quote, others do not."""


class Quotes(Struct, frozen=True):
    """How the quotation marks of the files of a source are read.

    `files` are to be read in the place of those given, `any` says whether a mark at the start of a field quotes it, and
    `across_lines` whether a quoted field spans lines.
    """

    files: list[SourceFile]
    any: bool
    across_lines: bool = False


def settle(role: str, files: Sequence[SourceFile], separator_of: Callable[[SourceFile], str], scratch: ExitStack) -> Quotes:
    """Decide how the quotation marks of text files are read.

    A mark quotes only at the start of a field; anywhere else it is a character like others. Engines read files of marks that all quote,
    or of marks none of which does: what mixes both is copied, with regular marks, to files that live as long as `scratch`.
    `separator_of` gives the separator of a file; where it is not one byte, nothing is quoted.

    Raises `DataError`, naming the line, for a NUL byte, a quoted field that is not closed, and text behind a closing mark.
    """
    marked = [file for file in files if _has_mark(role, file)]
    if not marked:
        return Quotes(list(files), any=False)
    unpacked_files = {file: unpacked(file.local, scratch) for file in marked}
    separators = {file: separator_of(file) for file in marked}
    roles = {
        file: _role_of_marks(unpacked_files[file], separators[file]) if len(separators[file].encode()) == 1 else ("literal", False)
        for file in marked
    }
    if all(role_of_marks == "literal" for role_of_marks, _ in roles.values()):
        return Quotes(list(files), any=False)
    readable: dict[SourceFile, Path] = {}
    across_lines = any(across for _, across in roles.values())
    for file, (role_of_marks, _) in roles.items():
        readable[file] = unpacked_files[file]
        if role_of_marks != "regular":
            readable[file], copy_spans_lines = _regular_copy(role, file, unpacked_files[file], separators[file], scratch)
            across_lines |= copy_spans_lines
    return Quotes([replace(file, path=readable[file]) if file in readable else file for file in files], True, across_lines)


def _has_mark(role: str, file: SourceFile) -> bool:
    """Whether a text file has a quotation mark; `DataError` for a NUL byte, which no text holds."""
    if sniff.is_zstd(file.local):
        return _packed_text_has_mark(role, file)
    found = False
    try:
        with opened(file.local) as text:
            while block := text.read(_BLOCK):
                if b"\0" in block:
                    sniff.head(file)  # says more of what is no text from its beginning
                    with opened(file.local) as again:
                        number = next(number for number, line in enumerate(again, 1) if b"\0" in line)
                    raise sniff.holds_nul(f"{role}: {file.line(number)}")
                found = found or b'"' in block
    except (OSError, EOFError, zlib.error):
        return False  # what is wrong with the packing is said when the rows are read
    return found


def _packed_text_has_mark(role: str, file: SourceFile) -> bool:
    """The same of text packed with zstd, which Polars unpacks."""
    lines = pl.scan_lines(file.local, name="line", row_index_name="index", glob=False)
    line, nul = pl.col("line"), pl.col("line").str.contains("\0", literal=True)
    summary = lines.select(line.str.contains('"', literal=True).any(), pl.col("index").filter(nul).min())
    try:
        found, nul_index = summary.collect(engine="streaming").row(0)
    except FAILURES:
        return False
    if nul_index is not None:
        raise sniff.holds_nul(f"{role}: {file.line(nul_index + 1)}")
    return bool(found)


def _role_of_marks(path: Path, separator: str) -> tuple[Role, bool]:
    """What the quotation marks of a file that has some do, and whether a regular quoted field spans lines."""
    n_marks, any_quotes, regular, across_lines = 0, False, True, False
    for block in _blocks(path):
        data = np.frombuffer(block, np.uint8)
        marks = np.flatnonzero(data == _MARK)
        if len(marks):
            around = np.concatenate([[_NEWLINE], data, [_NEWLINE, _NEWLINE]])
            before, after, next_but_one = around[marks], around[marks + 2], around[marks + 3]
            opens = (before == ord(separator)) | (before == _NEWLINE)
            closes = (after == ord(separator)) | (after == _NEWLINE) | ((after == _RETURN) & (next_but_one == _NEWLINE))
            any_quotes |= bool((opens | (before == _RETURN)).any())
            is_closing = (np.arange(len(marks)) + n_marks) % 2 == 1
            regular &= bool(np.where(is_closing, closes | (after == _MARK), opens | (before == _MARK)).all())
        newlines = np.flatnonzero(data == _NEWLINE)
        across_lines |= bool(((np.searchsorted(marks, newlines) + n_marks) % 2 == 1).any())
        n_marks += len(marks)
    if not any_quotes:
        return "literal", False
    return ("regular", across_lines) if regular and n_marks % 2 == 0 else ("mixed", False)


def _blocks(path: Path) -> Iterator[bytes]:
    """The bytes of a file in blocks of whole lines, without its byte-order mark."""
    with opened(path) as file:
        block = file.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
        while more := block + file.read(_BLOCK):
            yield more + file.readline()
            block = b""


def _regular_copy(role: str, file: SourceFile, path: Path, separator: str, scratch: ExitStack) -> tuple[Path, bool]:
    """A copy of a file, unpacked at `path`, in which all quotation marks are regular, and whether a quoted field spans lines."""
    target, across_lines, first_line = copy_of(file.local, scratch), False, 1
    with opened(path) as packed, io.TextIOWrapper(new_copy(target), encoding="utf-8", newline="") as written:
        lines, writer = CountedLines(packed), csv.writer(written, delimiter=separator, lineterminator="\n")
        left = iter(lines)
        try:
            for line in left:
                text = line.removesuffix("\n").removesuffix("\r")
                if '"' not in text and "\r" not in text:  # most rows of most files, and faster than to read them
                    written.write(f"{text}\n")
                    continue
                first_line = lines.number
                writer.writerow(next(sniff.csv_rows(chain([line], left), separator, strict=True)))
                across_lines |= lines.number > first_line
        except csv.Error as error:
            raise _unreadable(role, file, first_line, lines.number, str(error)) from None
        except UnicodeDecodeError as error:
            raise sniff.not_utf8(f"{role}: {file.line(lines.number)}", error) from None
    return target, across_lines


def _unreadable(role: str, file: SourceFile, first_line: int, line: int, error: str) -> DataError:
    """The sentence for a row that begins in `first_line` and cannot be read at `line`."""
    if "unexpected end" in error:
        return DataError(f"{role}: {file.line(first_line)}: a quoted field starts in this row and is never closed", _HINT)
    if "expected after" in error:
        begun = f", in a row that starts in line {first_line}" if line > first_line else ""
        return DataError(f"{role}: {file.line(line)}: there is text after the closing quotation mark of a field{begun}", _HINT)
    return DataError(f"{role}: {file.line(first_line)}: {error}", _HINT)
