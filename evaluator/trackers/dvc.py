"""Write files that DVC reads; its library is not needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..render.forms import as_csv, as_json
from ..results.result import Result
from ..storage.csv_rows import csv_rows
from ..storage.overwriting import InputPath, Target
from ..storage.stage import Stage
from .tracker import MeasuredValue, as_identifiers, gates_word, measures, measures_of, numbers_of, points_by_model


class DvcFiles:
    """Write metrics.json, plots/METRIC.csv of metrics with several cut-offs, and the dvc.yaml that names them."""

    def __init__(self, folder: Path, inputs: Sequence[InputPath]) -> None:
        self._folder, self._inputs = folder, inputs

    def log(self, result: Result, files: Mapping[str, bytes]) -> str:
        """Write the files; return the folder."""
        self._write({**files, **_own_files(result)})
        return str(self._folder)

    def log_step(self, values: Mapping[str, Sequence[MeasuredValue]], step: int) -> str:
        """Write metrics.json of the step, and add a row to steps/MEASURE.csv, without rows of this step and later ones."""
        names, models = as_identifiers(measures_of(values)), as_identifiers(values)
        columns = _columns(models, "step")
        rows: dict[str, dict[str, Any]] = {label: {"step": step} for label in names}
        for model, of_model in values.items():
            for value in of_model:
                rows[value.label][columns[model]] = value.value
        tables = {}
        for label, row in rows.items():
            path = f"steps/{names[label]}.csv"
            tables[label] = path, [*(earlier for earlier in csv_rows(self._folder / path) if int(earlier["step"]) < step), row]
        numbers = {models[model]: numbers_of(of_model, names, "_") for model, of_model in values.items()}
        self._write({"metrics.json": as_json({"step": step, **numbers}), **_plots("step", tables)})
        return f"{self._folder}, step {step}"

    def _write(self, files: Mapping[str, bytes]) -> None:
        paths = {self._folder / name: content for name, content in files.items()}
        names = {path.name for path in paths}
        targets = [
            Target(f"track.dvc.dir: {self._folder}", folder, names.__contains__, is_local=True)
            for folder in dict.fromkeys(path.parent for path in paths)
        ]
        with Stage(targets, self._inputs) as stage:
            stage.commit(paths)


def _own_files(result: Result) -> dict[str, bytes]:
    names, models = as_identifiers(measures(result)), as_identifiers(result.models)
    points, columns = points_by_model(result), _columns(models, "k")
    values: dict[str, Any] = {models[model]: {names[value.label]: value.value for value in of} for model, of in points.items()}
    rows: dict[str, dict[int, dict[str, Any]]] = {}
    for model, of in points.items():
        for value in of:
            if value.row.k is not None and value.row.aggregate == "mean":
                rows.setdefault(value.row.metric, {}).setdefault(value.row.k, {"k": value.row.k})[columns[model]] = value.value
    plotted = {metric: list(by_k.values()) for metric, by_k in rows.items() if len(by_k) > 1}
    tables = {metric: (f"plots/{name}.csv", plotted[metric]) for metric, name in as_identifiers(plotted).items()}
    back = {"measures": {name: label for label, name in names.items()}, "models": {name: model for model, name in models.items()}}
    return {
        "metrics.json": as_json(values),
        "names.json": as_json({**back, "gates": gates_word(result)}),
        **_plots("k", tables),
    }


def _columns(models: Mapping[str, str], x: str) -> dict[str, str]:
    """Return model → column; a model that is named like the column `x` has a line before its name, which no other name has."""
    return {model: f"_{name}" if name == x else name for model, name in models.items()}


def _plots(x: str, tables: Mapping[str, tuple[str, Iterable[Mapping[str, Any]]]]) -> dict[str, bytes]:
    """Return the tables (title → path and rows) as CSV with a column per model, and the dvc.yaml that names them.

    DVC draws a line for each column; it would draw one line through the rows of several models.
    """
    plots, files = [], {}
    for title, (path, rows) in tables.items():
        columns = list(dict.fromkeys(column for row in rows for column in row))
        files[path] = as_csv([columns, *([row.get(column) for column in columns] for row in rows)])
        plots.append({path: {"x": x, "y": [column for column in columns if column != x], "title": title}})
    listed = {"metrics": ["metrics.json"], **({"plots": plots} if plots else {})}
    return {"dvc.yaml": yaml.safe_dump(listed, sort_keys=False, allow_unicode=True).encode(), **files}
