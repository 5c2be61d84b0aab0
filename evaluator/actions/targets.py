"""The targets of outputs: files and folders named by the user, each with its form, checked before any work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from ..config import Loaded
from ..storage.overwriting import Target, destination
from ..storage.overwriting import address_of as address_of
from ..storage.overwriting import shown as shown
from ..storage.places import is_folder as is_folder
from ..support import outputs
from ..support.errors import ArgumentError
from ..support.outputs import Need, OutputForm, Subject

PathLike = str | os.PathLike[str]


class Targets(Struct, frozen=True):
    """The files to write, each with its form, and the folders that get every form."""

    files: Mapping[Path, OutputForm] = {}
    folders: tuple[Path, ...] = ()

    def written(
        self,
        takes: Callable[[str], bool] | None = None,
        configured: Mapping[Path, str] = MappingProxyType({}),
        *,
        of: Loaded | None = None,
    ) -> list[Target]:
        """Return the files and folders as a command writes them; it `takes` these names in a folder.

        Folders of the config are named by their text in `configured`, others by the option. The config `of` the command has the options of
        stores.
        """
        storage = {} if of is None else of.config.output.storage
        folders = [Target(configured.get(folder, f"-o {shown(folder)}/"), folder, takes, storage=storage) for folder in self.folders]
        return [*(Target(f"-o {shown(file)}", file, storage=storage) for file in self.files), *folders]

    @property
    def needs(self) -> frozenset[Need]:
        """The needs of the files."""
        return frozenset(need for row in self.files.values() for need in row.needs)

    def rendered(self, subject: Any, in_folders: Mapping[str, OutputForm] = MappingProxyType({}), **arguments: Any) -> dict[Path, bytes]:
        """Return the content of the files, and of those `in_folders` by name, each in its form of a subject."""
        from ..render.forms import rendered  # only here: the command line asks this file for places, too

        rows = {destination(path): row for path, row in self.files.items()}
        rows |= {folder / name: row for folder in self.folders for name, row in in_folders.items()}
        return {path: rendered(row, subject, **arguments) for path, row in rows.items()}

    def files_for(self, *subjects: Subject) -> dict[Path, OutputForm]:
        """Return the files of some subjects."""
        return {path: row for path, row in self.files.items() if row.of in subjects}


def targets_of(
    given: Iterable[PathLike],
    *subjects: Subject,
    more: Mapping[Path, OutputForm] | None = None,
    noun: str = "file",
    folders: bool = False,
    template: OutputForm | None = None,
) -> Targets:
    """Return the named targets and `more` files.

    With `folders`, a name that ends in `/`, has no ending or is a folder is a folder. With a `template` every file has that form. Raises
    `ArgumentError` for a name whose ending is not that of a form of the subjects.
    """
    files: dict[Path, OutputForm] = {}
    places: list[Path] = []
    for target in given:
        text, path = os.fspath(target), Path(target).expanduser()
        if not text.strip():
            raise ArgumentError("an output has no file name", option="-o has no file name: check for an empty variable")
        is_bare = folders and "." not in path.name and text != "-"
        is_folder = text.endswith("/") or os.path.isdir(path) or is_bare
        row = None if is_folder else template or outputs.file_form(path, *subjects)
        if is_folder and folders:
            places.append(path)
        elif row is not None:
            files[path] = row
        else:
            endings = ", ".join(outputs.endings(*subjects)) + (", or in / for a folder" if folders else "")
            problem = f"{text}: the name of a {noun} must end in {endings}"
            raise ArgumentError(problem, option=f"-o {problem}")
    return Targets({**files, **(more or {})}, tuple(places))


def target_of(path: PathLike, *subjects: Subject, noun: str) -> tuple[Path, OutputForm]:
    """Return a named file and its form."""
    ((target, row),) = targets_of((path,), *subjects, noun=noun).files.items()
    return target, row


def run_targets(loaded: Loaded, given: Iterable[PathLike], more: Mapping[Path, OutputForm] | None, *, per_user: bool) -> Targets:
    """Return the targets of a run: named targets, the reports of its config and its folder unless one is named, and `more` files."""
    named = targets_of(given, *(("users",) if per_user else ("result", "latex", "report")), folders=True)
    wanted = loaded.config.output.dir
    folder = (loaded.folder / Path(wanted).expanduser(),) if wanted and not named.folders else ()
    paths = [loaded.folder / Path(name).expanduser() for name in loaded.config.report.files]  # their endings were checked
    reports = {path: row for path in paths if (row := outputs.file_form(path, "report", "latex")) is not None}
    return Targets({**named.files, **reports, **(more or {})}, (*folder, *named.folders))
