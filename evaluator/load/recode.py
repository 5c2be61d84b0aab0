"""Convert text for engines: unpacked, in UTF-8, line by line or in a temporary file, with quotation marks that all quote or none.

Quoted fields are read as by Python's `csv` module.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from pathlib import Path
from typing import IO, Final, Literal

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..support.errors import DataError
from ..support.temporary import folder_for_copies, new_copy
from . import sniff
from .opening import FAILURES
from .source_file import SourceFile, in_words

_BLOCK: Final = 1 << 22
_MARK, _NEWLINE, _RETURN = b'"\n\r'
_HINT: Final = (
    "a field that starts with a quotation mark is quoted: close it before the next separator, and double quotation marks inside it"
)


def recode_file(file: SourceFile, encoding: str | None, is_json: bool, scratch: ExitStack) -> SourceFile:
    """Return a file with the text of another in UTF-8: the file itself, or one that lives as long as `scratch`.

    The byte-order mark of JSON is removed. Raises `DataError`, with the line, if the file is not in `encoding`.
    """
    path = file.local
    name = codecs.lookup(encoding).name if encoding else "utf-8"
    if name in ("utf-8", "utf-8-sig", "ascii"):
        if not (is_json and _marked(path)):
            return file
        name = "utf-8-sig"
    if sniff.starts(path, sniff.ZSTD):
        raise DataError(f"{file}: text packed with zstd must be UTF-8, without a byte-order mark", "unpack the file, or convert it")
    target, line = scratch.enter_context(folder_for_copies()) / path.name.removesuffix(".gz"), 0
    with open_bytes(path) as packed, io.TextIOWrapper(new_copy(target), encoding="utf-8", newline="") as written:
        try:
            for line, text in enumerate(io.TextIOWrapper(packed, encoding=name, newline="\n"), 1):
                written.write(text.removeprefix("\ufeff") if line == 1 else text)
        except UnicodeError as error:
            said = str(error).partition(": ")[2] or str(error)
            raise DataError(
                f"{file}, near line {line + 1}: not {name} text ({said})", "correct the encoding in the config, or the file"
            ) from None
        except (OSError, EOFError, zlib.error) as error:
            raise not_unpacked(f"{file}", error, file) from None
    return replace(file, path=target)


def open_bytes(path: Path) -> IO[bytes]:
    """Open the bytes of a file, unpacked if compressed with gzip."""
    return gzip.open(path) if sniff.starts(path, sniff.GZIP) else open(path, "rb")  # type: ignore[return-value]


class CountedLines:
    """The lines of a UTF-8 file, without its byte-order mark; `number` is that of the last line that was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.number = 0

    def encoded(self) -> Iterator[bytes]:
        """Yield the lines as bytes."""
        for line in self.file:
            self.number += 1
            yield line

    def __iter__(self) -> Iterator[str]:
        for line in self.encoded():
            yield line.decode("utf-8-sig" if self.number == 1 else "utf-8")


def line_of_record(path: Path, separator: str, index: int) -> int:
    """Return the line (from 1) on which the record at `index` (from 0) of separated text begins; quoted fields may span lines."""
    with open_bytes(path) as file:
        lines = CountedLines(file)
        for _ in islice(sniff.csv_rows(lines, separator), index):
            pass
        return lines.number + 1


def unpack(path: Path, scratch: ExitStack) -> Path:
    """Return the file itself, or its UTF-8 text in a file that lives as long as `scratch` if it is compressed with zstd (by Polars)."""
    if not sniff.starts(path, sniff.ZSTD):
        return path
    target = copy_of(path, scratch)
    pl.scan_lines(path, glob=False).sink_csv(target, include_header=False, quote_style="never")
    return target


def copy_of(path: Path, scratch: ExitStack) -> Path:
    """Return the path for an unpacked copy of a file, which lives as long as `scratch`."""
    return scratch.enter_context(folder_for_copies()) / (path.stem if path.suffix.lower() in sniff.PACKED else path.name)


def not_unpacked(where: str, error: BaseException, file: SourceFile) -> DataError:
    """Return the error for a file with broken compression."""
    return DataError(f"{where}: cannot be unpacked ({in_words(error, file)})", "check that the file is complete")


def _marked(path: Path) -> bool:
    try:
        with open_bytes(path) as file:
            return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
    except (OSError, EOFError, zlib.error):
        return False  # broken compression is reported when the file is inspected


class Quotes(Struct, frozen=True):
    """The meaning of quotation marks in the files of a source.

    `files` replace the given ones; `any`: a mark at the start of a field quotes it; `across_lines`: a quoted field spans lines.
    """

    files: list[SourceFile]
    any: bool
    across_lines: bool = False


def settle_quotes(role: str, files: Sequence[SourceFile], separator_of: Callable[[SourceFile], str], scratch: ExitStack) -> Quotes:
    """Decide how the quotation marks of text files are read.

    A mark quotes only at the start of a field; elsewhere it is an ordinary character. Engines read files in which all marks quote, or
    none: files that mix both are copied, with regular marks, to files that live as long as `scratch`. `separator_of` gives the separator
    of a file; if it is not one byte, nothing is quoted.

    Raises `DataError`, with the line, for a NUL byte, a quoted field that is not closed, and text behind a closing mark.
    """
    marked = {file: unpack(file.local, scratch) for file in files if _has_mark(role, file)}
    separators = {file: separator_of(file) for file in marked}
    roles = {file: _role_of_marks(path, separators[file]) for file, path in marked.items()}
    if all(role_of_marks == "literal" for role_of_marks, _ in roles.values()):
        return Quotes(list(files), any=False)
    across_lines = any(across for _, across in roles.values())
    for file, (role_of_marks, _) in roles.items():
        if role_of_marks != "regular":
            marked[file], copy_spans_lines = _regular_copy(role, file, marked[file], separators[file], scratch)
            across_lines |= copy_spans_lines
    return Quotes([replace(file, path=marked.get(file, file.path)) for file in files], True, across_lines)


def _has_mark(role: str, file: SourceFile) -> bool:
    """Return whether a text file has a quotation mark; raise `DataError` for a NUL byte, which is not text."""
    found, nul_line = False, None
    try:
        if sniff.starts(file.local, sniff.ZSTD):  # which Polars unpacks
            lines = pl.scan_lines(file.local, name="line", row_index_name="index", glob=False)
            line, nul = pl.col("line"), pl.col("line").str.contains("\0", literal=True)
            summary = lines.select(line.str.contains('"', literal=True).any(), pl.col("index").filter(nul).min() + 1)
            found, nul_line = summary.collect(engine="streaming").row(0)
        else:
            with open_bytes(file.local) as text:
                while nul_line is None and (block := text.read(_BLOCK)):
                    found = found or b'"' in block
                    if b"\0" in block:
                        sniff.head(file)  # gives a better error if the beginning is not text
                        with open_bytes(file.local) as again:
                            nul_line = next(number for number, line in enumerate(again, 1) if b"\0" in line)
    except (*FAILURES, EOFError, zlib.error):
        return False  # broken compression is reported when the rows are read
    if nul_line is not None:
        raise sniff.holds_nul(f"{role}: {file.line(nul_line)}")
    return bool(found)


def _role_of_marks(path: Path, separator: str) -> tuple[Literal["literal", "regular", "mixed"], bool]:
    """Return the role of the quotation marks of a file, and whether a regular quoted field spans lines.

    `literal`: none is at the start of a field, so none quotes. `regular`: each opens or closes a field, or is one of a doubled pair in a
    quoted field, so that all readers agree. `mixed`: some quote, others do not.
    """
    n_marks, any_quotes, regular, across_lines = 0, False, True, False
    if len(separator.encode()) != 1:
        return "literal", False
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
    """Yield the bytes of a file in blocks of whole lines, without its byte-order mark."""
    with open_bytes(path) as file:
        block = file.read(len(codecs.BOM_UTF8)).removeprefix(codecs.BOM_UTF8)
        while more := block + file.read(_BLOCK):
            yield more + file.readline()
            block = b""


def _regular_copy(role: str, file: SourceFile, path: Path, separator: str, scratch: ExitStack) -> tuple[Path, bool]:
    """Return a copy of a file, unpacked at `path`, in which all quotation marks are regular, and whether a quoted field spans lines."""
    target, across_lines, first_line = copy_of(file.local, scratch), False, 1
    with open_bytes(path) as packed, io.TextIOWrapper(new_copy(target), encoding="utf-8", newline="") as written:
        lines, writer = CountedLines(packed), csv.writer(written, delimiter=separator, lineterminator="\n")
        left = iter(lines)
        try:
            for line in left:
                text = line.removesuffix("\n").removesuffix("\r")
                if '"' not in text and "\r" not in text:  # most rows of most files; faster than parsing
                    written.write(f"{text}\n")
                    continue
                first_line = lines.number
                writer.writerow(next(sniff.csv_rows(chain([line], left), separator, strict=True)))
                across_lines |= lines.number > first_line
        except csv.Error as error:
            place, message = file.line(first_line), str(error)
            if "unexpected end" in message:
                message = "a quoted field starts in this row and is never closed"
            elif "expected after" in message:
                begun = f", in a row that starts in line {first_line}" if lines.number > first_line else ""
                place, message = file.line(lines.number), f"there is text after the closing quotation mark of a field{begun}"
            raise DataError(f"{role}: {place}: {message}", _HINT) from None
        except UnicodeDecodeError as error:
            raise sniff.not_utf8(f"{role}: {file.line(lines.number)}", error) from None
    return target, across_lines
