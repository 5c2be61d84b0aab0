"""Files elsewhere: object stores (`s3://`, `gs://`, `az://`), `https://` and artifacts of MLflow; listed, fetched and measured."""

from __future__ import annotations

import fnmatch
import glob
import posixpath
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from msgspec import Struct, field

from ..config.data_sources import masked_path
from ..errors import DataError
from ..extras import missing
from ..names.short_names import is_artifact
from ..temporary import folder_for_copies, new_copy
from .mlflow_artifacts import download as download_artifact
from .mlflow_artifacts import path_of

_WEB: Final = ("http", "https")
_STORES: Final = ("s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss")
_CLIENT: Final = (
    "allow_http", "allow_invalid_certificates", "connect_timeout", "default_content_type", "http1_only", "http2_only",
    "http2_keep_alive_interval", "http2_keep_alive_timeout", "http2_keep_alive_while_idle", "http2_max_frame_size", "pool_idle_timeout",
    "pool_max_idle_per_host", "proxy_url", "timeout", "user_agent",
)  # fmt: skip
"""Options of the connection, which the store takes apart from its own."""
_TRIES: Final[Any] = {"max_retries": 2, "retry_timeout": timedelta(seconds=30)}
_BLOCK: Final = 4 << 20


class Remote(Struct, frozen=True):
    """A file, folder or glob elsewhere: its address, and the options that its store needs beside the environment's."""

    url: str
    options: Mapping[str, str] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.url)

    def __str__(self) -> str:
        """The address without what may be a secret in it: the query, and a user before the host."""
        parts = urlsplit(self.url)
        return masked_path(self.url) if parts.scheme not in _WEB else f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def path(self) -> PurePosixPath:
        """The path of the address."""
        if is_artifact(self.url):
            return PurePosixPath(path_of(self.url))
        parts = urlsplit(self.url) if self.is_fetched_whole else None
        return PurePosixPath(unquote(parts.path) if parts else self.url.partition("://")[2])

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.name

    @property
    def is_fetched_whole(self) -> bool:
        """Whether it is a file that can be fetched and nothing else: of a web server, or of MLflow."""
        return self.url.partition("://")[0].lower() in _WEB or is_artifact(self.url)

    @property
    def is_folder(self) -> bool:
        """Whether it names a folder of a store."""
        return self.url.endswith("/") and not self.is_fetched_whole

    @property
    def size(self) -> int:
        """The size in bytes."""
        return int(self._head()["size"])

    @property
    def state(self) -> tuple[object, ...]:
        """What tells one state of the object from another."""
        found = self._head()
        return found["size"], found.get("e_tag"), found["last_modified"]

    def _head(self) -> Any:
        store, key = _store(self)
        with _translated_errors(self):
            import obstore

            return obstore.head(store, key)

    def blocks(self) -> Iterator[bytes]:
        """The content, piece by piece."""
        store, key = _store(self)
        with _translated_errors(self):
            import obstore

            for block in obstore.get(store, key).stream(min_chunk_size=_BLOCK):
                yield bytes(block)


def is_remote(text: str) -> bool:
    """Whether a path of a config is an address."""
    scheme, found, _ = text.partition("://")
    return (bool(found) and scheme.lower() in (*_WEB, *_STORES)) or is_artifact(text)


def find_remote(role: str, text: str, options: Mapping[str, str]) -> list[Remote]:
    """The objects that an address names; a glob means those of its store that it matches. A folder ends in `/`."""
    remote = Remote(text, options)
    try:
        urlsplit(text)
    except ValueError as error:
        raise DataError(f"{role}: {masked_path(text)} is not a valid address: {error}", "check the part after ://") from None
    if remote.is_fetched_whole or not glob.has_magic(text):
        return [remote]
    start = posixpath.dirname(text[: min(text.index(letter) for letter in "*?[" if letter in text)]) + "/"
    wanted = text.partition("://")[2]
    matches = [file for file in _under(Remote(start, options)) if _matches(str(file.path), wanted)]
    if not matches:
        raise DataError(f"{role}: no object matches {text}", "check the bucket and the key")
    return matches


def parts_elsewhere(role: str, folder: Remote) -> list[Remote]:
    """The objects in a folder of a store, in the order of their keys, without those whose names begin with `_` or `.`."""
    root = folder.path
    files = [file for file in _under(folder) if not any(part.startswith(("_", ".")) for part in file.path.relative_to(root).parts)]
    if not files:
        raise DataError(f"{role}: there are no data files in {folder}", "files whose names start with _ or . are ignored")
    return files


def fetched(role: str, remote: Remote, scratch: ExitStack) -> Path:
    """A file of the same name that holds what `remote` holds, and lives as long as `scratch`."""
    folder = scratch.enter_context(folder_for_copies())
    target = folder / (remote.name or "index")
    try:
        if is_artifact(remote.url):
            return download_artifact(remote.url, remote.options, folder)
        with new_copy(target) as written:
            if remote.is_fetched_whole:
                from .web import download  # the standard library's way to the web takes a while to import

                download(remote.url, str(remote), remote.options, written)
            else:
                written.writelines(remote.blocks())
    except DataError as error:
        raise DataError(f"{role}: {error.message}", error.hint) from None
    return target


def _under(folder: Remote) -> list[Remote]:
    """Every object below a folder, in the order of their keys, without empty ones."""
    store, key = _store(folder)
    with _translated_errors(folder):
        paths = sorted(entry["path"] for batch in store.list(key.rstrip("/") or None) for entry in batch if entry["size"])
    root = folder.url[: len(folder.url) - len(key)] if key else folder.url
    return [Remote(root.rstrip("/") + "/" + path, folder.options) for path in paths]


def _matches(key: str, pattern: str) -> bool:
    """Whether every part of a key matches that of a pattern; `**` is as many parts as there are."""
    parts, wanted = key.split("/"), pattern.split("/")
    if "**" not in wanted:
        return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))
    at = wanted.index("**")
    return any(_matches("/".join(parts[:at] + parts[to:]), "/".join(wanted[:at] + wanted[at + 1 :])) for to in range(at, len(parts)))


def _store(remote: Remote) -> tuple[Any, str]:
    """The store that holds an object, and its key there; `MissingExtraError` if nothing can open it."""
    try:
        import obstore
    except ImportError:
        scheme = remote.url.partition("://")[0]
        raise missing("remote", f"reading {scheme}://", "obstore") from None
    del obstore
    from obstore.store import from_url

    bucket, _, key = remote.url.partition("://")[2].partition("/")
    client: Any = {
        name: {"true": True, "false": False}.get(value.lower(), value) for name, value in remote.options.items() if name in _CLIENT
    }
    config: Any = {name: value for name, value in remote.options.items() if name not in _CLIENT}
    with _translated_errors(remote):
        scheme = remote.url.partition("://")[0]
        return from_url(f"{scheme}://{bucket}", config=config, client_options=client or None, retry_config=_TRIES), key


@contextmanager
def _translated_errors(remote: Remote) -> Iterator[None]:
    """Turn errors of the store into `DataError`s that name the file."""
    from obstore import exceptions as wrong

    try:
        yield
    except wrong.UnknownConfigurationKeyError as error:
        raise DataError(f"storage_options of {remote}: {_first_line(error)}", "see the options of Polars' cloud readers") from None
    except (wrong.BaseError, FileNotFoundError, PermissionError) as error:
        raise _complaint(remote, error) from None


def _complaint(remote: Remote, error: Exception) -> DataError:
    """The sentence for a request that failed; a list request says why in its text only."""
    from obstore import exceptions as wrong

    code = re.search(r"status code: (\d+)", str(error))
    status = code[1] if code else ""
    if isinstance(error, wrong.NotFoundError | FileNotFoundError) or status == "404":
        return DataError(f"there is nothing at {remote}", "check the bucket and the key")
    if isinstance(error, wrong.PermissionDeniedError | wrong.UnauthenticatedError | PermissionError) or status in ("401", "403"):
        hint = "check the credentials in the environment, or set storage_options in the config"
        return DataError(f"{remote} may not be read (permission denied)", hint)
    hint = "check the address, the connection and storage_options, such as endpoint_url and region"
    return DataError(f"{remote} cannot be reached: {_first_line(error)}", hint)


def _first_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0].strip()[:300]
