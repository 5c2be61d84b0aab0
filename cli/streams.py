"""Handle standard streams that are closed or full: they change the exit code only if results cannot be written."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any


def prepare() -> None:
    """Make failures of standard output a sentence, and ignore those of standard error."""
    for number, mode in enumerate((os.O_RDONLY, os.O_RDONLY, os.O_WRONLY)):  # otherwise opened files would get their numbers
        try:
            os.fstat(number)
        except OSError:  # the caller closed it; writing to standard output will fail
            opened = os.open(os.devnull, mode)
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
    sys.stdout = _Output.in_place_of(sys.stdout, 1)
    sys.stderr = _Messages.in_place_of(sys.stderr, 2)


class _Stream(io.FileIO):
    @classmethod
    def in_place_of(cls, stream: Any, number: int) -> io.TextIOWrapper:
        """Return a text stream to the same descriptor as `stream`, in the same encoding."""
        raw = cls(number, "wb", closefd=False)
        encoding = getattr(stream, "encoding", None) or "utf-8"
        by_line = number == 2 or raw.isatty()
        return io.TextIOWrapper(io.BufferedWriter(raw), encoding, getattr(stream, "errors", "backslashreplace"), line_buffering=by_line)


class _Output(_Stream):
    """Standard output: it raises `OutputError` once if it cannot be written, then accepts everything, so that the program can end."""

    def write(self, content: Any) -> int:
        """Write bytes; a closed pipe stays a `BrokenPipeError`."""
        try:
            return super().write(content)
        except BrokenPipeError:
            raise
        except OSError as error:
            from receval.support.errors import OutputError

            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            reason = "it is closed" if error.errno == errno.EBADF else error.strerror
            raise OutputError(f"cannot write to standard output: {reason}") from None


class _Messages(_Stream):
    """Standard error: output that it cannot take is lost; the exit code still shows the outcome."""

    def write(self, content: Any) -> int:
        """Write bytes, or discard them if that fails."""
        try:
            return super().write(content)
        except OSError:
            return len(content)
