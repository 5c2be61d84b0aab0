"""Standard input and pipes as files: each is read once into a temporary file, since lists are read more than once."""

from __future__ import annotations

import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from ..errors import DataError
from ..temporary import folder_for_copies, new_copy
from .source_file import SourceFile


@contextmanager
def spooled(pipe: Path | None = None) -> Iterator[SourceFile]:
    """A file that holds what `pipe` (standard input if `None`) held, for as long as the context lasts.

    Raises `DataError` if standard input is a terminal.
    """
    if pipe is None and (sys.stdin is None or sys.stdin.isatty()):
        raise DataError("standard input is a terminal, and lists were to be read from it", "pipe a file into receval, or name one")
    if hasattr(signal, "siginterrupt"):  # Polars' handler lets a blocked read go on after Ctrl-C
        signal.siginterrupt(signal.SIGINT, True)
    with folder_for_copies() as folder:
        path = folder / "stdin"
        with new_copy(path) as file, pipe.open("rb") if pipe else nullcontext(sys.stdin.buffer) as source:
            shutil.copyfileobj(source, file, 1 << 20)
        yield SourceFile(path, str(pipe or "standard input"), is_piped=True)
