"""A folder that a run wrote → its `Result`: what `render.result_data` made is read, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import polars as pl
from msgspec import convert

from ..checks import Finding
from ..errors import DataError
from ..names.short_names import is_spread
from ..results.description import Description
from ..results.gates import Gate, in_this_version
from ..results.result import FORMAT_VERSION, READABLE_VERSIONS, Counts, Input, MeasureDefinition, Result, Row, StoredUsers, TruthFingerprint
from ..results.row import LEDGER_COLUMNS, PROTOCOL_COLUMNS, Ledger, Protocol
from ..stats.difference import Conclusion
from .manifest import AGAIN, MANIFEST, Manifest, is_output_file, parsed, read, read_manifest

RESULTS: Final = "results.json"
USERS: Final = "per_user.parquet"
Read = TypeVar("Read")


def load(folder: Path | str) -> Result:
    """Read the folder that `receval run -o FOLDER/` wrote; the per-user values are read when they are looked at.

    `DataError` if it is no such folder, is not whole (a file is missing, or is not the one that the manifest names), or was written by
    another version whose results cannot be read.
    """
    folder = Path(folder).expanduser()
    manifest = read_manifest(folder)
    path = folder / RESULTS
    text = read(path, folder)
    content = parsed(path, text)
    _refuse_other_versions(content, folder)
    _refuse_other_files(manifest, folder)
    manifest.require(path, text)
    try:
        return _result(content, manifest.content, _users(folder, manifest, content))
    except (LookupError, TypeError, ValueError) as error:
        raise DataError(f"{path}: this was not written by receval: {_first_line(error)}", AGAIN) from None


def is_result_folder(path: Path) -> bool:
    """Whether a path looks like a folder that a run wrote."""
    return os.path.isdir(path) and os.path.isfile(path / MANIFEST)


def _refuse_other_versions(content: Mapping[str, Any], folder: Path) -> None:
    version = content.get("format_version")
    if version not in READABLE_VERSIONS:
        older = isinstance(version, int) and version < FORMAT_VERSION
        who = "an earlier version of receval" if older else "a later version of receval" if isinstance(version, int) else "another program"
        raise DataError(
            f"{folder}: the results were written by {who} (format {version}; this one reads {READABLE_VERSIONS[0]} to {FORMAT_VERSION})",
            AGAIN,
        )


def _refuse_other_files(manifest: Manifest, folder: Path) -> None:
    """`DataError` if the manifest names a file that no run writes, or not the results: one without a checksum may be damaged."""
    others = [name for name in manifest.files if not is_output_file(name)]
    if others:
        raise DataError(f"{folder / MANIFEST}: it lists {others[0]}, which receval never writes: the file is damaged", AGAIN)
    if RESULTS not in manifest.files:
        raise DataError(f"{folder / MANIFEST}: it does not list {RESULTS}", AGAIN)


def _first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else 'no reason given'}"[:120]


def _result(content: Mapping[str, Any], manifest: Mapping[str, Any], per_user: Mapping[str, pl.DataFrame]) -> Result:
    definitions = convert(content["definitions"], dict[str, MeasureDefinition])
    rows = [_row(cells, definitions) for cells in content["results"]]
    plain = tuple(row for row in rows if row.fold is None and row.run is None)
    repeated = tuple(row for row in rows if row.fold is not None or row.run is not None)
    findings = tuple(_finding(cells) for cells in content["findings"])
    checks, described = content["checks"], manifest.get("description")
    of_all = tuple(row for row in plain if row.by is None)
    return Result(
        rows=of_all,
        counts={model["model"]: convert(model["users"], Counts) for model in content["models"]},
        higher_is_better={row.label: row.higher_is_better for row in of_all},
        per_user=per_user,
        inputs=convert(content["inputs"], tuple[Input, ...]),
        config=content["config"],
        remarks=tuple(content["remarks"]),
        versions=content["versions"],
        findings=findings,
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
    )


def _row(cells: Mapping[str, Any], definitions: Mapping[str, MeasureDefinition]) -> Row:
    own = {name: value for name, value in cells.items() if name not in (*LEDGER_COLUMNS, *PROTOCOL_COLUMNS, "few_users")}
    users = {name: cells[name] for name in LEDGER_COLUMNS}
    rules = {name: cells[name] for name in PROTOCOL_COLUMNS}
    return Row(
        **own,
        higher_is_better=None if is_spread(cells["aggregate"]) else definitions[cells["metric"]].higher_is_better,
        ledger=None if users["in_truth"] is None else Ledger(**users),
        protocol=None if rules["convention"] is None else Protocol(**rules),
    )


def _finding(cells: Mapping[str, Any]) -> Finding:
    return convert({name: value for name, value in cells.items() if name != "share"}, Finding)


def _users(folder: Path, manifest: Manifest, content: Mapping[str, Any]) -> Mapping[str, pl.DataFrame]:
    """The per-user values, where the folder has them as Parquet; `DataError` if the file is not the one that was written."""
    if USERS not in manifest.files:
        return {}
    models = [model["model"] for model in content["models"]]
    file = _UserFile(folder / USERS, is_only=len(models) == 1)
    manifest.require(file.path)  # all of it is read once for its hash
    own = file.guarded(lambda: tuple(pl.scan_parquet(file.path, glob=False).collect_schema()))[1:]
    return StoredUsers(dict.fromkeys(models, own), lambda model, names: file.values(model, own if names is None else names))


class _UserFile:
    """A file with the per-user values; it must stay as it is from now on. `is_only`: it holds one model."""

    def __init__(self, path: Path, *, is_only: bool) -> None:
        self.path, self._is_only = path, is_only
        self._state = _state(path)

    def values(self, model: str, names: Sequence[str]) -> pl.DataFrame:
        """Columns of the users of a model; `DataError` if the file has changed, or cannot be read."""

        def values() -> pl.DataFrame:
            rows = pl.scan_parquet(self.path, glob=False).select(names)
            return (rows if self._is_only else rows.slice(*self._extents.get(model, (0, 0)))).collect()

        return self.guarded(values)

    def guarded(self, read: Callable[[], Read]) -> Read:
        """What `read` returns; `DataError` if it fails, or the file is not in its first state after it."""
        try:
            found = read()
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
            self._refuse_change()
            raise DataError(f"{self.path}: cannot be read: {_first_line(error)}", AGAIN) from None
        self._refuse_change()
        return found

    def _refuse_change(self) -> None:
        if self._state != _state(self.path):
            raise DataError(f"{self.path} changed after its hash was checked", "try again when no other program writes to the folder")

    @cached_property
    def _extents(self) -> dict[str, tuple[int, int]]:
        """The first row and the number of rows of each model, whose rows stand together."""
        models = pl.scan_parquet(self.path, glob=False).select(pl.col("model").rle()).unnest("model").collect()
        ends = models["len"].cum_sum().to_list()
        return {model: (end - length, length) for model, length, end in zip(models["value"], models["len"], ends, strict=True)}


def _state(path: Path) -> tuple[int, ...] | None:
    """Size, time of change and identity of a file; `None` if there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev
