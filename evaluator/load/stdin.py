"""Standard input as a file: it is read once into a temporary file, since lists are read more than once."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import DataError


@contextmanager
def spooled() -> Iterator[Path]:
    """A file that holds what standard input held, for as long as the context lasts."""
    if sys.stdin is None or sys.stdin.isatty():
        raise DataError("standard input is a terminal, and lists were to be read from it", "pipe a file into receval, or name one")
    with tempfile.TemporaryDirectory(prefix="receval-") as folder:
        path = Path(folder) / "stdin"
        with open(path, "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, 1 << 20)
        yield path
