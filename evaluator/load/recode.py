"""Text, unpacked and decoded: line by line, or in a temporary file of UTF-8, since the engines read nothing else."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import IO, Final

import polars as pl
from msgspec.structs import replace

from ..errors import DataError
from ..temporary import folder_for_copies, new_copy
from . import sniff
from .source_file import SourceFile, in_words

_BOM: Final = codecs.BOM_UTF8
_AS_IT_IS: Final = ("utf-8", "utf-8-sig", "ascii")


def recoded(file: SourceFile, encoding: str | None, is_json: bool, scratch: ExitStack) -> SourceFile:
    """A file that holds the text of another in UTF-8: the file itself, or one that lives as long as `scratch`.

    JSON is freed of a byte-order mark, which is none of it. `DataError` if the file is not in `encoding`, naming the line.
    """
    path = file.local
    name = codecs.lookup(encoding).name if encoding else "utf-8"
    if name in _AS_IT_IS and not (is_json and _marked(path)):
        return file
    if sniff.is_zstd(path):
        raise DataError(f"{file}: text packed with zstd must be UTF-8, without a byte-order mark", "unpack the file, or convert it")
    folder = scratch.enter_context(folder_for_copies())
    target = folder / path.name.removesuffix(".gz")
    with opened(path) as packed, io.TextIOWrapper(new_copy(target), encoding="utf-8", newline="") as written:
        _copy(file, packed, written, "utf-8-sig" if name in _AS_IT_IS else name)
    return replace(file, path=target)


def opened(path: Path) -> IO[bytes]:
    """The bytes of a file, unpacked if gzip packed them."""
    return gzip.open(path) if sniff.is_gzip(path) else open(path, "rb")  # type: ignore[return-value]


class CountedLines:
    """The lines of a UTF-8 file, without its byte-order mark; `number` is that of the last line that was read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.number = 0

    def encoded(self) -> Iterator[bytes]:
        """The lines as bytes."""
        for line in self.file:
            self.number += 1
            yield line

    def __iter__(self) -> Iterator[str]:
        for line in self.encoded():
            yield line.decode("utf-8-sig" if self.number == 1 else "utf-8")


def line_of_record(path: Path, separator: str, index: int) -> int:
    """The line, from 1, on which the record at `index`, from 0, of a file of separated text begins, where quoted fields span lines."""
    with opened(path) as file:
        lines = CountedLines(file)
        for _ in islice(sniff.csv_rows(lines, separator), index):
            pass
        return lines.number + 1


def unpacked(path: Path, scratch: ExitStack) -> Path:
    """The file itself, or if zstd packed it, as only Polars unpacks, its UTF-8 text in a file that lives as long as `scratch`."""
    if not sniff.is_zstd(path):
        return path
    target = copy_of(path, scratch)
    pl.scan_lines(path, glob=False).sink_csv(target, include_header=False, quote_style="never")
    return target


def copy_of(path: Path, scratch: ExitStack) -> Path:
    """Where to write a copy of a file, unpacked, that lives as long as `scratch`."""
    return scratch.enter_context(folder_for_copies()) / (path.stem if path.suffix.lower() in sniff.PACKED else path.name)


def not_unpacked(where: str, error: BaseException, file: SourceFile) -> DataError:
    """The sentence for a file whose packing is broken."""
    return DataError(f"{where}: cannot be unpacked ({in_words(error, file)})", "check that the file is complete")


def _marked(path: Path) -> bool:
    try:
        with opened(path) as file:
            return file.read(len(_BOM)) == _BOM
    except (OSError, EOFError, zlib.error):
        return False  # what is wrong with the packing is said when the file is looked at


def _copy(file: SourceFile, packed: IO[bytes], written: IO[str], encoding: str) -> None:
    line = 0
    try:
        for line, text in enumerate(io.TextIOWrapper(packed, encoding=encoding, newline="\n"), 1):
            written.write(text.removeprefix("\ufeff") if line == 1 else text)
    except UnicodeError as error:
        said = str(error).partition(": ")[2] or str(error)
        raise DataError(
            f"{file}, near line {line + 1}: not {encoding} text ({said})", "correct the encoding in the config, or the file"
        ) from None
    except (OSError, EOFError, zlib.error) as error:
        raise not_unpacked(f"{file}", error, file) from None
