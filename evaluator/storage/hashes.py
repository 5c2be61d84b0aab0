"""Hashes of files, and of the content of manifests."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

CHECKSUM: Final = "sha256"
"""The key of the checksum of all other content of a manifest."""


def checksum(content: Mapping[str, Any]) -> str:
    """Return the hash of the content of a manifest, independent of its formatting, without its own checksum."""
    others = {key: value for key, value in content.items() if key != CHECKSUM}
    return hashlib.sha256(json.dumps(others, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def fingerprint(content: bytes | Path) -> dict[str, Any]:
    """Return the size and the hash of bytes, or of a file, which may be larger than memory."""
    if isinstance(content, bytes):
        return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    with open(content, "rb") as file:
        return {"bytes": os.fstat(file.fileno()).st_size, "sha256": hashlib.file_digest(file, "sha256").hexdigest()}
