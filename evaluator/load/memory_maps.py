"""Local files are read, never mapped into memory: a mapped file that is cut while it is read kills the process."""

from __future__ import annotations

import glob
import os
import re
import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import Final

from ..temporary import folder_for_copies

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Control characters, and what is no UTF-8."""


def unmapped(path: str) -> str:
    """The name by which Polars reads an NDJSON or Arrow file as one of a store: a file that is cut is an error, and it is hardly slower.

    The switch `POLARS_FORCE_ASYNC` does the same to every file of the process, also to those that the caller of receval reads.
    """
    return path if "://" in path and not os.path.exists(path) else f"file://{os.path.abspath(path)}"


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
    return bool(_CONTROL.search(os.path.abspath(name))) or (patterns and glob.has_magic(name))
