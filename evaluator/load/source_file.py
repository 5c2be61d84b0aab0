"""`SourceFile`: a file of a source, or a frame, with the name that all messages use for it.

Its bytes are hashed in a thread during the evaluation. A file that changes while it is read is refused, because its values, size and hash
would be of two states.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import Final, NamedTuple

import polars as pl
from blake3 import blake3
from msgspec import Struct, field

from ..support import file_states
from ..support.errors import DataError
from .remote import Remote

_ROWS: Final = 1_000_000
"""Number of rows of a frame that are hashed at a time."""
_BLOCK: Final = 4 << 20
Partition = Mapping[str, str | None]
"""The columns in the path of a file, such as `day` in `day=1/`."""


class FrameFile(Struct, frozen=True, eq=False):
    """A frame in memory, used like a file."""

    frame: pl.LazyFrame

    @property
    def size(self) -> int:
        """The number of rows, which is equal for equal frames."""
        return int(self.frame.select(pl.len()).collect().item())

    def blocks(self) -> Iterator[bytes]:
        """Yield the names and values of all columns as bytes, equal for equal tables of any number type or library."""
        frame = self.frame.collect()
        for name in frame.columns:
            yield f"{name}\0".encode()
            for start in range(0, frame.height, _ROWS):
                yield from _bytes(frame[name].slice(start, _ROWS))


class SourceFile(Struct, frozen=True, eq=False):
    """A file of a source: `path` is read (the file, or a fetched, unpacked or converted copy); `name` is for messages."""

    path: Path | Remote | FrameFile
    name: str
    is_document: bool = False
    """True for the records of a JSON document, one per line."""
    is_piped: bool = False
    """True for a copy of standard input or a pipe."""
    path_columns: Partition = field(default_factory=dict)

    @classmethod
    def from_path(cls, path: Path | Remote) -> SourceFile:
        """Return the file at a path, which is also its name."""
        return cls(path, str(path))

    def __str__(self) -> str:
        return self.name

    @property
    def local(self) -> Path:
        """Its local path; text is always local when it is inspected."""
        assert isinstance(self.path, Path), f"{self.name} is not on this machine"
        return self.path

    @property
    def address(self) -> str:
        """Its path for readers; for a frame, its name."""
        return self.name if isinstance(self.path, FrameFile) else str(self.path)

    @property
    def pure_path(self) -> PurePath:
        """Its path, local or remote; for a frame, its name."""
        if isinstance(self.path, FrameFile):
            return PurePath(self.name)
        return self.path if isinstance(self.path, Path) else self.path.path

    def line(self, number: int) -> Place:
        """Return the place of a line; in a converted document, of a record."""
        return Place(self, f", {'record' if self.is_document else 'line'} {number}")

    @property
    def size(self) -> int:
        """Its size in bytes; for a frame, the number of rows."""
        return self.path.stat().st_size if isinstance(self.path, Path) else self.path.size


class Place(NamedTuple):
    """A place in a file, for messages: `file, line 12`."""

    file: SourceFile
    within: str = ""

    def __str__(self) -> str:
        return f"{self.file}{self.within}"


def in_words(error: BaseException, *files: SourceFile) -> str:
    """Return the message of a reader with names of files instead of the paths that it read."""
    said = str(error)
    for file in files:
        said = said.replace(file.address, file.name)
    return said


def path_columns(files: Sequence[SourceFile], stored: Iterable[str]) -> list[str]:
    """Return the names of columns in the paths of all files; columns `stored` in a file take precedence."""
    first, *others = [file.path_columns for file in files]
    return [name for name in first if name not in set(stored) and all(name in values for values in others)]


def partitions_of(files: Sequence[SourceFile], names: Mapping[str, str], stored: Iterable[str]) -> dict[str, Partition]:
    """Return path → column → value for the columns of `names` in paths; empty if there are none."""
    wanted = sorted(set(names.values()) & set(path_columns(files, stored)))
    return {file.address: {name: file.path_columns[name] for name in wanted} for file in files} if wanted else {}


def _bytes(values: pl.Series) -> Iterator[bytes]:
    """Yield the values of a column as bytes: texts and lists with their length, missing values marked."""
    dtype = values.dtype
    if values.null_count():
        yield values.is_null().to_numpy().tobytes()
    if isinstance(dtype, pl.List | pl.Array):
        lists = values.arr.to_list() if isinstance(dtype, pl.Array) else values
        yield lists.list.len().fill_null(0).to_numpy().tobytes()
        yield from _bytes(lists.explode(empty_as_null=False, keep_nulls=False))
    elif isinstance(dtype, pl.Struct):
        for field in dtype.fields:
            yield from _bytes(values.struct.field(field.name))
    elif dtype.is_integer() and dtype not in (pl.UInt64, pl.Int128, pl.UInt128):
        yield values.cast(pl.Int64).fill_null(0).to_numpy().tobytes()
    elif dtype.is_float():
        yield values.cast(pl.Float64).fill_null(0.0).to_numpy().tobytes()
    elif dtype != pl.Null and dtype != pl.Object:
        texts = (values if dtype == pl.Binary else values.cast(pl.String)).fill_null(b"" if dtype == pl.Binary else "").cast(pl.Binary)
        yield texts.bin.size().to_numpy().tobytes()
        yield b"".join(texts.to_list()) if dtype == pl.Binary else texts.cast(pl.String).str.join("").item().encode()


_MOST_THREADS: Final = 4
_CORES_PER_THREAD: Final = 4
"""One core hashes faster than four cores read and evaluate."""


class Fingerprints:
    """Hash files, and frames in memory, in the background, each once; leaving the context stops what is not done.

    The hash is BLAKE3: two files with the same one are the same file, also if somebody wants to make them look so, and it costs less than
    half of SHA-256.
    """

    def __init__(self, paths: Iterable[Path | Remote | FrameFile]) -> None:
        self._stopped = threading.Event()
        n_threads = max(1, min(_MOST_THREADS, pl.thread_pool_size() // _CORES_PER_THREAD))
        self._pool = ThreadPoolExecutor(n_threads, thread_name_prefix="hash")
        self._found = {path: self._pool.submit(self._hashed, path) for path in dict.fromkeys(paths)}

    def hash_and_size(self, path: Path | Remote | FrameFile) -> tuple[str, int]:
        """Return the hash of a file, as `blake3:` and 64 hexadecimal digits, and the number of its bytes, waiting for it if need be."""
        return self._found[path].result()

    def __enter__(self) -> Fingerprints:
        return self

    def __exit__(self, *error: object) -> None:
        self._stopped.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _hashed(self, path: Path | Remote | FrameFile) -> tuple[str, int]:
        digest, size = blake3(), 0
        for block in _blocks(path) if isinstance(path, Path) else path.blocks():
            if self._stopped.is_set():
                break
            digest.update(block)
            size += len(block)
        return f"blake3:{digest.hexdigest()}", size


def _blocks(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            yield block


FileState = tuple[str, Path | Remote, object]
"""The name of a file in messages, its path, and its state before it was read; see `state_of`."""


def state_of(path: Path | Remote) -> object:
    """Return the current state of a file: size, time of change and identity; `None` if there is no file."""
    return path.state if isinstance(path, Remote) else file_states.state_of(path)


@contextmanager
def refusing_changes(states: Iterable[FileState]) -> Iterator[None]:
    """Raise `DataError` for the first file that has changed, at the end or instead of any other failure."""
    states = tuple(states)
    try:
        yield
    except Exception as error:
        if change := _first_change(states):
            raise change from error
        raise
    if change := _first_change(states):
        raise change


def _first_change(states: Iterable[FileState]) -> DataError | None:
    for name, path, before in states:
        try:
            now = state_of(path)
        except DataError as error:  # a store that cannot be reached any more has its own error
            return error
        if now != before:
            hint = "run again when it is complete; programs should write to a new file and rename it at the end"
            return DataError(f"{name} {'changed' if now else 'was removed'} while it was read", hint)
    return None
