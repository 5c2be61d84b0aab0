"""Write files that DVC reads; its library is not needed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from ..disk.stage import Stage
from ..render.forms import as_csv, as_json, is_spreadsheet_safe
from ..results.result import Result
from .tracker import as_identifiers, gates_word, measures, points_by_model

_HEADER = ["k", "model", "value"]


class DvcFiles:
    """Write metrics.json, plots/METRIC.csv of metrics with several cut-offs, and the dvc.yaml that names them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def log(self, result: Result, files: Mapping[str, bytes]) -> str:
        """Write the files; return the folder."""
        made = self._own_files(result)
        folders = dict.fromkeys((self._folder / name).parent for name in made)
        with Stage(folders) as stage:
            stage.commit({self._folder / name: content for name, content in {**files, **made}.items()})
        return str(self._folder)

    def _own_files(self, result: Result) -> dict[str, bytes]:
        safe = is_spreadsheet_safe(result)
        names, models = as_identifiers(measures(result)), as_identifiers(result.models)
        points = points_by_model(result)
        values: dict[str, Any] = {models[model]: {names[one.label]: one.value for one in of} for model, of in points.items()}
        rows: dict[str, list[list[Any]]] = {}
        for model, of in points.items():
            for one in of:
                if one.row.k is not None and one.row.aggregate == "mean":
                    rows.setdefault(one.row.metric, []).append([one.row.k, model, one.value])
        plotted = {metric: lines for metric, lines in rows.items() if len({line[0] for line in lines}) > 1}
        paths = {metric: f"plots/{name}.csv" for metric, name in as_identifiers(plotted).items()}
        plots = [{path: {"x": "k", "y": "value", "title": metric}} for metric, path in paths.items()]
        found = {"metrics": ["metrics.json"], **({"plots": plots} if plots else {})}
        back = {"measures": {name: label for label, name in names.items()}, "models": {name: model for model, name in models.items()}}
        return {
            "metrics.json": as_json(values),
            "names.json": as_json({**back, "gates": gates_word(result)}),
            "dvc.yaml": yaml.safe_dump(found, sort_keys=False, allow_unicode=True).encode(),
            **{path: as_csv([_HEADER, *plotted[metric]], spreadsheet_safe=safe) for metric, path in paths.items()},
        }
