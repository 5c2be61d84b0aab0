"""Results of one measure in memory, and gates on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from msgspec.structs import asdict
from receval.config.judgement import Compare, Gates
from receval.gates.demands import Baseline, Bases, Demands
from receval.gates.judging import judge
from receval.results.gates import Gate
from receval.results.measure_definition import MeasureDefinition
from receval.results.result import Counts, Result, Row, TruthFingerprint

Values = Mapping[str, Sequence[float]]


def result_of(models: Values, users: Sequence[int] | None = None, metric: str = "nDCG", groups: Sequence[str] = ()) -> Result:
    """Return the result of models with these per-user values; NaN is a user without a value."""
    n = len(next(iter(models.values())))
    ids = list(range(n) if users is None else users)
    better = metric != "RMSE"
    label = metric if metric == "RMSE" else f"{metric}@10"
    k = None if metric == "RMSE" else 10
    rows, by_group, per_user = [], [], {}
    for model, given in models.items():
        values = np.array(given, dtype=float)
        rows.append(_row(model, metric, k, better, values))
        for group in dict.fromkeys(groups):
            within = values[[name == group for name in groups]]
            by_group.append(Row(**{**asdict(_row(model, metric, k, better, within)), "by": "users.plan", "group": group}))
        columns = {"user": ids, "n_relevant": [1] * n, "n_recommended": [10] * n, **({"users.plan": list(groups)} if groups else {})}
        per_user[model] = pl.DataFrame({**columns, label: values})
    return Result(
        rows=tuple(rows),
        counts={model: Counts(n, n, n, n) for model in models},
        higher_is_better={label: better},
        per_user=per_user,
        inputs=(),
        config={},
        remarks=(),
        versions={},
        by_group=tuple(by_group),
        definitions={metric: MeasureDefinition(metric, "receval", better)},
        truths={"": TruthFingerprint(n, n, "same")},
        user_groups=("users.plan",) if groups else (),
    )


def _row(model: str, metric: str, k: int | None, better: bool, values: np.ndarray) -> Row:
    known = values[np.isfinite(values)]
    std = float(known.std(ddof=1)) if len(known) > 1 else None
    return Row(model, metric, k, "mean", float(known.mean()) if len(known) else None, len(known), better, std=std)


def gates(
    today: Result, *rules: object, base: Result | Baseline | str | None = None, anchor: Result | Baseline | None = None, **section: object
) -> tuple[Gate, ...]:
    """Judge a result against another one, or against one of its models; return its gates."""
    baseline = Baseline(base) if isinstance(base, str) else Baseline("main", base) if isinstance(base, Result) else base
    spring = Baseline("spring", anchor, is_anchor=True) if isinstance(anchor, Result) else anchor
    anchors = {} if spring is None else {"": spring}
    demands = Demands.from_config(Gates.model_validate({"rules": rules, **section}), Compare(), Bases(baseline, anchors))
    return judge(today, demands).gates


def gate(base: Sequence[float], today: Sequence[float], rule: object, metric: str = "nDCG", **section: object) -> Gate:
    """Judge one rule for one model."""
    (one,) = gates(result_of({"home": today}, metric=metric), rule, base=result_of({"home": base}, metric=metric), **section)
    return one
