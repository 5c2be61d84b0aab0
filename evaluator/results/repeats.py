"""Combine several runs of a model, or several folds, into one result: means, standard deviations, and the single values.

At the end, infinite values become missing values, and the notes say so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from statistics import stdev
from typing import Any, Final

import polars as pl
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from ..checks import CHECKS, SEVERITIES, Finding
from .description import Description
from .result import Counts, Input, Result, Row
from .row import Candidates, Protocol

_OF_USERS: Final = ("test", "relevant", "listed", "averaged", "untested", "empty")
"""The numbers of users in `Counts`."""


def over_runs(result: Result, runs: Mapping[str, Sequence[str]]) -> Result:
    """Combine the `runs` of each model (model → `MODEL (run NAME)`, which were evaluated as models) into one model with mean values.

    The number of users of a mean is that of the run with the fewest; `counts` are those of the first run, with those of each.
    """
    if not runs:
        return result
    places = {name: (model, name[len(model) :].removeprefix(" (run ").removesuffix(")")) for model, names in runs.items() for name in names}
    of_runs = [row for row in (*result.rows, *result.by_group) if row.model in places]
    repeated = [replace(row, model=places[row.model][0], run=places[row.model][1]) for row in of_runs]

    def collapsed(rows: Iterable[Row]) -> tuple[Row, ...]:
        return summary([_named(row, places) for row in rows], min, only=runs.keys())

    counts: dict[str, Counts] = {}
    frames: dict[str, list[pl.DataFrame]] = {}
    candidates: dict[str, Candidates] = {}
    for name, of_one in result.counts.items():
        model, run = places.get(name, (name, None))
        first = counts.setdefault(model, of_one if run is None else replace(of_one, runs=()))
        if run is not None:
            counts[model] = replace(first, runs=(*first.each, of_one))
    for name, of_model in result.candidates.items():
        candidates.setdefault(places.get(name, (name, ""))[0], of_model)
    hashes: dict[str, list[str]] = {}
    for name, of_lists in result.list_hashes.items():
        hashes.setdefault(places.get(name, (name, ""))[0], []).append(of_lists)
    for name, frame in result.per_user.items():
        model, run = places.get(name, (name, None))
        frames.setdefault(model, []).append(frame.select(pl.lit(run, dtype=pl.String).alias("run"), pl.all()))
    return replace(
        result,
        rows=collapsed(result.rows),
        by_group=collapsed(result.by_group),
        repeated=tuple(repeated),
        counts=counts,
        candidates=candidates,
        list_hashes={model: " ".join(of_runs) for model, of_runs in hashes.items()},
        per_user={model: pl.concat(of_one) for model, of_one in frames.items()},
    )


def over_folds(results: Mapping[str, Result], config: Mapping[str, Any]) -> Result:
    """Combine the results of several test sets, by name of the fold, into one result of a `config` with means over the folds.

    Numbers of users are summed over the folds.
    """
    first = next(iter(results.values()))
    of_folds = {name: [replace(row, fold=name) for row in result.long_rows] for name, result in results.items()}
    frames: dict[str, list[pl.DataFrame]] = {}
    counts: dict[str, list[Counts]] = {}
    for name, result in results.items():
        for model, frame in result.per_user.items():
            frames.setdefault(model, []).append(frame.select(pl.lit(name).alias("fold"), pl.all()))
        for model, of_one in result.counts.items():
            counts.setdefault(model, []).append(of_one)
    return replace(
        first,
        rows=summary([row for result in results.values() for row in result.rows], sum),
        by_group=summary([row for result in results.values() for row in result.by_group], sum),
        repeated=tuple(row for rows in of_folds.values() for row in rows),
        counts={model: _added(of_one) for model, of_one in counts.items()},
        higher_is_better={label: better for result in results.values() for label, better in result.higher_is_better.items()},
        per_user={model: _joined(of_one) for model, of_one in frames.items()},
        inputs=tuple(_inputs(results)),
        config=config,
        truths={name: truth for name, result in results.items() for truth in result.truths.values()},
        definitions={name: definition for result in results.values() for name, definition in result.definitions.items()},
        candidates={model: candidate for result in reversed(list(results.values())) for model, candidate in result.candidates.items()},
        list_hashes={model: " ".join(result.list_hashes.get(model, "") for result in results.values()) for model in first.list_hashes},
        remarks=(f"Values are means over {len(results)} folds; numbers of users are added up over them.", *_remarks(results)),
        findings=tuple(_findings(results)),
        enriched={f"{name}/{model}": path for name, result in results.items() for model, path in result.enriched.items()},
        description=None if first.description is None else describe_folds({name: _described(of_one) for name, of_one in results.items()}),
        failures={f"{key}.{name}": rows for name, result in results.items() for key, rows in result.failures.items()},
    )


def _joined(folds: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Join the per-user values of folds; `run` is null in a fold without runs, if another has some."""
    if not any("run" in frame.columns for frame in folds):
        return pl.concat(folds)
    run = pl.lit(None, dtype=pl.String).alias("run")
    with_run = (frame if "run" in frame.columns else frame.with_columns(run) for frame in folds)
    return pl.concat(frame.select("fold", "run", pl.exclude("fold", "run")) for frame in with_run)


def describe_folds(descriptions: Mapping[str, Description]) -> Description:
    """Combine descriptions by fold into one, in which the name of each file names its fold."""

    def fold_source(source: str, fold: str) -> str:
        return f"{source} of fold {fold}"

    return Description(
        tuple(replace(table, name=fold_source(table.name, fold)) for fold, each in descriptions.items() for table in each.tables),
        tuple(
            replace(overlap, one=fold_source(overlap.one, fold), other=fold_source(overlap.other, fold))
            for fold, each in descriptions.items()
            for overlap in each.overlaps
        ),
        tuple(dict.fromkeys(remark for each in descriptions.values() for remark in each.remarks)),
    )


def _described(result: Result) -> Description:
    assert result.description is not None
    return result.description


def summary(rows: Sequence[Row], n_users: Callable[[Iterable[int]], int], only: Iterable[str] | None = None) -> tuple[Row, ...]:
    """Combine all rows of the same model, measure, aggregate and group into one row with the mean and standard deviation of their values.

    The mean is over the rows that have a value, `repeats` is their number; the standard deviation divides by `repeats` - 1 and is `None`
    for a single one. `n_users` combines numbers of users. Rows of models that are not in `only` stay unchanged.
    """
    alike: dict[Any, list[Row]] = {}
    for row in rows:
        alike.setdefault((row.model, row.metric, row.k, row.aggregate, row.by, row.group), []).append(row)
    chosen = None if only is None else set(only)
    summed: list[Row] = []
    for same in alike.values():
        summed += same if chosen is not None and same[0].model not in chosen else [mean_row(same, n_users)]
    return tuple(summed)


def mean_row(rows: Sequence[Row], n_users: Callable[[Iterable[int]], int]) -> Row:
    """Combine rows of one measure into one with their mean; see `summary`."""
    values = [row.value for row in rows if row.value is not None]
    mean, deviation = _mean_and_deviation(values)
    shares = [row.achieved for row in rows if row.achieved is not None]
    return replace(
        rows[0],
        protocol=_protocol(rows),
        value=mean,
        n_users=n_users(row.n_users for row in rows),
        n_rows=None if rows[0].n_rows is None else n_users(row.n_rows or 0 for row in rows),
        ledger=None,
        achieved=math.fsum(shares) / len(shares) if len(shares) == len(values) and shares else None,
        repeats=len(values),
        repeats_std=deviation,
        std=None,
        least_users=min((row.n_users for row in rows if row.value is not None), default=0),
    )


def _mean_and_deviation(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Return the mean and the standard deviation of values; with infinite values the mean is not finite and the deviation `None`."""
    if not values:
        return None, None
    if not all(map(math.isfinite, values)):
        return sum(values) / len(values), None
    try:
        mean = math.fsum(values) / len(values)
    except OverflowError:  # the sum is too large for a float, the mean is not
        mean = float(sum(map(Fraction, values)) / len(values))
    return mean, stdev(values) if len(values) > 1 else None


def _protocol(rows: Sequence[Row]) -> Protocol | None:
    """Return the protocol of all rows; rules of relevance that differ between folds (by the mean of all ratings) are joined."""
    protocol = rows[0].protocol
    rules = dict.fromkeys(row.protocol.relevance for row in rows if row.protocol is not None)
    return protocol if protocol is None or len(rules) < 2 else replace(protocol, relevance=" or, in another fold, ".join(rules))


def _named(row: Row, places: Mapping[str, tuple[str, str]]) -> Row:
    return replace(row, model=places[row.model][0]) if row.model in places else row


def _added(counts: Sequence[Counts]) -> Counts:
    """Return the numbers of users summed over all folds; runs are summed one by one, if every fold has as many."""
    total = replace(counts[0], **{name: sum(getattr(of_one, name) for of_one in counts) for name in _OF_USERS})
    if isinstance(total.runs, UnsetType):
        return total
    of_folds = [of_one.each for of_one in counts]
    same = len({*map(len, of_folds)}) == 1
    return replace(total, runs=tuple(map(_added, zip(*of_folds, strict=True))) if same else UNSET)


def _inputs(results: Mapping[str, Result]) -> Iterable[Input]:
    """Yield the sources of all folds, shared sources once."""
    shared = set.intersection(*(set(result.inputs) for result in results.values()))
    yield from (source for source in next(iter(results.values())).inputs if source in shared)
    for name, result in results.items():
        yield from (replace(source, role=f"{source.role} of fold {name}") for source in result.inputs if source not in shared)


def _remarks(results: Mapping[str, Result]) -> Iterable[str]:
    """Yield the remarks that all folds share, then those of single folds with their names."""
    shared = set.intersection(*(set(result.remarks) for result in results.values()))
    yield from dict.fromkeys(remark for result in results.values() for remark in result.remarks if remark in shared)
    for name, result in results.items():
        yield from (f"fold {name}: {remark}" for remark in result.remarks if remark not in shared)


def _findings(results: Mapping[str, Result]) -> list[Finding]:
    """Return the findings of all folds with the names of the folds, ordered by severity and check."""
    checks = list(CHECKS)
    named = [replace(found, sentence=f"fold {name}: {found.sentence}") for name, result in results.items() for found in result.findings]
    return sorted(named, key=lambda found: (SEVERITIES.index(found.severity), checks.index(found.check), found.model))


def without_infinite(result: Result) -> Result:
    """Return the result with infinite values replaced by `None`; its notes say which measures have no value."""
    rows, by_group, repeated = (tuple(map(_finite, rows)) for rows in (result.rows, result.by_group, result.repeated))
    return replace(result, rows=rows, by_group=by_group, repeated=repeated)


def _finite(row: Row) -> Row:
    if row.ledger is not None and (lacking := _infinite(row.ledger, ("covered_value", "warm_value"))):
        row = replace(row, ledger=replace(row.ledger, **lacking))
    lacking = _infinite(row, ("value", "std", "achieved", "repeats_std"))
    return replace(row, **lacking) if lacking else row


def _infinite(record: Any, names: Sequence[str]) -> dict[str, None]:
    """Return the fields of a record that are infinite, each mapped to `None`."""
    return {name: None for name in names if (number := getattr(record, name)) is not None and not isfinite(number)}
