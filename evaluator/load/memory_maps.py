"""Local files are read, never mapped into memory: a mapped file that is cut while it is read kills the process."""

from __future__ import annotations

import glob
import os
import re
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import polars as pl

from ..temporary import folder_for_copies

_SWITCH: Final = "POLARS_FORCE_ASYNC"
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")


def avoid_memory_maps() -> None:
    """Let Polars read NDJSON and Arrow files as it reads files of a store: no slower, and a file that is cut is an error."""
    if os.environ.get(_SWITCH) != "1":
        os.environ[_SWITCH] = "1"
        pl.Config.reload_env_vars()


def plainly_named(path: Path, patterns: bool, scratch: ExitStack) -> Path:
    """A path to the same file that Polars takes when it reads files as those of a store: no `..` in it, and no control characters.

    With `patterns` it is no pattern either: NDJSON has no means to say that `[` is a letter.
    """
    if ".." in path.parts:
        path = Path(os.path.realpath(path))
    if not _is_odd(str(path), patterns):
        return path
    link = scratch.enter_context(folder_for_copies()) / f"file{''.join(path.suffixes[-2:])}"
    if _is_odd(link.name, patterns):
        link = link.with_name("file")
    try:
        link.symlink_to(os.path.abspath(path))
    except OSError:  # a system without links
        shutil.copyfile(path, link)
    return link


def _is_odd(name: str, patterns: bool) -> bool:
    return bool(_CONTROL.search(name)) or (patterns and glob.has_magic(name))
