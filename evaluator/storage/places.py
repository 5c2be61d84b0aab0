"""The paths of folders of results: those in a store or on the web are copied to this machine, as their manifest names them."""

from __future__ import annotations

import io
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, BinaryIO, Final, TypeVar

from ..config.masking import masked_path
from ..support.errors import DataError, NothingThereError
from ..support.secrets import show_instead
from ..support.temporary import PROCESS_SCRATCH, folder_for_copies, new_copy
from ..syntax.short_names import is_elsewhere
from .hashes import CHECKSUM, checksum
from .overwriting import MANIFEST

T = TypeVar("T")

Storage = Mapping[str, str]
"""Options to reach a store, in addition to the environment."""
NO_OPTIONS: Final[Storage] = MappingProxyType({})
OBJECTS: Final = "objects"
"""The key of a manifest in a store for the folder of its objects, which are never replaced."""
_FILES: Final = (".yaml", ".yml", ".csv", ".tsv", ".parquet", ".gz", ".json", ".jsonl", ".ndjson", ".txt")
"""Endings of files that are no folders of results."""
_TRIES: Final = 5
"""Times that a folder is read again because a run replaced it meanwhile."""
_SIDE_BY_SIDE: Final = 16
_copies: dict[str, tuple[bytes, Path]] = {}
"""Address → the manifest that was read last, and the copy of its folder."""
_origins: dict[Path, str] = {}
"""Copy of a folder → its address."""


def place_of(text: str | os.PathLike[str], folder: Path = Path(), storage: Storage = NO_OPTIONS) -> Path:
    """Return the path that a text names, relative to `folder`.

    For an address it is a copy of the folder of results there, which lives as long as the process; if there are no results at the
    address, no file is at this path. `storage` are options to reach its store.
    """
    text = os.fspath(text)
    return _copy_of(text, storage) if is_elsewhere(text) else folder / Path(text).expanduser()


def origin_of(folder: Path) -> Path:
    """Return the path that is made of the address of which a folder is a copy; of another folder the folder."""
    return Path(_origins[folder]) if folder in _origins else folder


def is_folder(text: str) -> bool:
    """Return whether a text names a folder of results, as an address does unless it ends like a file, or another local folder."""
    if is_elsewhere(text):
        return PurePosixPath(text).suffix.lower() not in _FILES
    return os.path.isdir(Path(text).expanduser())


def _copy_of(address: str, storage: Storage) -> Path:
    """Return a local copy of the folder of results at an address, in the state that one manifest describes: the old or the new one."""
    from ..load.remote import refuse_impossible  # only here: it imports Polars

    refuse_impossible("a folder of results", address)
    if not address.partition("://")[2].strip("/"):
        raise DataError(f"a folder of results: {address} has no bucket", "write s3://BUCKET/FOLDER")
    address = f"{address.rstrip('/')}/"
    scratch: Path | None = None
    for _ in range(_TRIES):
        manifest = read_object(address + MANIFEST, storage)
        before = _copies.get(address)
        if before is not None and before[0] == manifest:
            return before[1]
        scratch = scratch or PROCESS_SCRATCH.enter_context(folder_for_copies())
        target = Path(tempfile.mkdtemp(dir=scratch)) / (PurePosixPath(address).name or "results")
        _origins[target] = address.rstrip("/")
        show_instead(str(target), masked_path(_origins[target]))
        if manifest is None:
            return target
        is_whole = _fetch(address, manifest, target, storage)
        if is_whole or read_object(address + MANIFEST, storage) == manifest:
            break
    assert manifest is not None, "a folder without a manifest was returned"
    _copies[address] = manifest, target
    return target


def _fetch(address: str, manifest: bytes, target: Path, storage: Storage) -> bool:
    """Copy the files that a manifest names into a folder; return whether all were there, in a state that nobody can change."""
    content, prefix = plain_manifest(manifest)
    names = names_in(content)
    target.mkdir()
    (target / MANIFEST).write_bytes(manifest if prefix is None else content_of(content))

    def fetched(name: str) -> bool:
        if prefix is not None and _copied(f"{address}{prefix}{name}", target / name, storage):
            return True
        _copied(address + name, target / name, storage)  # a folder that another program copied has only plain names
        return False

    return all(side_by_side(fetched, names))


def side_by_side(work: Callable[[str], T], names: Iterable[str]) -> list[T]:
    """Do the work for many objects at once, which takes as long as the slowest few; the first error counts."""
    with ThreadPoolExecutor(_SIDE_BY_SIDE, thread_name_prefix="store") as pool:
        return list(pool.map(work, names))


def plain_manifest(manifest: bytes) -> tuple[dict[str, Any], str | None]:
    """Return the content of a manifest as it is in a local folder, and the folder of its objects; of damaged bytes both are empty.

    A manifest whose checksum is wrong is not changed, so that the reader of the folder sees that it is damaged.
    """
    try:
        content = json.loads(manifest)
        prefix = content.get(OBJECTS)
        if not isinstance(prefix, str) or content[CHECKSUM] != checksum(content):
            return content, None
    except (ValueError, RecursionError, AttributeError, LookupError):
        return {}, None
    plain = {name: value for name, value in content.items() if name not in (OBJECTS, CHECKSUM)}
    return {**plain, CHECKSUM: checksum(plain)}, prefix


def content_of(content: Mapping[str, Any]) -> bytes:
    """Return a manifest as bytes."""
    from ..render.forms import as_json  # only here: it imports Polars

    return as_json(dict(content))


def names_in(content: Mapping[str, Any]) -> Sequence[str]:
    """Return the names of the files that a manifest lists; none that leads out of its folder."""
    try:
        names = [str(output["path"]) for output in content["outputs"]]
    except (LookupError, TypeError):
        return ()
    return [name for name in names if name not in ("", ".", "..", MANIFEST) and not {"/", "\\", "\0"} & {*name}]


def read_object(address: str, storage: Storage = NO_OPTIONS) -> bytes | None:
    """Return the bytes of a small object at an address; `None` if there is none."""
    content = io.BytesIO()
    return content.getvalue() if _written(address, content, storage) else None


def _copied(address: str, target: Path, storage: Storage) -> bool:
    """Copy an object to a file; return whether there is one."""
    with new_copy(target) as file:
        is_there = _written(address, file, storage)
    if not is_there:
        target.unlink()
    return is_there


def _written(address: str, file: BinaryIO, storage: Storage) -> bool:
    from ..load.remote import Remote, write_content  # only here: it imports Polars

    try:
        write_content(Remote(address, storage), file)
    except NothingThereError:
        return False
    return True
