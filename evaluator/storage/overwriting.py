"""Refuse outputs that would replace an input: the guard that every writer passes (`Stage`), before any work."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from ..config.masking import masked_path
from ..support.errors import OutputError
from ..support.patterns import regex
from ..support.plugins import PLACES
from ..syntax.short_names import is_artifact, is_in_store, one_address

MANIFEST: Final = "manifest.json"
_ELSEWHERE: Final = "choose another place for the output"
_ADDRESS: Final = regex(r"(?:^|/)(?P<scheme>[A-Za-z][A-Za-z0-9+.-]+):(?:/+|(?<=mlflow:))(?P<rest>.*)", re.DOTALL)
"""A path that was made from an address, `s3:/bucket/x`: paths have one slash where the address has two."""
_KEPT: Final = "choose another name; only the run that writes a folder of results replaces its files"


class Target(Struct, frozen=True):
    """A file or folder that a command writes to: the option that names it, as it was written, and the path.

    `takes` returns whether the command may write or remove a name in the folder; a file has none. An `is_local` target cannot be in a
    store; `storage` are options to reach the store of another.
    """

    option: str
    path: Path
    takes: Callable[[str], bool] | None = None
    is_local: bool = False
    storage: Mapping[str, str] = {}

    def __hash__(self) -> int:
        return hash((self.option, self.path))

    @property
    def address(self) -> str | None:
        """The address in a store; `None` for a local path."""
        return address_of(self.path)

    @property
    def folder(self) -> Path | None:
        """The local folder in which files are replaced; `None` for a pipe or device, which is written to directly, and in a store."""
        if self.address is not None:
            return None
        if self.takes is not None:
            return self.path
        return destination(self.path).parent if is_plain(self.path) else None

    def covers(self, path: Path) -> bool:
        """Return whether writing or removing `path` is part of this target."""
        return destination(self.path) == path if self.takes is None else path.parent == self.path and self.takes(path.name)


class InputPath(Struct, frozen=True):
    """A file or folder that a command reads, with its role in a sentence; outputs in a folder of `data` would be read as input later."""

    role: str
    path: Path
    kind: Literal["data", "results"] = "data"


def refuse_overwriting(targets: Iterable[Target], inputs: Iterable[InputPath]) -> None:
    """Raise `OutputError` for a target that is an address or in an input folder, or would overwrite an input or a file of results.

    Two paths are the same if they lead to one file, by links or other spellings. Files that do not exist yet are not inputs. A run may
    replace a folder of results as a whole, unless it reads this folder.
    """
    given = (path if path.absolute() == place else place for place, path in PLACES.items())  # the current folder may have changed
    of_plugins = (InputPath("a file of --plugin", path) for path in given)
    found, read = tuple(targets), [(source, Path(os.path.realpath(source.path))) for source in (*of_plugins, *inputs)]
    for target in found:
        _refuse_address(target)
        if target.takes is None and target.address is None:  # a store answers that when it is opened
            _refuse_part_of_results(target, found)
        for source, real in read:
            if target.address is not None:
                _refuse_in_store(target, target.address, source)
            elif address_of(source.path) is None:
                _refuse(target, source, real)


def address_of(path: Path) -> str | None:
    """Return the address in a store from which a path was made; `None` for a local path."""
    address = _written_address(path)
    return address if address is not None and is_in_store(address) else None


def shown(path: Path) -> str:
    """Return a path as people wrote it: with the slashes of its address, if it has one."""
    address = address_of(path)
    return str(path) if address is None else masked_path(address)


def _written_address(path: Path) -> str | None:
    """Return the address from which a path was made; `None` for a local path, also one in a folder whose name ends in a colon."""
    if path.name.endswith(":") and is_in_store(f"{path.name}//"):
        return f"{path.name}//"  # without a bucket
    written = _ADDRESS.search(text := path.as_posix())
    if written is None:
        return None
    address = f"{written['scheme']}://{written['rest']}"
    return None if not is_in_store(address) and os.path.isdir(text[: written.end("scheme") + 1]) else address


def _refuse_address(target: Target) -> None:
    """Raise `OutputError` for a target on the web or elsewhere, and for one in a store that has to be local."""
    address = _written_address(target.path)
    if address is None or (is_in_store(address) and not target.is_local):
        return
    text = target.path.as_posix()
    written = _ADDRESS.search(text)
    as_path = text if written is None else text[written.start("scheme") :]
    address = masked_path(as_path if is_artifact(as_path) else address)
    option = target.option.partition(" ")[0] if " " in target.option else "an output"
    if is_in_store(address):
        message = f"{option.rstrip(':')}: {address} is an address, but this is written only into local files and folders"
    else:
        message = f"{option.rstrip(':')}: {address} is an address that results cannot be written to; stores are s3://, gs:// and az://"
    raise OutputError(message, "choose a local folder, and copy it when it is complete")


def _refuse_in_store(target: Target, address: str, input_path: InputPath) -> None:
    """Raise `OutputError` for a target in a store that would overwrite an input there, or be read as input later."""
    source = address_of(input_path.path)
    if source is None:
        return
    place, other = one_address(address), one_address(source)
    if input_path.kind == "results":
        if target.takes is not None and place == other:
            raise OutputError(
                f"{target.option} would overwrite {masked_path(source)}, which is {input_path.role}",
                f"{_ELSEWHERE}; receval baseline set updates a baseline",
            )
        return
    start = re.split(r"[*?\[]", other)[0]
    folder = other if start == other else start.rpartition("/")[0]
    if place == other or (
        target.takes is not None and f"{place}/" == f"{other.rpartition('/')[0]}/" and target.takes(input_path.path.name)
    ):
        verb = "overwrite" if target.takes is None else "overwrite or remove"
        raise OutputError(f"{target.option} would {verb} {masked_path(source)}, which is {input_path.role}", _ELSEWHERE)
    inside = place.removeprefix(f"{folder}/") if place.startswith(f"{folder}/") else ""
    is_hidden = any(name.startswith(("_", ".")) for name in inside.split("/"))
    matches = fnmatchcase(place, other) or (target.takes is not None and fnmatchcase(f"{place}/results.csv", other))
    if inside and not is_hidden and (start == other or matches):
        raise OutputError(
            f"{target.option}: the next run would read the results as input, "
            f"because {masked_path(source)} is the folder of {input_path.role}",
            "choose a folder outside of it",
        )


def _refuse(target: Target, input_path: InputPath, real: Path) -> None:
    path, option = input_path.path, target.option
    if os.path.isdir(path):
        inside = Path(os.path.realpath(target.path))
        if input_path.kind == "results":
            if target.takes is not None and _is_same(target.path, path):
                raise OutputError(
                    f"{option} would overwrite {path}, which is {input_path.role}", f"{_ELSEWHERE}; receval baseline set updates a baseline"
                )
        elif inside.is_relative_to(real) and not any(name.startswith(("_", ".")) for name in inside.relative_to(real).parts):
            raise OutputError(
                f"{option}: the next run would read the results as input, because {path} is the folder of {input_path.role}",
                "choose a folder outside of it",
            )
    elif target.takes is None and _is_same(target.path, path):
        raise OutputError(f"{option} would overwrite {path}, which is {input_path.role}", _ELSEWHERE)
    elif target.takes is not None and any(target.takes(file.name) and _is_same(target.path, file.parent) for file in (path, real)):
        raise OutputError(f"{option} would overwrite or remove {path}, which is {input_path.role}", _ELSEWHERE)


def _refuse_part_of_results(target: Target, targets: Sequence[Target]) -> None:
    """Raise `OutputError` for one file of a folder of results, unless the same command replaces the folder."""
    file = Path(os.path.realpath(target.path))
    replaced = (other for other in targets if other.takes is not None and other.takes(file.name))
    if file.name in files_of_results(file.parent) and not any(_is_same(other.path, file.parent) for other in replaced):
        raise OutputError(f"{target.option} would overwrite {target.path}, which is a file of the results in {file.parent.name}", _KEPT)


def files_of_results(folder: Path) -> tuple[str, ...]:
    """Return the names of the files that the manifest of a folder of results lists, and of the manifest; empty for another folder."""
    try:
        return (MANIFEST, *(str(output["path"]) for output in manifest_of(folder)["outputs"]))
    except (LookupError, TypeError):
        return ()


def manifest_of(folder: Path) -> Mapping[str, Any]:
    """Return the content of the manifest in a folder, as it is; empty if there is none that can be read."""
    if not os.path.isfile(folder / MANIFEST):  # a pipe would wait
        return {}
    try:
        with open(folder / MANIFEST, encoding="utf-8") as file:
            content = json.load(file)
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def is_plain(path: Path) -> bool:
    """Return whether `path` is, or will be, a regular file; a pipe or device is written to directly and never replaced."""
    return os.path.isfile(path) or not os.path.exists(path)


def destination(path: Path) -> Path:
    """Return the file that writing to `path` changes: the target of a link."""
    return Path(os.path.realpath(path)) if os.path.islink(path) else path


def _is_same(path: Path, other: Path) -> bool:
    are_there = os.path.exists(path) and os.path.exists(other)
    return path.samefile(other) if are_there else os.path.realpath(path) == os.path.realpath(other)
