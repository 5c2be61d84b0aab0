"""A folder that a run wrote → its `Result`: what `output.data` wrote is read, and nothing else."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl
from msgspec import convert

from ..checks import Finding
from ..errors import DataError
from ..names.aggregate_names import is_spread
from ..results import ledger, protocol
from ..results.definition import MeasureDefinition, TruthFingerprint
from ..results.description import Description
from ..results.gates import Gate, in_this_version
from ..results.ledger import Ledger
from ..results.protocol import Protocol
from ..results.result import FORMAT_VERSION, Counts, Input, Result, Row
from ..results.users import StoredUsers

RESULTS: Final = "results.json"
PROVEN: Final = "manifest.json"
USERS: Final = "per_user.parquet"
_AGAIN: Final = "evaluate again with receval run CONFIG -o FOLDER/"


def load(folder: Path | str) -> Result:
    """Read the folder that `receval run -o FOLDER/` wrote; the values of users are read when they are looked at.

    `DataError` if it is no such folder, is not whole (a file is missing, or is not the one that the manifest names), or was written by
    another version whose results cannot be read.
    """
    folder = Path(folder).expanduser()
    manifest, content = _json(folder / PROVEN, folder), _json(folder / RESULTS, folder)
    _refuse_other_versions(content, folder)
    files = _proven(manifest, folder)
    try:
        return _result(content, manifest, _users(folder, files, content))
    except (LookupError, TypeError, ValueError) as error:
        raise DataError(f"{folder / RESULTS}: this is not what receval wrote: {_first_line(error)}", _AGAIN) from None


def is_result_folder(path: Path) -> bool:
    """Whether a path looks like a folder that a run wrote."""
    return os.path.isdir(path) and os.path.isfile(path / PROVEN)


def _json(path: Path, folder: Path) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except (FileNotFoundError, NotADirectoryError):
        if not os.path.isdir(folder):
            raise DataError(f"{folder}: there is no such folder", "give the folder that receval run -o FOLDER/ wrote") from None
        raise DataError(f"{folder}: there is no {path.name}, so this is no folder of results", _AGAIN) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise DataError(f"{path}: this is no JSON: the file is damaged", _AGAIN) from None
    if not isinstance(content, dict):
        raise DataError(f"{path}: this is not what receval wrote", _AGAIN)
    return content


def _refuse_other_versions(content: Mapping[str, Any], folder: Path) -> None:
    version = content.get("format_version")
    if version != FORMAT_VERSION:
        older = isinstance(version, int) and version < FORMAT_VERSION
        who = "an earlier receval" if older else "a later receval" if isinstance(version, int) else "another program"
        raise DataError(f"{folder}: the results were written by {who} (format {version}; this one reads {FORMAT_VERSION})", _AGAIN)


def _proven(manifest: Mapping[str, Any], folder: Path) -> set[str]:
    """The names of the files that the manifest names; `DataError` unless the ones that are read are those."""
    try:
        outputs = {output["path"]: (output["bytes"], output["sha256"]) for output in manifest["outputs"]}
    except (LookupError, TypeError):
        raise DataError(f"{folder / PROVEN}: this is not what receval wrote", _AGAIN) from None
    for name in (RESULTS, USERS):
        path = folder / name
        if name not in outputs:
            if name == RESULTS:
                raise DataError(f"{folder / PROVEN}: it does not name {RESULTS}", _AGAIN)
            continue
        if not os.path.isfile(path):
            raise DataError(f"{folder}: {name} is missing, which the manifest names", _AGAIN)
        if path.stat().st_size != outputs[name][0] or (name == RESULTS and _hash(path) != outputs[name][1]):
            raise DataError(f"{path}: this is not the file that the manifest names: the folder is not whole", _AGAIN)
    return set(outputs)


def _hash(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _first_line(error: Exception) -> str:
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
    )


def _row(cells: Mapping[str, Any], definitions: Mapping[str, MeasureDefinition]) -> Row:
    own = {name: value for name, value in cells.items() if name not in (*ledger.COLUMNS, *protocol.COLUMNS, "few_users")}
    users = {name: cells[name] for name in ledger.COLUMNS}
    rules = {name: cells[name] for name in protocol.COLUMNS}
    return Row(
        **own,
        higher_is_better=None if is_spread(cells["aggregate"]) else definitions[cells["metric"]].higher_is_better,
        ledger=None if users["in_truth"] is None else Ledger(**users),
        protocol=None if rules["convention"] is None else Protocol(**rules),
    )


def _finding(cells: Mapping[str, Any]) -> Finding:
    return convert({name: value for name, value in cells.items() if name != "share"}, Finding)


def _extents(path: Path) -> dict[str, tuple[int, int]]:
    """The first row and the number of rows of each model, whose rows stand together."""
    models = pl.scan_parquet(path, glob=False).select(pl.col("model").rle()).unnest("model").collect()
    ends = models["len"].cum_sum().to_list()
    return {model: (end - length, length) for model, length, end in zip(models["value"], models["len"], ends, strict=True)}


def _users(folder: Path, files: set[str], content: Mapping[str, Any]) -> Mapping[str, pl.DataFrame]:
    """The values of users, where the folder has them as Parquet."""
    if USERS not in files:
        return {}
    path = folder / USERS
    try:
        names = tuple(pl.scan_parquet(path, glob=False).collect_schema())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"{path}: cannot be read: {_first_line(error)}", _AGAIN) from None
    own = names[1:]

    extents: dict[str, tuple[int, int]] = {}
    is_only = len(content["models"]) == 1

    def read(model: str, wanted: Sequence[str] | None) -> pl.DataFrame:
        rows = pl.scan_parquet(path, glob=False).select(own if wanted is None else wanted)
        if is_only:
            return rows.collect()
        if not extents:
            extents.update(_extents(path))
        first, length = extents.get(model, (0, 0))
        return rows.slice(first, length).collect()

    return StoredUsers(dict.fromkeys((model["model"] for model in content["models"]), own), read)
