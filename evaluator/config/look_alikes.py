"""Evaluation blocks that another program could have written, and that have none of the keys which only that program has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from .. import conventions
from .dialects import CLAYRS_CLASSES, PROGRAMS

_SHARED: Final = frozenset({"top_k", "metrics", "complex_metrics"})
"""The keys of receval's that WarpRec has too; RELISON and ClayRS have `metrics` around theirs where they stand in a config of receval's."""
_PART: Final = "metric_name_1"


def doubt(evaluation: Any) -> str:
    """A sentence that says how a block is read and how else it could be, if another program could have written it; else nothing."""
    if not isinstance(evaluation, Mapping) or not evaluation.keys() <= _SHARED:
        return ""
    programs = [dialect for dialect, could_be in _TESTS.items() if could_be(evaluation)]
    if not programs:
        return ""
    written_for, names = " or ".join(PROGRAMS[dialect] for dialect in programs), " or ".join(programs)
    return f"The evaluation is read under the convention receval; if it was written for {written_for}, write convention: {names}."


def _could_be_warprec(evaluation: Mapping[str, Any]) -> bool:
    """Lists of plain names, cut-offs as a list, and combinations with the parameters that WarpRec gives them."""
    library = conventions.load("warprec")

    def names(value: Any) -> bool:
        known = isinstance(value, str) and (value in library.metrics or any(re.fullmatch(spelled, value) for spelled in library.spellings))
        return known and "@" not in value and "(" not in value

    def combines(value: Any) -> bool:
        params = value.get("params") if isinstance(value, Mapping) else None
        return isinstance(params, Mapping) and _PART in params

    metrics, combined = evaluation.get("metrics") or [], evaluation.get("complex_metrics") or []
    if not isinstance(metrics, list) or not isinstance(combined, list) or not isinstance(evaluation.get("top_k", []), list):
        return False
    return bool(metrics or combined) and all(map(names, metrics)) and all(map(combines, combined))


def _could_be_relison(evaluation: Mapping[str, Any]) -> bool:
    """A mapping from RELISON's metrics to grids of cut-offs."""
    metrics, library = evaluation.get("metrics"), conventions.load("relison")
    if not isinstance(metrics, Mapping) or evaluation.keys() != {"metrics"} or not metrics:
        return False
    return all(name in library.metrics and isinstance(body, Mapping) and body.keys() == {"cutoff"} for name, body in metrics.items())


def _could_be_clayrs(evaluation: Mapping[str, Any]) -> bool:
    """A list of ClayRS' classes; its own blocks have no cut-offs for all metrics."""
    metrics = evaluation.get("metrics")
    return (
        evaluation.keys() == {"metrics"} and isinstance(metrics, list) and bool(metrics) and all(name in CLAYRS_CLASSES for name in metrics)
    )


_TESTS: Final = {"warprec": _could_be_warprec, "relison": _could_be_relison, "clayrs": _could_be_clayrs}
