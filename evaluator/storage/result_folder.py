"""Write, copy and read the folder of a result: its files, and the manifest with checksums of them and of itself."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import polars as pl
from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from ..checks import Finding
from ..render.forms import as_json, rendered
from ..render.result_data import cells_of_checks, gate_cells
from ..results.catalogue_bounds import CatalogueBounds
from ..results.description import Description
from ..results.gates import Gate, in_this_version
from ..results.measure_definition import MeasureDefinition
from ..results.result import FORMAT_VERSION, READABLE_VERSIONS, Counts, Input, Result, Row, StoredUsers, TruthFingerprint
from ..results.row import LEDGER_COLUMNS, PROTOCOL_COLUMNS, Candidates, Ledger, Protocol
from ..stats.difference import Conclusion
from ..support.errors import DataError, OutputError
from ..support.file_states import state_of
from ..support.forks import refuse_lost_threads
from ..support.outputs import in_folder, output_form, rows
from ..support.secrets import conceal, hidden_in_outputs, known_names
from ..syntax.short_names import is_spread
from .hashes import CHECKSUM, checksum, fingerprint
from .overwriting import MANIFEST, InputPath, Target, files_of_results, shown
from .places import NO_OPTIONS, Storage, place_of
from .stage import Stage
from .user_files import AGAIN, first_line, open_users

WrittenUsers = Callable[[Mapping[str, pl.DataFrame]], Path | None]
"""Returns the file with these per-user values by model, if it was written during the evaluation."""
RESULTS: Final = "results.json"
USERS: Final = "per_user.parquet"


# Writing


def contents(
    result: Result, formats: Iterable[str], *, long: bool | None = None, users: WrittenUsers | None = None
) -> dict[str, bytes | Path]:
    """Return the files of a folder, by name: the result in all forms, per-user values in `formats`, enriched lists, and the manifest.

    `long` chooses the form of the per-user values, by default the config; `users` may have them already, in the wide form.
    """
    of_users = [row for form in formats if (row := output_form(form, "users")) is not None]
    rows = (*in_folder("result").values(), *of_users)
    written = None if users is None or hidden_in_outputs(result.variables) else users(result.per_user)
    files: dict[str, bytes | Path] = {
        row.folder: rendered(row, result, long=long) if written is None or row.folder != USERS else written for row in rows
    }
    files |= {enriched_path(model): path for model, path in result.enriched.items()}
    return {**files, MANIFEST: as_manifest(result, files)}


def stale(folder: Path, files: Iterable[str]) -> list[Path]:
    """Return the files that an earlier run wrote into a folder, as its manifest says, and that are not among the new ones."""
    gone = (name for name in sorted({*files_of_results(folder)} - {*files}) if is_output_file(name))
    return [folder / name for name in gone if os.path.isfile(folder / name)]


def is_output_file(name: str) -> bool:
    """Return whether a run may give a file of an output folder this name."""
    return name in {*in_folder("result", "users"), MANIFEST} or (name.startswith("enriched.") and name.endswith(".parquet"))


def save(result: Result, folder: Path, inputs: Iterable[InputPath], *, long: bool | None = None, storage: Storage = NO_OPTIONS) -> None:
    """Write a result into a folder, all files or none; `long` as in `contents`, `storage` are options to reach a store.

    Raises `OutputError` if it cannot be written, or would replace one of the `inputs`.
    """
    refuse_lost_threads()
    with Stage([Target(shown(folder), folder, is_output_file, storage=storage)], inputs) as stage:
        files = contents(result, ("parquet",) if result.per_user else (), long=long)
        stage.commit({folder / name: content for name, content in files.items()}, gone=stale(folder, files))


def enriched_path(model: str) -> str:
    """Return the name of the file with the lists of a model."""
    named = re.sub(r'[%/\\:*?"<>|\x00-\x1f]', lambda found: f"%{ord(found[0]):02X}", model)
    return f"enriched.{named}.parquet"


def enriched_frames(result: Result) -> dict[str, pl.DataFrame]:
    """Return the lists of each model with their hits, as in the files."""
    return {model: pl.read_parquet(path) for model, path in result.enriched.items()}


def copy_results(
    folder: Path, target: Path, inputs: Iterable[InputPath], *, force: bool = False, only: Callable[[Result], Result] | None = None
) -> None:
    """Copy the files that the manifest of a folder of results names, and the manifest; remove the rest of an earlier copy.

    `only` returns the part of the result that is written instead of all of it. Raises `DataError` if one of them differs from the manifest.
    Raises `OutputError` if `target` is that folder, or, without `force`, has other files of those names.
    """
    manifest = read_manifest(folder)
    for name in manifest.files:
        manifest.require(folder / name)
    files = _part(folder, manifest, only) if only else {name: folder / name for name in (*manifest.files, MANIFEST)}
    names = [*files]
    if os.path.exists(target) and target.samefile(folder):
        raise OutputError(f"{target} is the folder itself", "choose another place with --to")
    option = Target(f"--to {shown(target)}", target, lambda name: name in names or is_output_file(name))
    if option.address is None:
        there = [name for name in names if os.path.exists(target / name)]
    else:
        from .stores import names_at  # only here, because most folders are on this machine

        found = names_at(option.address)
        there = [name for name in names if name in found and MANIFEST not in found]
    if there and not is_result_folder(target) and not force:
        raise OutputError(
            f"{shown(target)} is not a result folder: it contains a {there[0]}", "choose another place with --to, or add --force"
        )
    with Stage([option], inputs) as stage:
        stage.commit({target / name: content for name, content in files.items()}, gone=stale(target, names))


def _part(folder: Path, manifest: Manifest, only: Callable[[Result], Result]) -> dict[str, bytes | Path]:
    """Return the files of a part of the result in a folder, in the forms that the folder has."""
    lists = {unquote(name[len("enriched.") : -len(".parquet")]): folder / name for name in manifest.files if name.startswith("enriched.")}
    return contents(only(replace(load(folder), enriched=lists)), (row.form for row in rows("users") if row.folder in manifest.files))


# The manifest


class Manifest(Struct, frozen=True):
    """The content of a manifest, and its files: name → size and hash when written."""

    content: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]

    def require(self, path: Path, content: bytes | None = None) -> None:
        """Raise `DataError` if a file is not the one that was written; `content` are its bytes, if read already."""
        try:
            proven = self.files[path.name] == fingerprint(path if content is None else content)
        except FileNotFoundError:
            raise DataError(f"{path.parent}: {path.name} is missing, but the manifest lists it", AGAIN) from None
        except OSError as error:
            raise DataError(f"{path}: cannot be read: {error.strerror}", AGAIN) from None
        if not proven:
            raise DataError(f"{path}: this is not the file that the manifest lists: the folder is incomplete or mixed", AGAIN)


def read_manifest(folder: Path) -> Manifest:
    """Read the manifest of a folder; raise `DataError` if it is missing or damaged.

    A manifest without a checksum, as earlier versions wrote, is accepted if it names only files that a run writes.
    """
    path = folder / MANIFEST
    content, _ = _read(path)
    try:
        files = {output["path"]: {name: output[name] for name in ("bytes", "sha256")} for output in content["outputs"]}
    except (LookupError, TypeError):
        raise DataError(f"{path}: this was not written by receval", AGAIN) from None
    if CHECKSUM in content and content[CHECKSUM] != checksum(content):
        raise DataError(f"{path}: its content has changed since it was written: the file is damaged", AGAIN)
    return Manifest(content, files)


def as_manifest(result: Result, files: Mapping[str, bytes | Path]) -> bytes:
    """Return the inputs (paths as given, sizes, hashes, rows), config, versions, output files, and the checksum of the manifest."""
    content: dict[str, Any] = {
        "format_version": FORMAT_VERSION,
        "run_id": result.run_id,
        "inputs": to_builtins(result.inputs),
        **({} if result.description is None else {"description": to_builtins(result.description)}),
        "config": result.config,
        "versions": result.versions,
        **cells_of_checks(result),
        **gate_cells(result.gates),
        "outputs": [{"path": name, **fingerprint(file)} for name, file in files.items()],
    }
    content = conceal(content, hidden_in_outputs(result.variables), keys=True)
    return as_json({**content, CHECKSUM: checksum(json.loads(as_json(content)))})


# Reading back


def load(folder: Path | str) -> Result:
    """Read a folder written by `receval run -o FOLDER/`; the per-user values are read when they are used.

    Raises `DataError` if it is not such a folder, is incomplete (a file is missing, or differs from the manifest), or was written by a
    version whose results cannot be read.
    """
    folder = place_of(folder)
    manifest = read_manifest(folder)
    path = folder / RESULTS
    content, text = _read(path)
    version = content.get("format_version")
    if version not in READABLE_VERSIONS:
        older = isinstance(version, int) and version < FORMAT_VERSION
        who = "an earlier version of receval" if older else "a later version of receval" if isinstance(version, int) else "another program"
        reads = f"format {version}; this version reads formats {READABLE_VERSIONS[0]} to {FORMAT_VERSION}"
        raise DataError(f"{folder}: the results were written by {who} ({reads})", AGAIN)
    others = [name for name in manifest.files if not is_output_file(name)]  # a manifest without a checksum may be damaged
    if others:
        raise DataError(f"{folder / MANIFEST}: it lists {others[0]}, which receval never writes: the file is damaged", AGAIN)
    if RESULTS not in manifest.files:
        raise DataError(f"{folder / MANIFEST}: it does not list {RESULTS}", AGAIN)
    manifest.require(path, text)
    names = known_names()
    try:
        users = _users(folder, manifest, content, names)
        return _result(conceal(content, names, keys=True), conceal(manifest.content, names, keys=True), users)
    except (LookupError, TypeError, ValueError) as error:
        raise DataError(f"{path}: this was not written by receval: {first_line(error)}", AGAIN) from None


def is_result_folder(path: Path) -> bool:
    """Return whether a path looks like a folder that a run wrote."""
    return os.path.isdir(path) and os.path.isfile(path / MANIFEST)


def _read(path: Path) -> tuple[dict[str, Any], bytes]:
    """Read the object of a JSON file in a folder of results, and its bytes; raise `DataError` if folder, file or object is missing."""
    folder = path.parent
    try:
        with open(path, "rb") as file:
            text = file.read()
        content = json.loads(text.decode())
    except (FileNotFoundError, NotADirectoryError):
        if os.path.isfile(folder):
            raise DataError(
                f"{folder}: this is a file, not a folder of results", "give a folder written by receval run -o FOLDER/"
            ) from None
        if not os.path.isdir(folder):
            raise DataError(f"{folder}: the folder does not exist", "give a folder written by receval run -o FOLDER/") from None
        raise DataError(f"{folder}: there is no {path.name}, so this is not a result folder", AGAIN) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}", AGAIN) from None
    except (ValueError, RecursionError):
        raise DataError(f"{path}: this is not valid JSON: the file is damaged", AGAIN) from None
    if not isinstance(content, dict):
        raise DataError(f"{path}: this was not written by receval", AGAIN)
    return content, text


def _with_named_hashes(source: Mapping[str, Any]) -> dict[str, Any]:
    """Return an input as this version writes it: up to format 5 the hash of a file was its SHA-256."""
    files = [{"hash": f"sha256:{file['sha256']}", **file} if "sha256" in file else file for file in source["files"]]
    return {**source, "files": files}


def _result(content: Mapping[str, Any], manifest: Mapping[str, Any], per_user: Mapping[str, pl.DataFrame]) -> Result:
    definitions = convert(content["definitions"], dict[str, MeasureDefinition])
    rows = [_row(cells, definitions) for cells in content["results"]]
    plain = tuple(row for row in rows if row.fold is None and row.run is None)
    repeated = tuple(row for row in rows if row.fold is not None or row.run is not None)
    checks, described = content["checks"], manifest.get("description")
    of_all = tuple(row for row in plain if row.by is None)
    return Result(
        rows=of_all,
        counts={model["model"]: convert(model["users"], Counts) for model in content["models"]},
        higher_is_better={row.label: row.higher_is_better for row in of_all},
        per_user=per_user,
        inputs=convert([_with_named_hashes(source) for source in content["inputs"]], tuple[Input, ...]),
        config=content["config"],
        remarks=tuple(content["remarks"]),
        versions=content["versions"],
        findings=convert(content["findings"], tuple[Finding, ...]),
        yardsticks=tuple(content["yardsticks"]),
        examined=bool(checks["examined"]),
        unmade=checks["not_made"],
        by_group=tuple(row for row in plain if row.by is not None),
        repeated=repeated,
        description=None if described is None else convert(described, Description),
        definitions=definitions,
        truths=convert(content["truth"], dict[str, TruthFingerprint]),
        user_groups=tuple(content["user_groups"]),
        gates=convert([in_this_version(cells) for cells in content.get("gates", ())], tuple[Gate, ...]),
        conclusions=convert(content.get("conclusions", ()), tuple[Conclusion, ...]),
        candidates={model["model"]: convert(model["candidates"], Candidates) for model in content["models"] if "candidates" in model},
        catalogue_bounds={model["model"]: convert(model["bounds"], CatalogueBounds) for model in content["models"] if "bounds" in model},
        list_hashes={model["model"]: model["lists"] for model in content["models"] if "lists" in model},
    )


_OWN: Final = tuple(name for name in Row.__struct_fields__ if name not in ("higher_is_better", "ledger", "protocol"))


def _row(cells: Mapping[str, Any], definitions: Mapping[str, MeasureDefinition]) -> Row:
    return Row(
        **{name: cells[name] for name in _OWN},
        higher_is_better=None if is_spread(cells["aggregate"]) else definitions[cells["metric"]].higher_is_better,
        ledger=None if cells["in_truth"] is None else Ledger(**{name: cells[name] for name in LEDGER_COLUMNS}),
        protocol=None if cells["convention"] is None else Protocol(**{name: cells[name] for name in PROTOCOL_COLUMNS}),
    )


def _users(folder: Path, manifest: Manifest, content: Mapping[str, Any], names: Mapping[str, str]) -> Mapping[str, pl.DataFrame]:
    """Return the per-user values, if the folder has them as Parquet; raise `DataError` if the file is not the one that was written.

    `names` are the values behind `${NAME}` in the names of columns.
    """
    if USERS not in manifest.files:
        return {}
    models = [model["model"] for model in content["models"]]
    before = state_of(folder / USERS)
    manifest.require(folder / USERS)  # reads the whole file once for its hash
    file = open_users(folder / USERS, before, is_only=len(models) == 1)
    stored = {conceal(column, names): column for column in file.columns}

    def read(model: str, columns: Sequence[str] | None) -> pl.DataFrame:
        wanted = [*stored] if columns is None else columns
        rows = file.values(model, [stored[column] for column in wanted])
        return rows.rename({stored[column]: column for column in wanted}) if names else rows

    return StoredUsers(dict.fromkeys(models, tuple(stored)), read)
