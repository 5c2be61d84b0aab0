"""Files that change while they are read: refused, since their values, size and hash would be of two states."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct

from ..errors import DataError
from .remote import Remote

_HINT: Final = "run again when it is complete; programs should write to a new file and rename it at the end"


class FileState(Struct, frozen=True):
    """What a file was like before anything of it was read; `name` is the file in messages."""

    name: str
    path: Path | Remote
    state: tuple[object, ...] | None

    @classmethod
    def of(cls, name: str, path: Path | Remote) -> FileState:
        """The state of a file now."""
        return cls(name, path, _state(path))

    def change(self) -> DataError | None:
        """The sentence for a file that has changed since."""
        try:
            now = _state(self.path)
        except DataError as error:  # a store that cannot be reached any more says so itself
            return error
        if now == self.state:
            return None
        return DataError(f"{self.name} {'changed' if now else 'was removed'} while it was read", _HINT)


@contextmanager
def refusing_changes(states: Iterable[FileState]) -> Iterator[None]:
    """Raise `DataError` for the first file that has changed, at the end or in the place of any other failure."""
    states = tuple(states)
    try:
        yield
    except Exception as error:
        for state in states:
            if change := state.change():
                raise change from error
        raise
    for state in states:
        if change := state.change():
            raise change


def _state(path: Path | Remote) -> tuple[object, ...] | None:
    """Size, time of change and identity of a file; `None` if there is none."""
    if isinstance(path, Remote):
        return path.state
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev
