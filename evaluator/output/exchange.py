"""Two folders change places in one step, where the system can do that."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from pathlib import Path
from typing import Final

_HERE: Final = -100
_EXCHANGE: Final = 2


def exchange(first: Path, second: Path) -> None:
    """Let two folders of a file system change places in one step; `OSError` if they cannot, or if the system knows no such step."""
    sys.audit("os.rename", os.fspath(first), os.fspath(second), -1, -1)
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if sys.platform == "linux" else None
    if rename is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), str(second))
    if rename(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(second))
