"""Text in other encodings → UTF-8 in a temporary file, since the engines read nothing else."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from contextlib import ExitStack
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


def unpacked(path: Path, scratch: ExitStack) -> Path:
    """The file itself, or if zstd packed it, as only Polars unpacks, its UTF-8 text in a file that lives as long as `scratch`."""
    if not sniff.is_zstd(path):
        return path
    name = path.stem if path.suffix.lower() in sniff.PACKED else path.name
    target = scratch.enter_context(folder_for_copies()) / name
    pl.scan_lines(path, glob=False).sink_csv(target, include_header=False, quote_style="never")
    return target


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
        raise DataError(f"{file}, near line {line + 1}: not {encoding} text ({said})", "correct the key encoding, or the file") from None
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{file}: cannot be unpacked ({in_words(error, file)})", "is the file complete?") from None
