"""List and fetch remote files: object stores (`s3://`, `gs://`, `az://`), `https://` and artifacts of MLflow."""

from __future__ import annotations

import fnmatch
import glob
import os
import posixpath
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Final
from urllib.parse import unquote, urlsplit

from msgspec import Struct, field

from ..config.masking import masked_path
from ..support.errors import DataError, NothingThereError, OutputError
from ..support.extras import missing_extra
from ..support.patterns import regex
from ..support.secrets import mask_secrets
from ..support.temporary import folder_for_copies, new_copy
from ..syntax.short_names import is_artifact, is_elsewhere, is_on_web

_CLIENT: Final = (
    "allow_http", "allow_invalid_certificates", "connect_timeout", "default_content_type", "http1_only", "http2_only",
    "http2_keep_alive_interval", "http2_keep_alive_timeout", "http2_keep_alive_while_idle", "http2_max_frame_size", "pool_idle_timeout",
    "pool_max_idle_per_host", "proxy_url", "timeout", "user_agent",
)  # fmt: skip
"""Options of the connection, which the store takes separately from its own."""
_RETRIES: Final = 2
"""How often a store, and a server of MLflow, is asked again; a web server is asked once."""
_TRIES: Final[Any] = {"max_retries": _RETRIES, "retry_timeout": timedelta(seconds=30)}
_BLOCK: Final = 4 << 20
_MOST_COPIED: Final = 2 << 30
"""Bytes of a source that are copied before they are read; a store answers a few large requests sooner than many small ones."""
_SHARE_OF_DISK: Final = 4
"""Copies take at most this part of the free disk space."""
_SIDE_BY_SIDE: Final = 16
_PARTS_OF_TABLES: Final = {"/_delta_log/": "delta", ".metadata.json": "iceberg"}
"""Part of the key of an object that only tables with versions have → the format of such tables."""
_UNWRITABLE: Final = regex("[\0-\x1f\x7f\ud800-\udfff]")
"""Characters that no key in a store has."""
_ARTIFACT: Final = regex(r"(?:runs|mlflow):/*([^/]+)/(.*[^/])", re.DOTALL)
_SETTINGS: Final = {"MLFLOW_HTTP_REQUEST_MAX_RETRIES": str(_RETRIES), "MLFLOW_ENABLE_ARTIFACTS_PROGRESS_BAR": "false"}
"""Without these, MLflow tries for minutes to reach a server, and draws progress bars."""


class Remote(Struct, frozen=True):
    """A remote file, folder or glob: its address, and options of its store in addition to the environment."""

    url: str
    options: Mapping[str, str] = field(default_factory=dict)
    listed: int | None = None
    """The size in bytes, if a listing gave it."""

    def __hash__(self) -> int:
        return hash(self.url)

    def __str__(self) -> str:
        """Return the address without possible secrets: the query, and a user before the host."""
        parts = urlsplit(self.url)
        return masked_path(self.url) if not is_on_web(self.url) else f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"

    @property
    def path(self) -> PurePosixPath:
        """The path of the address."""
        if is_artifact(self.url):
            artifact = _ARTIFACT.fullmatch(self.url)
            return PurePosixPath(artifact[2] if artifact else "")
        return PurePosixPath(unquote(urlsplit(self.url).path) if self.is_fetched_whole else self.url.partition("://")[2])

    @property
    def is_fetched_whole(self) -> bool:
        """True for a file of a web server or of MLflow, which can only be fetched as a whole."""
        return is_on_web(self.url) or is_artifact(self.url)

    @property
    def is_folder(self) -> bool:
        """True for a folder of a store."""
        return self.url.endswith("/") and not self.is_fetched_whole

    @property
    def size(self) -> int:
        """The size in bytes."""
        return self.state[0] if self.listed is None else self.listed

    @property
    def state(self) -> tuple[int, object, object]:
        """The size, tag and time of the last change, which identify a state of the object."""
        with open_store(self) as (store, key):
            found = store.head(key)
        return int(found["size"]), found.get("e_tag"), found["last_modified"]

    def blocks(self) -> Iterator[bytes]:
        """Yield the content, piece by piece."""
        with open_store(self) as (store, key):
            yield from map(bytes, store.get(key).stream(min_chunk_size=_BLOCK))


def is_remote(text: str) -> bool:
    """Return whether a path of a config is an address."""
    return is_elsewhere(text) or is_artifact(text)


def find_remote(role: str, text: str, options: Mapping[str, str]) -> list[Remote]:
    """Return the objects that an address names, or that a glob matches in its store. A folder ends in `/`."""
    remote = Remote(text, options)
    refuse_impossible(role, text)
    if remote.is_fetched_whole or not glob.has_magic(text):
        return [remote]
    start = posixpath.dirname(text[: min(text.index(letter) for letter in "*?[" if letter in text)]) + "/"
    wanted = text.partition("://")[2]
    matches = [file for file in under(Remote(start, options)) if _matches(str(file.path), wanted)]
    if not matches:
        raise DataError(f"{role}: no object matches {text}", "check the bucket and the key")
    return matches


def refuse_impossible(where: str, text: str) -> None:
    """Raise `DataError` for an address that no object can have."""
    try:
        urlsplit(text)
    except ValueError as error:
        raise DataError(f"{where}: {masked_path(text)} is not a valid address: {error}", "check the part after ://") from None
    remote = Remote(text)
    if not remote.is_fetched_whole and (part := _impossible_part(_key(remote))) is not None:
        what = f"has the part {part!r}" if part else "has two / in a row"
        raise DataError(f"{where}: {remote} is not the address of an object: its path {what}", "write the path as the store lists it")


def _impossible_part(key: str) -> str | None:
    """Return the first part of a key that no object has: an empty one, `.`, `..`, or one with a control character; else `None`."""
    parts = key.removesuffix("/").split("/") if key else []
    return next((part for part in parts if part in ("", ".", "..") or _UNWRITABLE.search(part)), None)


def object_or_folder(remote: Remote) -> Remote:
    """Return an object with its size; if there is none, or an empty one, the folder of this name; raise `DataError` if there is neither."""
    if remote.is_fetched_whole or remote.is_folder or remote.listed is not None:
        return remote
    folder = Remote(f"{remote.url}/", remote.options)
    try:
        found = Remote(remote.url, remote.options, remote.size)
    except NothingThereError:
        if under(folder):
            return folder
        raise
    return found if found.listed or not under(folder) else folder


def parts_elsewhere(role: str, folder: Remote) -> list[Remote]:
    """Return the objects in a folder of a store, in the order of their keys, without those whose names begin with `_` or `.`.

    Raises `DataError` if there are none, or if they belong to a table that has versions.
    """
    root, found = folder.path, under(folder)
    for part, format in _PARTS_OF_TABLES.items():
        if inside := next((file for file in found if part in f"/{file.path.relative_to(root)}"), None):
            message = f"{role}: {inside} belongs to a table of the format {format}, which decides which of its files count"
            raise DataError(message, f"give the folder of the table with format: {format}")
    files = [file for file in found if not any(part.startswith(("_", ".")) for part in file.path.relative_to(root).parts)]
    if not files:
        raise DataError(f"{role}: there are no data files in {folder}", "files whose names start with _ or . are ignored")
    return files


def fetch(role: str, remote: Remote, scratch: ExitStack) -> Path:
    """Fetch `remote` into a local file of the same name, which lives as long as `scratch`."""
    folder = scratch.enter_context(folder_for_copies())
    target = folder / (remote.path.name or "index")
    try:
        if is_artifact(remote.url):
            return _artifact(remote.url, remote.options, folder)
        with new_copy(target) as written:
            write_content(remote, written)
    except DataError as error:
        raise DataError(f"{role}: {error.message}", error.hint) from None
    return target


def write_content(remote: Remote, written: BinaryIO) -> None:
    """Write the content of a file of a web server or an object of a store into an open file."""
    if remote.is_fetched_whole:
        from .web import download  # urllib takes a while to import

        download(remote.url, str(remote), remote.options, written)
    else:
        written.writelines(remote.blocks())


def copies(role: str, remotes: Sequence[Remote], scratch: ExitStack) -> list[Path] | None:
    """Fetch objects of stores side by side, one request each, into local files that live as long as `scratch`.

    Return `None` if they are too large together: they are read where they are.
    """
    room = min(_MOST_COPIED, shutil.disk_usage(tempfile.gettempdir()).free // _SHARE_OF_DISK)
    total = 0
    for remote in remotes:
        total += remote.size
        if total > room:
            return None
    folder = scratch.enter_context(folder_for_copies())
    opened: dict[str, Any] = {}
    for remote in remotes:
        bucket = _bucket(remote)
        if bucket not in opened:
            with open_store(remote) as (opened[bucket], _):
                pass

    def copied(index: int) -> Path:
        remote, target = remotes[index], folder / f"{index}-{remotes[index].path.name}"
        try:
            with in_words(remote), new_copy(target) as written:
                written.writelines(map(bytes, opened[_bucket(remote)].get(_key(remote)).stream(min_chunk_size=_BLOCK)))
        except DataError as error:
            raise DataError(f"{role}: {error.message}", error.hint) from None
        return target

    with ThreadPoolExecutor(_SIDE_BY_SIDE, thread_name_prefix="fetch") as pool:
        try:
            return list(pool.map(copied, range(len(remotes))))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def under(folder: Remote) -> list[Remote]:
    """Return every non-empty object below a folder, in the order of their keys."""
    with open_store(folder) as (store, key):
        sizes = {entry["path"]: entry["size"] for batch in store.list(key.rstrip("/") or None) for entry in batch if entry["size"]}
    root = folder.url[: len(folder.url) - len(key)] if key else folder.url
    return [Remote(root.rstrip("/") + "/" + path, folder.options, sizes[path]) for path in sorted(sizes)]


def _matches(key: str, pattern: str) -> bool:
    """Return whether every part of a key matches that of a pattern; `**` matches any number of parts."""
    parts, wanted = key.split("/"), pattern.split("/")
    if "**" not in wanted:
        return len(parts) == len(wanted) and all(map(fnmatch.fnmatchcase, parts, wanted))
    at = wanted.index("**")
    return any(_matches("/".join(parts[:at] + parts[to:]), "/".join(wanted[:at] + wanted[at + 1 :])) for to in range(at, len(parts)))


def _bucket(remote: Remote) -> str:
    scheme, _, path = remote.url.partition("://")
    return f"{scheme}://{path.partition('/')[0]}"


def _key(remote: Remote) -> str:
    return remote.url.partition("://")[2].partition("/")[2]


@contextmanager
def open_store(remote: Remote, *, writes: bool = False) -> Iterator[tuple[Any, str]]:
    """Yield the store of an object, and its key there; errors of the store become errors that name the object; see `in_words`."""
    client: Any = {
        name: {"true": True, "false": False}.get(value.lower(), value) for name, value in remote.options.items() if name in _CLIENT
    }
    config: Any = {name: value for name, value in remote.options.items() if name not in _CLIENT}
    with in_words(remote, writes=writes):
        from obstore.store import from_url

        yield from_url(_bucket(remote), config=config, client_options=client or None, retry_config=_TRIES), _key(remote)


@contextmanager
def in_words(remote: Remote, *, writes: bool = False) -> Iterator[None]:
    """Raise `DataError`s that name the file instead of errors of its store, and `MissingExtraError` without the extra.

    What a command `writes` raises `OutputError`.
    """
    verb, done, kind = ("writing", "written", OutputError) if writes else ("reading", "read", DataError)
    try:
        from obstore import exceptions as wrong
    except ImportError:
        raise missing_extra("remote", f"{verb} {remote.url.partition('://')[0]}://", "obstore") from None
    try:
        yield
    except wrong.UnknownConfigurationKeyError as error:
        raise kind(
            f"{'output.' * writes}storage_options of {remote}: {_first_line(error)[:300]}", "see the options of Polars' cloud readers"
        ) from None
    except (wrong.BaseError, FileNotFoundError, PermissionError) as error:
        code = re.search(r"status code: (\d+)", str(error))  # a failed listing gives its reason only in its text
        status = code[1] if code else ""
        if isinstance(error, wrong.NotFoundError | FileNotFoundError) or status == "404":
            if writes:
                raise OutputError(f"{remote} cannot be written: there is no such bucket", "check its name, or make it first") from None
            raise NothingThereError(f"there is nothing at {remote}", "check the bucket and the key") from None
        if isinstance(error, wrong.PermissionDeniedError | wrong.UnauthenticatedError | PermissionError) or status in ("401", "403"):
            hint = f"check the credentials in the environment, or set {'output.' * writes}storage_options in the config"
            raise kind(f"{remote} cannot be {done} (permission denied)", hint) from None
        hint = f"check the address, the connection and {'output.' * writes}storage_options, such as endpoint_url and region"
        raise kind(f"{remote} cannot be reached: {_first_line(error)[:300]}", hint) from None


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__).strip()


def _artifact(url: str, options: Mapping[str, str], folder: Path) -> Path:
    """Fetch an artifact of an MLflow run into a folder, from the server that MLFLOW_TRACKING_URI names.

    Raises `DataError` if there is no such run or artifact, or no server; `MissingExtraError` without the extra.
    """
    found = _ARTIFACT.fullmatch(url)
    if found is None:
        raise DataError(f"{url} is not a file of an MLflow run", "write runs:/RUN_ID/path/to/lists.parquet")
    if options:
        raise DataError(f"{url}: storage_options are not for MLflow", "set MLFLOW_TRACKING_URI, and the login as for MLflow")
    try:
        from mlflow import MlflowClient
        from mlflow.exceptions import MlflowException
    except ImportError:
        raise missing_extra("mlflow", f"reading {url}") from None
    run, path = found.groups()
    with _quick_and_quiet():
        try:
            client = MlflowClient()
            client.get_run(run)
        except (MlflowException, ImportError, OSError) as error:
            raise _without_run(url, run, error) from None
        try:
            file = Path(client.download_artifacts(run, path, str(folder)))
        except (MlflowException, OSError) as error:
            try:
                names = sorted(str(file.path) for file in client.list_artifacts(run))
            except Exception:  # the sentence is about another failure
                names = []
            listed = ", ".join(names[:5]) + (", …" if len(names) > 5 else "") if names else "none"
            hint = f"runs log files by mlflow.log_artifact; this one has {listed}"
            raise DataError(
                f"there is no artifact {path} in the run {run} of MLflow ({mask_secrets(_first_line(error))[:300]})", hint
            ) from None
    if file.is_dir():
        raise DataError(f"{url} is a folder", f"give a file in it: {url.rstrip('/')}/{next(iter(sorted(os.listdir(file))), 'FILE')}")
    return file


def _without_run(url: str, run: str, error: Exception) -> DataError:
    if getattr(error, "error_code", "") == "RESOURCE_DOES_NOT_EXIST":
        return DataError(f"MLflow has no run {run}", "check the run id and MLFLOW_TRACKING_URI")
    if "failed with exception" in str(error):
        why = re.search(r"Errno \d+\] ([^\"')]*)", str(error))
        return DataError(
            f"{url} cannot be fetched: the MLflow server cannot be reached{f' ({why[1]})' if why else ''}", "check MLFLOW_TRACKING_URI"
        )
    return DataError(
        f"{url} cannot be fetched from MLflow: {mask_secrets(_first_line(error))[:300]}",
        "set MLFLOW_TRACKING_URI to the address of a server",
    )


@contextmanager
def _quick_and_quiet() -> Iterator[None]:
    """Set environment variables of MLflow that are not set."""
    missing = [name for name in _SETTINGS if name not in os.environ]
    os.environ.update({name: _SETTINGS[name] for name in missing})
    try:
        yield
    finally:
        for name in missing:
            os.environ.pop(name, None)
