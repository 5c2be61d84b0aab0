"""Sizes and hashes of the input files, taken in a thread beside the evaluation."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Final

from .remote import Remote
from .source_file import FrameFile

_BLOCK: Final = 4 << 20


class Fingerprints:
    """Hashes files, and frames in memory, in the background, one after the other, each once; leaving the context stops what is not done."""

    def __init__(self, paths: Iterable[Path | Remote | FrameFile]) -> None:
        self._stopped = threading.Event()
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sha256")
        self._found: dict[Path | Remote | FrameFile, Future[tuple[str, int]]] = {
            path: self._pool.submit(self._sha256, path) for path in dict.fromkeys(paths)
        }

    def of(self, path: Path | Remote | FrameFile) -> str:
        """The sha256 of a file, waiting for it if need be."""
        return self._found[path].result()[0]

    def size(self, path: Path | Remote | FrameFile) -> int:
        """The number of bytes that were hashed."""
        return self._found[path].result()[1]

    def __enter__(self) -> Fingerprints:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._stopped.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _sha256(self, path: Path | Remote | FrameFile) -> tuple[str, int]:
        digest, size = hashlib.sha256(), 0
        for block in _blocks(path):
            if self._stopped.is_set():
                break
            digest.update(block)
            size += len(block)
        return digest.hexdigest(), size


def _blocks(path: Path | Remote | FrameFile) -> Iterator[bytes]:
    if not isinstance(path, Path):
        yield from path.blocks()
        return
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            yield block
