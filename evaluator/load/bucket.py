"""The objects of a bucket as their writers need them: put, put on a condition, copied, listed and removed."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from ..support.errors import DataError, OutputError
from ..support.patterns import regex
from .remote import Remote, open_store, refuse_impossible

_UNKNOWN_CONDITION: Final = regex(r"\b501\b|NotImplemented|not (?:supported|implemented)", re.IGNORECASE)


class Bucket(Struct, frozen=True):
    """The bucket of an address; `key` is the key of the address in it, without a slash at the end."""

    store: Any
    key: str

    def put(self, key: str, content: bytes | Path) -> None:
        """Put an object; a file may be larger than memory."""
        self.store.put(key, content)

    def replace(self, key: str, content: bytes, tag: str | None) -> bool:
        """Put an object if the one that is there has this tag, or none is there (`None`); return whether it was put.

        A store that knows no conditions puts it always.
        """
        from obstore import exceptions as wrong

        try:
            self.store.put(key, content, mode="create" if tag is None else {"e_tag": tag})
        except (wrong.AlreadyExistsError, wrong.PreconditionError):
            return False
        except wrong.BaseError as error:
            if not isinstance(error, wrong.NotSupportedError) and not _UNKNOWN_CONDITION.search(str(error)):
                raise
            self.put(key, content)
        return True

    def read(self, key: str) -> tuple[bytes | None, str | None]:
        """Return a small object and its tag; nothing if there is none."""
        try:
            found = self.store.get(key)
            return bytes(found.bytes()), found.meta["e_tag"]
        except FileNotFoundError:
            return None, None

    def copy(self, key: str, to: str, content: bytes | Path) -> None:
        """Copy an object, if it is still there; one that is too large for the store, which has this content, is put again."""
        from obstore import exceptions as wrong

        try:
            self.store.copy(key, to)
        except FileNotFoundError:
            return
        except wrong.BaseError:
            self.put(to, content)

    def changed(self, key: str) -> datetime:
        """Return when an object was put, by the clock of the store."""
        found: datetime = self.store.head(key)["last_modified"]
        return found

    def below(self, folder: str) -> dict[str, datetime]:
        """Return the keys of all objects below a folder, and when they were put."""
        return {entry["path"]: entry["last_modified"] for batch in self.store.list(folder or None) for entry in batch}

    def names(self) -> frozenset[str]:
        """Return the names of the objects directly in the folder of the address."""
        found = self.store.list_with_delimiter(self.key or None)["objects"]
        return frozenset(entry["path"].rpartition("/")[2] for entry in found)

    def delete(self, keys: Collection[str]) -> None:
        """Remove objects; those that are not there are no error."""
        if keys:
            self.store.delete(list(keys))


@contextmanager
def open_bucket(address: str, options: Mapping[str, str] = MappingProxyType({})) -> Iterator[Bucket]:
    """Open the bucket of an address for writing, with options of its store; its errors become `OutputError`s that name the address."""
    try:
        refuse_impossible("an output", address)
    except DataError as error:
        raise OutputError(error.message, error.hint) from None
    if not address.partition("://")[2].strip("/"):
        raise OutputError(f"an output: {address} has no bucket", "write s3://BUCKET/FOLDER/")
    remote = Remote(address, options)
    with open_store(remote, writes=True) as (store, key):
        yield Bucket(store, key.rstrip("/"))
