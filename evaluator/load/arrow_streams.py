"""Arrow IPC streams, which programs hand each other: rewritten as Arrow files, since Polars scans only these."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Final

import polars as pl

from ..temporary import folder_for_copies, new_copy
from .typed_file import refusing_unreadable

_START: Final = b"\xff\xff\xff\xff"
"""How messages of a stream begin; a file begins with ARROW1."""


def is_stream(path: Path) -> bool:
    """Return whether a file holds an Arrow stream."""
    with open(path, "rb") as file:
        return file.read(len(_START)) == _START


def as_file(where: str, path: Path, scratch: ExitStack) -> Path:
    """Write the rows of a stream, which must fit into memory, to an Arrow file that lives as long as `scratch`.

    `where` is what the stream is called in messages. `DataError` if it is broken, or has a type that Polars does not know.
    """
    target = scratch.enter_context(folder_for_copies()) / f"{path.stem}.arrow"
    with refusing_unreadable(where, "Arrow stream"):
        rows = pl.read_ipc_stream(path)
    with new_copy(target) as written:
        rows.write_ipc(written)
    return target
