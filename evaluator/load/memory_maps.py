"""Local files are read, never mapped into memory: a mapped file that is cut while it is read kills the process."""

from __future__ import annotations

import glob
import os
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import polars as pl

from ..temporary import folder_for_copies

_SWITCH: Final = "POLARS_FORCE_ASYNC"


def avoid_memory_maps() -> None:
    """Let Polars read NDJSON and Arrow files as it reads files of a store: no slower, and a file that is cut is an error."""
    if os.environ.get(_SWITCH) != "1":
        os.environ[_SWITCH] = "1"
        pl.Config.reload_env_vars()


def plainly_named(path: Path, scratch: ExitStack) -> Path:
    """A path to the same file that is no pattern: read that way, NDJSON has no means to say that `[` is a letter."""
    if not glob.has_magic(str(path)):
        return path
    link = scratch.enter_context(folder_for_copies()) / f"file{''.join(path.suffixes[-2:])}"
    if glob.has_magic(link.name):
        link = link.with_name("file.ndjson")
    try:
        link.symlink_to(os.path.abspath(path))
    except OSError:  # a system without links
        shutil.copyfile(path, link)
    return link
