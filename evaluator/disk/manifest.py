"""The manifest of a folder of results: what proves its files, and itself."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, to_builtins

from ..errors import DataError
from ..outputs import in_folder
from ..render import encoding
from ..render.judgement_data import gate_cells
from ..render.result_data import cells_of_checks
from ..results.result import FORMAT_VERSION, Result

MANIFEST: Final = "manifest.json"
CHECKSUM: Final = "sha256"
"""The key of the checksum of all other content of the manifest."""
AGAIN: Final = "evaluate again with receval run CONFIG -o FOLDER/"


class FileProof(Struct, frozen=True):
    """The size and the hash of a file when it was written."""

    bytes: int
    sha256: str


class Manifest(Struct, frozen=True):
    """What a manifest holds, and the files that it proves, by name."""

    content: Mapping[str, Any]
    files: Mapping[str, FileProof]

    def require(self, path: Path, content: bytes | None = None) -> None:
        """`DataError` if a file is not the one that was written; `content` are its bytes, where they were read already."""
        try:
            proven = self.files[path.name] == fingerprint(path if content is None else content)
        except FileNotFoundError:
            raise DataError(f"{path.parent}: {path.name} is missing, but the manifest lists it", AGAIN) from None
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}", AGAIN) from None
        if not proven:
            raise DataError(f"{path}: this is not the file that the manifest lists: the folder is incomplete or mixed", AGAIN)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder; `DataError` if there is none, or it is damaged.

    One without a checksum, which earlier versions wrote, is believed if it names only files that a run writes.
    """
    path = folder / MANIFEST
    content = parsed(path, read(path, folder))
    try:
        files = {output["path"]: FileProof(output["bytes"], output["sha256"]) for output in content["outputs"]}
    except (LookupError, TypeError):
        raise DataError(f"{path}: this was not written by receval", AGAIN) from None
    if CHECKSUM in content and content[CHECKSUM] != checksum(content):
        raise DataError(f"{path}: its content has changed since it was written: the file is damaged", AGAIN)
    return Manifest(content, files)


def checksum(content: Mapping[str, Any]) -> str:
    """The hash of the content of a manifest, whatever it is written like; its own checksum is not part of it."""
    others = {key: value for key, value in content.items() if key != CHECKSUM}
    return hashlib.sha256(json.dumps(others, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def fingerprint(content: bytes | Path) -> FileProof:
    """The size and the hash of bytes, or of a file, which may be larger than memory."""
    if isinstance(content, bytes):
        return FileProof(len(content), hashlib.sha256(content).hexdigest())
    with open(content, "rb") as file:
        return FileProof(os.fstat(file.fileno()).st_size, hashlib.file_digest(file, "sha256").hexdigest())


def read(path: Path, folder: Path) -> bytes:
    """The bytes of a file of a folder of results; `DataError` if the folder does not exist or file."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        if not os.path.isdir(folder):
            raise DataError(f"{folder}: the folder does not exist", "give a folder written by receval run -o FOLDER/") from None
        raise DataError(f"{folder}: there is no {path.name}, so this is not a result folder", AGAIN) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}", AGAIN) from None


def parsed(path: Path, text: bytes) -> dict[str, Any]:
    """The object that a JSON file holds; `DataError` if it holds something else."""
    try:
        content = json.loads(text.decode())
    except (ValueError, RecursionError):
        raise DataError(f"{path}: this is not valid JSON: the file is damaged", AGAIN) from None
    if not isinstance(content, dict):
        raise DataError(f"{path}: this was not written by receval", AGAIN)
    return content


def as_manifest(result: Result, files: Mapping[str, bytes | Path]) -> bytes:
    """What went in (paths as given, sizes, hashes, rows), what was done (config, versions), what came out (hashes), and its checksum."""
    outputs = [{"path": name, **to_builtins(fingerprint(content))} for name, content in files.items()]
    inputs = [to_builtins(source) for source in result.inputs]
    content = {
        "format_version": FORMAT_VERSION,
        "inputs": inputs,
        **({} if result.description is None else {"description": to_builtins(result.description)}),
        "config": result.config,
        "versions": result.versions,
        **cells_of_checks(result),
        **gate_cells(result.gates),
        "outputs": outputs,
    }
    return encoding.as_json({**content, CHECKSUM: checksum(json.loads(encoding.as_json(content)))})


def outputs_of_manifest(path: Path) -> set[str]:
    """Return the names of the files that a manifest proves; none if it is not there, or no manifest."""
    try:
        with open(path, encoding="utf-8") as file:
            return {output["path"] for output in json.load(file)["outputs"] if os.path.isfile(path.parent / output["path"])}
    except (OSError, ValueError, LookupError, TypeError):
        return set()


def is_output_file(name: str) -> bool:
    """Return whether a run may give a file of an output folder this name."""
    return name in {*in_folder("result", "users"), MANIFEST} or (name.startswith("enriched.") and name.endswith(".parquet"))
