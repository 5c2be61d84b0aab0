"""Sizes and hashes of the input files, taken in a thread beside the evaluation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType


class Fingerprints:
    """Hashes files in the background, one after the other, each once."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sha256")
        self._found: dict[Path, Future[str]] = {path: self._pool.submit(_sha256, path) for path in dict.fromkeys(paths)}

    def of(self, path: Path) -> str:
        """The sha256 of a file, waiting for it if need be."""
        return self._found[path].result()

    def __enter__(self) -> Fingerprints:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
