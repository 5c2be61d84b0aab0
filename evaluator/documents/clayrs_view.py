"""`my_dict`, a view of a result for templates written for ClayRS: metrics by class name with their parameters, and interactions."""

from __future__ import annotations

from typing import Any, Final

from ..results.measure_definition import MeasureDefinition
from ..results.result import Result

_CLASSES: Final = {"F1": "FMeasure", "nDCG": "NDCG", "Gini": "GiniIndex", "ItemCoverage": "CatalogCoverage"}
_AT_K: Final = ("Precision", "Recall", "FMeasure", "NDCG", "MRR", "MAP")
"""Classes whose name ends with AtK if the metric has a cut-off."""
_GAINS: Final = {"exp2": "exponential", "linear": "linear"}


def clayrs_view(result: Result) -> dict[str, Any]:
    """Return `metrics` (class name → parameters and the value of each model) and `interactions` (numbers of the test set)."""
    metrics: dict[str, dict[str, Any]] = {}
    for row in result.rows:
        definition = result.definitions.get(row.metric)
        if definition is None or definition.metric == "formula":
            continue
        plain = _CLASSES.get(definition.metric, definition.metric)
        name = f"{plain}AtK" if row.k is not None and plain in _AT_K else plain
        known = metrics.setdefault(name, {**_parameters(definition), **({"k": row.k} if row.k is not None else {}), "values": {}})
        known["values"].setdefault(row.model, row.value)
    return {"metrics": metrics, "interactions": _interactions(result)}


def _parameters(definition: MeasureDefinition) -> dict[str, Any]:
    """Return the parameters of a class of ClayRS; without a threshold it is the mean rating of each user."""
    found = {} if definition.threshold is None else {"relevant_threshold": f"{definition.threshold:g}"}
    found |= {"sys_average": "micro" if definition.average == "micro" else "macro"}
    found |= {"beta": f"{float(definition.params['beta']):g}"} if "beta" in definition.params else {}
    return found | ({"gains": _GAINS.get(str(definition.axes["ndcg_gain"]), "linear")} if "ndcg_gain" in definition.axes else {})


def _interactions(result: Result) -> dict[str, Any]:
    """Return the numbers of the test set that the result has: all of them if its files were described."""
    tables = {} if result.description is None else {table.name: table for table in result.description.tables}
    if (test := tables.get("test")) is None:
        counts = next(iter(result.counts.values()), None)
        rows = [source.rows for source in result.inputs if source.role == "data.test"]
        return {"n_users": counts.test if counts else 0, **({"total_interactions": rows[0]} if rows else {})}
    found: dict[str, Any] = {"n_users": test.users, "n_items": test.items, "total_interactions": test.rows}
    found |= {} if test.density is None else {"sparsity": 1 - test.density}
    ratings = test.numbers
    if ratings is not None:
        found |= {"min_score": ratings.least, "mean_score": ratings.mean, "max_score": ratings.most}
    return found
