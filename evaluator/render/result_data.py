"""Results, comparisons, gates and baselines for machines, as plain values and frames, in full precision.

Per-user values have a row for every user and model, sorted by user within a model; in the long form one for each measure, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

import polars as pl
from msgspec import to_builtins

from ..checks import CHECKS
from ..documents.differences import footnotes
from ..documents.headline import closing_of_result
from ..documents.methods import NAMES
from ..results import comparison as comparisons
from ..results.comparison import Comparison, conclusions
from ..results.gates import Gate, Verdicts
from ..results.result import FORMAT_VERSION, Result
from ..results.signature import signature_lines
from ..results.slices import FIELDS as SLICE_FIELDS
from ..results.slices import Slices
from ..results.tables import LedgerRow, ValueRow, as_frame

GATES_VERSION: Final = 2
"""The version of the JSON form. 1: with `state` and the outcome `warn`. 2: the outcomes of `results.gates`, `consequence` and `anchor`."""
_TERMS: Final = (" numerator", " denominator")
_PLACE: Final = ("model", "by", "group", "fold", "run", "over_repeats")


def values_table(result: Result) -> pl.DataFrame:
    """Return the table of values: a row for each model, measure and aggregate, and for each group, fold and run."""
    return as_frame(ValueRow, result.value_rows())


def ledger_table(result: Result) -> pl.DataFrame:
    """Return the ledger: who was counted, filled in and left out, by model and measure, where not every user simply counts."""
    return as_frame(LedgerRow, result.ledger_rows())


def wide_rows(result: Result) -> Iterator[Iterable[Any]]:
    """Yield the wide table: one line per model, one column per measure; one more per group, fold and run, and for standard deviations."""
    labels = result.labels()
    lines: dict[tuple[str | None, ...], dict[str, float | None]] = {}
    for row in result.long_rows:
        place = (row.model, row.by, row.group, row.fold, row.run)
        lines.setdefault((*place, None if row.repeats is None else "mean"), {})[row.label] = row.value
        if row.repeats is not None:
            lines.setdefault((*place, "std"), {})[row.label] = row.repeats_std
    used = [index for index in range(len(_PLACE)) if any(key[index] is not None for key in lines)]
    yield [*(_PLACE[index] for index in used), *labels]
    yield from ([*(key[index] for index in used), *(numbers.get(label) for label in labels)] for key, numbers in lines.items())


def _list_cells(result: Result, model: str) -> dict[str, Any]:
    """Return the cells of the lists of a model, each if it is known: candidates that look sampled, bounds, and fingerprint."""
    candidates = {"candidates": to_builtins(result.candidates[model])} if model in result.candidates else {}
    candidates |= {"bounds": to_builtins(result.catalogue_bounds[model])} if model in result.catalogue_bounds else {}
    return candidates | ({"lists": result.list_hashes[model]} if model in result.list_hashes else {})


def result_cells(result: Result) -> dict[str, Any]:
    """Return everything but the per-user values, as one versioned object."""
    return {
        "format_version": FORMAT_VERSION,
        "run_id": result.run_id,
        "results": [row.cells() for row in result.long_rows],
        "ledger": to_builtins(result.ledger_rows()),
        "models": [{"model": model, "users": to_builtins(counts), **_list_cells(result, model)} for model, counts in result.counts.items()],
        **({"catalogue_orders": to_builtins(result.catalogue_orders)} if result.catalogue_orders else {}),
        "yardsticks": list(result.yardsticks),
        "definitions": to_builtins(dict(result.definitions)),
        "signatures": signature_lines(result),
        "truth": to_builtins(dict(result.truths)),
        "user_groups": list(result.user_groups),
        **cells_of_checks(result),
        **gate_cells(result.gates),
        "conclusions": to_builtins(result.conclusions),
        "headline": closing_of_result(result),
        "notes": list(result.notes()),
        "remarks": list(result.remarks),
        "inputs": to_builtins(result.inputs),
        "config": result.config,
        "versions": result.versions,
    }


def findings(result: Result) -> dict[str, Any]:
    """Return the findings of the health checks, and their files."""
    return {"format_version": FORMAT_VERSION, **cells_of_checks(result), "inputs": to_builtins(result.inputs)}


def cells_of_checks(result: Result) -> dict[str, Any]:
    """Return the checks that ran, and their findings."""
    made = [check for check in CHECKS if result.examined and check not in result.unmade]
    found = [finding.cells() for finding in result.findings]
    return {"checks": {"examined": result.examined, "made": made, "not_made": dict(result.unmade)}, "findings": found}


def user_values(result: Result) -> pl.DataFrame:
    """Return the per-user values; undefined values are NaN, missing ones null."""
    # Reference lists may lack a measure, and then also its numerator and denominator.
    frames = [frame.select(pl.lit(model).alias("model"), pl.all()) for model, frame in result.per_user.items()]
    return pl.concat(frames, how="diagonal")


def user_table(result: Result, *, long: bool | None = None) -> pl.DataFrame:
    """Return the per-user values in the long form or the wide one, by default in that of the config."""
    return user_rows(result) if (is_long(result.config) if long is None else long) else user_values(result)


def is_long(config: Mapping[str, Any]) -> bool:
    """Return whether a resolved config asks for the long form of per-user values."""
    asked = config.get("output", {}).get("per_user", ())
    return not isinstance(asked, bool) and "long" in asked


def user_rows(result: Result) -> pl.DataFrame:
    """Return the per-user values with a row for each model, measure and user, in this order.

    The columns are `model`, `fold` and `run` if there are some, `user`, `n_relevant`, `n_recommended`, the groups of the user, `measure`,
    `value`, and with pooled measures or weighted means `numerator` and `denominator`. The value of a user who does not count is null, an
    undefined value is NaN.
    """
    of_users, frames = ("fold", "run", "user", "n_relevant", "n_recommended", *result.user_groups), []
    for model, frame in result.per_user.items():
        own = [pl.lit(model).alias("model"), *(pl.col(name) for name in of_users if name in frame.columns)]
        for measure in (name for name in frame.columns if name not in of_users and not name.endswith(_TERMS)):
            terms = [pl.col(measure + term).cast(pl.Float64).alias(term[1:]) for term in _TERMS if measure + term in frame.columns]
            value = pl.col(measure).cast(pl.Float64).alias("value")
            frames.append(frame.select(*own, pl.lit(measure).alias("measure"), value, *terms))
    return pl.concat(frames, how="diagonal")


def with_values(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows of `user_rows` as Spark's workers write them into a table: only those with a value, without groups and terms."""
    wanted = ("model", "fold", "run", "user", "n_relevant", "n_recommended", "measure", "value")
    kept = rows.select(name for name in wanted if name in rows.columns).drop_nulls("value")
    return kept.with_columns(pl.col("n_relevant", "n_recommended").cast(pl.Int64))


def comparison_cells(comparison: Comparison) -> dict[str, Any]:
    """Return everything as plain values; see `comparison.FORMAT_VERSION`."""
    tests = [difference.test for difference in (*comparison.differences, *comparison.by_group)]
    losers = [{"model": model, "measure": measure, "users": frame.to_dicts()} for (model, measure), frame in comparison.losers.items()]
    return {
        "format_version": comparisons.FORMAT_VERSION,
        "base": comparison.base,
        "models": list(comparison.models),
        "paired": comparison.paired,
        "judged": list(comparison.judged),
        "settings": to_builtins(comparison.settings),
        "methods": {method: NAMES[method] for method in dict.fromkeys(filter(None, tests)) if method in NAMES},
        "conclusions": conclusions(comparison),
        "comparisons": [difference.cells() for difference in comparison.differences],
        "by_group": [difference.cells() for difference in comparison.by_group],
        "letters": {measure: dict(letters) for measure, letters in comparison.letters.items()},
        **({"losers": losers} if losers else {}),
        **({"slices": comparison.slices.cells()} if comparison.slices is not None else {}),
        "notes": list(footnotes(comparison)),
    }


def comparison_rows(comparison: Comparison) -> list[list[Any]]:
    """Return a head, and one line per difference, over all users and within groups."""
    rows = [difference.cells() for difference in (*comparison.differences, *comparison.by_group)]
    return [list(rows[0]), *([" ".join(cell) if isinstance(cell, tuple) else cell for cell in row.values()] for row in rows)]


def losers(comparison: Comparison) -> pl.DataFrame:
    """Return the users with the largest losses: model, measure, user (as text), base, model_value, difference."""
    frames = []
    for (model, measure), frame in comparison.losers.items():
        named = (pl.lit(model).alias("model"), pl.lit(measure).alias("measure"), pl.col("user").cast(pl.String))
        frames.append(frame.select(*named, "base", pl.col("model").alias("model_value"), "difference"))
    return pl.concat(frames)


def own_cells(record: Any) -> Any:
    """Return a record that knows its JSON form, a history or a leaderboard, as plain values."""
    return record.cells()


def slice_cells(slices: Slices) -> dict[str, Any]:
    """Return a search for slices as plain values."""
    return slices.cells()


def slice_table(slices: Slices) -> pl.DataFrame:
    """Return a row for each tested slice."""
    text, integer, number = pl.String(), pl.Int64(), pl.Float64()
    whole = ("n_users", "n_confirming", "n_apart")
    names = ("measure", "base", "model", "slice", *SLICE_FIELDS)
    kinds = {name: text if name in (*names[:4], "direction") else integer if name in whole else number for name in names}
    return pl.DataFrame(slices.rows(), schema={**kinds, "confirmed": pl.Boolean()}, orient="row")


def gate_cells(gates: Sequence[Gate]) -> dict[str, Any]:
    """Return the gates as plain values; empty if none was judged."""
    return {"gates": to_builtins(list(gates))} if gates else {}


def verdict_cells(gates: Sequence[Gate], *, strict: bool = False) -> dict[str, Any]:
    """Return the gates, and whether they failed, as in the exit code."""
    verdicts = Verdicts(tuple(gates))
    return {"format_version": GATES_VERSION, "failed": verdicts.failed(strict), "summary": verdicts.summary(), **gate_cells(gates)}


def baseline_cells(result: Result, name: str) -> dict[str, Any]:
    """Return the contents of a folder of results."""
    return {
        "baseline": name,
        "models": list(result.models),
        "truth": to_builtins(dict(result.truths)),
        "values": [{"model": row.model, "measure": row.label, "value": row.value, "n_users": row.n_users} for row in result.rows],
        "values_of_users": bool(result.per_user),
        "gates_failed": Verdicts(result.gates).failed() if result.gates else None,
        "checks_failed": result.failed() if result.examined else None,
        "versions": dict(result.versions),
    }
