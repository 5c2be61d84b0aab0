"""Write files into object stores, so that a reader has all files of the old state of a folder, or all of the new one.

A store cannot replace several objects in one step, so no object that a manifest names is ever replaced: the new files get a folder of
their own below `.receval/`, and the manifest, which names this folder, is the last object and the only one that is replaced. It is put
only if it is still the one that was read before, where the store can do that; so each manifest is replaced by one run, which then removes
its objects. Afterwards the files are copied to their plain names in the folder, for people and other programs.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from ..config.masking import masked_path
from ..load.bucket import Bucket, open_bucket
from ..support.errors import OutputError
from .hashes import CHECKSUM, checksum, fingerprint
from .overwriting import MANIFEST, Target
from .places import OBJECTS, content_of, names_in, side_by_side

FILES: Final = "files.manifest.json"
"""The manifest of a folder without one of its own, such as that of a comparison."""
_HIDDEN: Final = ".receval"
_KEPT: Final = timedelta(days=7)
"""Objects that no manifest names are those of a run that still writes, or was killed; after this time they are removed."""
_TRIES: Final = 20
"""Times that a manifest is put again because another run put its own in between."""


class Upload:
    """The new objects of a target in a store: `open` tries the store, `add` uploads, `publish` makes them the new state."""

    def __init__(self, target: Target, address: str) -> None:
        self._takes, self._address, self._storage = target.takes, address, target.storage
        self._token = secrets.token_hex(8)
        self._added: dict[str, bytes | Path] = {}
        self._own: list[str] = []

    def open(self) -> None:
        """Raise `OutputError` if nothing can be written there, or for one file of a folder of results."""
        with open_bucket(self._address, self._storage) as bucket:
            folder = bucket.key if self._takes is not None else bucket.key.rpartition("/")[0]
            probe = _below(folder, f"{_HIDDEN}/probe-{self._token}")
            bucket.put(probe, b"")
            bucket.delete([probe])
            if self._takes is not None:
                return
            manifest, _ = bucket.read(_below(folder, MANIFEST))
        if manifest is not None and bucket.key.rpartition("/")[2] in (MANIFEST, *names_in(_content(manifest))):
            raise OutputError(
                f"{masked_path(self._address)} is a file of the results in {folder.rpartition('/')[2]}, and would be overwritten",
                "choose another name; only the run that writes a folder of results replaces its files",
            )

    def add(self, files: Mapping[str, bytes | Path]) -> None:
        """Upload files of a folder, which nobody reads yet; a single file is kept for `publish`."""
        self._added.update(files)
        if self._takes is None:
            return
        with open_bucket(self._address, self._storage) as bucket:
            objects = {_below(bucket.key, f"{self._objects}{name}"): content for name, content in files.items() if name != MANIFEST}
            self._own = [*objects]
            side_by_side(lambda key: bucket.put(key, objects[key]), objects)

    def publish(self) -> None:
        """Make the uploaded files the state of the folder, remove the objects of the state before, and copy the files to their names."""
        with open_bucket(self._address, self._storage) as bucket:
            if self._takes is None:
                for content in self._added.values():
                    bucket.put(bucket.key, content)
                return
            manifest = _below(bucket.key, MANIFEST if MANIFEST in self._added else FILES)
            before = self._put_manifest(bucket, manifest)
            self._own = []

            def give_name(name: str) -> None:
                bucket.copy(_below(bucket.key, f"{self._objects}{name}"), _below(bucket.key, name), self._added[name])

            side_by_side(give_name, (name for name in self._added if name != MANIFEST))
        with suppress(OutputError), open_bucket(self._address, self._storage) as bucket:  # the results are complete without it
            self._clean(bucket, manifest, _content(before))

    def remove(self) -> None:
        """Remove what was uploaded and not published."""
        if self._own:
            with suppress(OutputError), open_bucket(self._address, self._storage) as bucket:
                bucket.delete(self._own)

    @property
    def _kind(self) -> str:
        return f"{_HIDDEN}/{'results' if MANIFEST in self._added else 'files'}/"

    @property
    def _objects(self) -> str:
        return f"{self._kind}{self._token}/"

    def _manifest(self) -> bytes:
        """Return the manifest with the place of the objects."""
        content: dict[str, Any]
        if MANIFEST in self._added:
            content = _content(_bytes(self._added[MANIFEST]))
        else:
            content = {"outputs": [{"path": name, **fingerprint(file)} for name, file in self._added.items()]}
        content = {name: value for name, value in content.items() if name not in (OBJECTS, CHECKSUM)} | {OBJECTS: self._objects}
        return content_of({**content, CHECKSUM: checksum(json.loads(content_of(content)))})

    def _put_manifest(self, bucket: Bucket, key: str) -> bytes | None:
        """Put the manifest, and return the one that it replaced; the last of several runs counts."""
        body = self._manifest()
        replaced: bytes | None = None
        for _ in range(_TRIES):
            there, tag = bucket.read(key)
            if there == body:  # a try before arrived, but its answer did not
                return replaced
            replaced = there
            if bucket.replace(key, body, tag):
                return replaced
        raise OutputError(f"{masked_path(self._address)}: other runs write there all the time", "give each run a folder of its own")

    def _clean(self, bucket: Bucket, manifest: str, before: Mapping[str, Any]) -> None:
        """Remove the files and objects of the state before, and objects that killed runs left."""
        assert self._takes is not None, "a file has no state before"
        gone = [_below(bucket.key, name) for name in names_in(before) if name not in self._added and self._takes(name)]
        now, own, old = bucket.changed(manifest), _below(bucket.key, self._objects), before.get(OBJECTS)
        old = _below(bucket.key, old) if isinstance(old, str) and old.startswith(self._kind) else own
        for key, put in bucket.below(_below(bucket.key, self._kind)).items():
            if not key.startswith(own) and (key.startswith(old) or now - put > _KEPT):
                gone.append(key)
        bucket.delete(gone)


def names_at(address: str) -> frozenset[str]:
    """Return the names of the objects directly in a folder of a store."""
    with open_bucket(address) as bucket:
        return bucket.names()


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def _bytes(content: bytes | Path) -> bytes:
    if isinstance(content, bytes):
        return content
    with open(content, "rb") as file:
        return file.read()


def _content(manifest: bytes | None) -> dict[str, Any]:
    try:
        content = json.loads(manifest or b"{}")
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
