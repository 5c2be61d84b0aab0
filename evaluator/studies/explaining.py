"""Explain the value of one user of one model: run the same measure over the rows of that user only.

`Recorder` records the tables that the body of the metric reads, with the term of each row.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ..config import Loaded, missing
from ..conventions import AXES, PROTOCOL, load
from ..evaluation.files import Files, open_inputs
from ..evaluation.plan import Plan, Request
from ..evaluation.user_ids import id_in, unknown_user
from ..metrics.catalogue import formula_text
from ..metrics.definition import Definition
from ..metrics.measure import Ratio, plain
from ..metrics.settings_read import axes_read, meaning_of_value
from ..results.explanation import CellValue, ExplainedChoice, ExplainedTable, Explanation, Total
from ..scoring.model_level_sums import CollectSums
from ..scoring.per_user import GroupValues, Scorer, within_numbers
from ..scoring.task import HITS, MeasureGroup, group_measures
from ..support.errors import ConfigError, DataError
from ..tables.array import Array
from ..tables.graph import TABLES
from ..tables.lists import Reading
from ..tables.prepared import GroupBy
from ..tables.rows import LISTS, Cutoffs, PartData, Rows
from ..tables.truth import TruthTable
from .explained_rows import test_rows, values_by_group


def explain(loaded: Loaded, measure: str, user: str, model: str | None = None) -> Explanation:
    """Explain the value of `measure` (at the first of the config's cut-offs if it names none) for `user` under `model`.

    `model` may be left out if there is only one. Raises `ConfigError` if the measure or the model is wrong, `DataError` if no file
    holds the user, and what `run` raises.
    """
    try:
        definition = loaded.config.evaluation.define(measure)
    except ValueError as error:
        raise ConfigError(f"{measure}: {error}") from None
    for problem in missing(definition, loaded.config.data):
        raise ConfigError(problem)
    if definition.metric.per_model:
        raise ConfigError(f"{definition.label} is one value per model, not per user that could be explained")

    def explain_files(files: Files) -> Explanation:
        (only,) = files.inputs.models
        written = id_in(files.inputs, user)
        if written is None:
            raise unknown_user(user, files.sides["test"].users)
        scorer = Scorer.for_part(files.prepared, PartData(user_frames(files, only, written)))
        if not scorer.part.n_users:
            raise unknown_user(user, files.sides["test"].users)
        return explain_user(scorer, definition, only, user, files.request.plan.by)

    of_rows = {part.name: part for by in loaded.config.evaluation.by for part in by.crossed if part.kind == "rows"}
    request = Request(loaded, Plan((definition,), by=tuple(of_rows.values())), whole_lists=True)
    return open_inputs(request, explain_files, only=lambda inputs: inputs.single(model))


def explain_user(scorer: Scorer, definition: Definition, model: str, user: str, by: Sequence[GroupBy] = ()) -> Explanation:
    """Explain the value of a measure for the only user of a part.

    `scorer` belongs to a part with the rows of this user in all sources; `user` is the id as the caller wrote it, and `by` are
    groupings of test rows. Raises `DataError` if
    no source has a row of the user.
    """
    if not scorer.part.n_users:
        raise DataError(f"no file contains the user {user!r}")
    assert scorer.part.n_users == 1, "only one user can be explained at a time"
    (whole,) = group_measures((definition,))
    values = scorer.values(whole, CollectSums())
    counts = bool(values.counted_mask[0])

    def body(group: MeasureGroup, recorder: Recorder | None = None) -> Any:
        """Return the value of the body of a metric, while `recorder` records the tables and counts that it reads."""
        parts = tuple(np.broadcast_to(plain(body(part)), (1, 1)) for part in group.components)
        measure = scorer.measure(group, scorer.choice(group.first), CollectSums(), values.counted_mask, parts)
        with within_numbers(group, CollectSums()):
            return group.metric.define(replace(measure, trace=recorder))

    def explanation(group: MeasureGroup) -> Explanation:
        """Explain one metric: the measure itself, or a part of it that it combines."""
        parts = tuple(explanation(part) for part in group.components)
        first, recorder, is_part = group.first, Recorder(), group is not whole
        made = body(group, recorder)
        value, reason = (_number(plain(made)) if counts else None, "") if is_part else value_or_reason(first, values)
        ratio = made if isinstance(made, Ratio) and counts else None
        reading: Reading = scorer.tables.get("reading", scorer.choice(first))
        if value is not None and not is_part and not len(reading) and recorder.reads("hits"):
            reason = f"no list; missing_lists: {first.user_rules.missing_lists}"
        return Explanation(
            measure=first.label,
            model=model,
            user=user,
            convention=first.convention,
            formula=formula_text(first.metric, first.params),
            steps=recorder.tables(reading, among_rated=str(first.axes["positions"]).startswith("among_")),
            facts=tuple(recorder.counts.items()) if counts else (),
            numerator=None if ratio is None else _number(ratio.numerator),
            denominator=None if ratio is None else _number(ratio.denominator),
            value=value,
            reason=reason,
            choices=_choices(first, is_part),
            components=parts,
            missed=_missed(scorer, first) if recorder.reads("hits") else (),
        )

    named = {grouping.name: grouping for grouping in definition.row_groupings}
    shown = tuple({**named, **{grouping.name: grouping for grouping in by}}.values())
    weighted = ((f"weight of the user, {definition.weights}", float(scorer.weights[0])),) if definition.weights else ()
    explained = explanation(whole)
    return replace(
        explained,
        facts=(*explained.facts, *weighted),
        test_rows=test_rows(scorer, definition, shown),
        by_group=tuple(values_by_group(scorer, definition, by)),
    )


def value_or_reason(definition: Definition, values: GroupValues) -> tuple[float | None, str]:
    """Return the user's value in the results, or the reason why there is none."""
    value, rules = _number(values.values), definition.user_rules
    if math.isinf(value):
        return None, "the value is not defined for this user, so the mean is not defined either"
    if not math.isnan(value):
        return value, ""
    if values.counted_mask[0] and rules.no_hits != "zero":
        return None, "the user has no hit, and is left out"
    if values.counted_mask[0]:
        return None, "the value is not defined for this user, who is left out"
    if not values.n_relevant[0] and rules.no_relevant == "drop":
        counts = "counts 0 in the mean over all users of data.train" if rules.divisor == "train_users" else "is left out"
        return None, f"the user has no relevant item in the test file, and {counts}"
    return None, "the user has no list, and is left out" if rules.missing_lists == "drop" else "the user is left out"


def _missed(scorer: Scorer, definition: Definition) -> tuple[tuple[str, int | None], ...]:
    """Return the relevant items that are not hits above the cut-off: those below it by rank, then those that are not in the list."""
    truth: TruthTable = scorer.tables.get("truth_table", scorer.choice(definition))
    rows: Rows = scorer.tables.get("hits", scorer.choice(definition))
    ranks = dict(zip(*_cells(rows, np.arange(len(rows))), strict=True))
    relevant = truth.pairs.item.filter(pl.Series(truth.relevant))
    below = sorted((rank, str(item)) for item, rank in ranks.items() if definition.k is not None and rank > definition.k)
    return (*((item, rank) for rank, item in below), *((str(item), None) for item in relevant if item not in ranks))


def _number(value: Array) -> float:
    return float(np.reshape(value, -1)[0])


def _choices(definition: Definition, is_part: bool) -> tuple[ExplainedChoice, ...]:
    """Return the settings of the formula, and, unless the measure is part of another, those of the protocol that differ from receval's."""

    def choice(name: str, axis: str) -> ExplainedChoice:
        known, value = AXES[axis], definition.axes[axis]
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        meant = meaning_of_value(axis, shown, bool(definition.components))
        meaning = f"{known.decides}: {meant}" if meant else known.decides
        return ExplainedChoice(name, shown, meaning)

    metric = definition.metric
    read = axes_read([(part.metric, part.params) for part in definition.all], definition.axes, definition.population, definition.average)
    threshold = definition.truth.threshold if "threshold" in read else None
    choices = [choice(key, axis) for key, axis in metric.axes.items() if axis in read]
    choices += [ExplainedChoice(key, f"{value:g}", metric.numbers[key].means) for key, value in definition.numbers.items()]
    choices += [
        ExplainedChoice(key, text, metric.texts[key].means) for key, text in definition.named_texts.items() if metric.texts[key].key
    ]
    if is_part:
        return tuple(choices)
    choices += [ExplainedChoice(by, group, "only test rows of this group make items relevant") for by, group in definition.rows]
    if threshold is not None:
        choices.append(ExplainedChoice("threshold", f"{threshold:g}", "the lowest rating of a relevant item"))
    defaults = load("receval").axes
    differing = (axis for axis in PROTOCOL if axis in read and definition.axes[axis] != defaults[axis])
    others = (axis for axis in differing if axis != "relevance_rule" or threshold is None)
    return (*choices, *(choice(axis, axis) for axis in others))


def user_frames(files: Files, model: str, user: int | str) -> dict[str, pl.DataFrame]:
    """Return the frames of a part with one user: the user's list of a model, and the user's rows in the other sources, by role.

    All rows of the lists are checked for faults, as in a run; of lists on Spark only those of the user, and no others come here.
    """
    sides = files.sides_of(model)
    users = pl.Series("user", [user], dtype=sides["test"].frame.schema["user"])
    rows = {role: side.rows_of(users) for role, side in sides.items()}
    return {LISTS: files.reader.rows_of_user(files.inputs.models[model], user), **rows}


class RowSum(Struct, frozen=True, eq=False):
    """One reduction of the rows of a table, such as a sum: the term of each row, and their total.

    `parts` are the values from which the terms are computed, by name; `depth` is the cut-off, `None` if there is none.
    """

    label: str
    reduction: str
    terms: Array
    parts: Mapping[str, Array]
    depth: int | None
    total: float


class Recorder:
    """Record what the body of a metric reads while it runs over the part of one user with one cut-off."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, Rows], list[RowSum]] = {}
        """The tables that the body reads, and the reductions of their rows, each once."""
        self.counts: dict[str, float] = {}
        """The counts of the user that the body reads, by title."""

    def reads(self, table: str) -> bool:
        """Return whether the body reads rows of a table."""
        return any(name == table for name, _ in self._tables)

    def count(self, title: str, counts: Array) -> None:
        """Record a count of the user."""
        self.counts[title] = _number(counts)

    def sum_of_rows(
        self, table: str, rows: Rows, reduction: str, row: Array | None, label: str, parts: Mapping[str, Any], cutoffs: Cutoffs
    ) -> None:
        """Record a reduction of the rows of a table."""
        values = np.ones(()) if row is None else row
        total = rows.maxima(values, cutoffs) if reduction == "max" else rows.sums(None if row is None else values, cutoffs)
        (depth,) = (None,) if cutoffs is None else cutoffs
        terms, added = _per_row(values, len(rows)), {name: _per_row(part, len(rows)) for name, part in parts.items()}
        sums, key = self._tables.setdefault((table, rows), []), (label, reduction, depth)
        earlier = (row_sum.terms for row_sum in sums if (row_sum.label, row_sum.reduction, row_sum.depth) == key)
        if not any(np.array_equal(terms, other, equal_nan=True) for other in earlier):
            sums.append(RowSum(label, reduction, terms, added, depth, float(total[0, 0])))

    def tables(self, reading: Reading, among_rated: bool) -> tuple[ExplainedTable, ...]:
        """Return the tables in the order in which the body reads them.

        Hits are shown as rows of the whole list (`reading`), in which other items add nothing; if they are ranked only among the rated
        items (`among_rated`), they are shown alone.
        """
        return tuple(
            _hits(rows, sums, None if among_rated else reading.table()) if name in HITS else _table(name, rows, sums)
            for (name, rows), sums in self._tables.items()
        )


def _per_row(values: Any, n_rows: int) -> Array:
    """Return one number per row, from one number for all rows or an array of them, which may have a second dimension of length 1."""
    array = np.asarray(values, dtype=np.float64)
    return np.broadcast_to(array.reshape(-1) if array.ndim == 2 else array, n_rows)


def _terms(sums: Sequence[RowSum]) -> tuple[dict[str, Array], tuple[Total, ...]]:
    """Return the terms of every reduction with their parts, each under its own name, and the totals.

    If several reductions have the same label, the later ones are numbered.
    """
    columns: dict[str, Array] = {}
    totals: list[Total] = []
    for index, row_sum in enumerate(sums):
        earlier = sum(other.label == row_sum.label for other in sums[:index])
        label = f"{row_sum.label} ({earlier + 1})" if earlier else row_sum.label
        columns |= {**row_sum.parts, label: row_sum.terms}
        totals.append(Total(label, row_sum.reduction, row_sum.total))
    return columns, tuple(totals)


def _within(rows: Rows, sums: Sequence[RowSum]) -> Array:
    """Return the indexes of the rows down to the last rank that a reduction reads."""
    depths = [row_sum.depth for row_sum in sums if row_sum.depth is not None]
    return np.flatnonzero(rows[rows.cut] <= max(depths)) if len(depths) == len(sums) else np.arange(len(rows))


def _table(name: str, rows: Rows, sums: Sequence[RowSum]) -> ExplainedTable:
    """Return the rows of a table that are read, in the order of the columns that its declaration names."""
    kind, index, (added, totals) = TABLES[name], _within(rows, sums), _terms(sums)
    terms = {label: values[index] for label, values in added.items()}
    headers = {name: "grade" if name == "gain" else name for name in kind.columns if name == "item" or name in rows}
    shown = {
        header: rows.item.gather(index) if name == "item" and rows.item is not None else rows[name][index]
        for name, header in headers.items()
        if header not in terms
    }
    order = pl.DataFrame(shown).select(pl.arg_sort_by(*shown)).to_series().to_numpy() if shown else np.arange(len(index))
    columns = [pl.Series(column).gather(order) for column in (*shown.values(), *terms.values())]
    body = [["yes" if holds else "" for holds in column] if column.dtype == pl.Boolean else column.to_list() for column in columns]
    return ExplainedTable(kind.title, (*shown, *terms), tuple(zip(*body, strict=True)), totals)


def _hits(rows: Rows, sums: Sequence[RowSum], listed: Rows | None) -> ExplainedTable:
    """Return every row of the list, with empty cells unless it is a hit; without the list, return only the hits."""
    index, (terms, totals) = _within(rows, sums), _terms(sums)
    depths = {total.label: row_sum.depth for total, row_sum in zip(totals, sums, strict=True)}
    ranks = rows[rows.cut][index].tolist()
    added = (
        [value if (k := depths.get(label)) is None or rank <= k else "" for value, rank in zip(values[index].tolist(), ranks, strict=True)]
        for label, values in terms.items()
    )
    hits: dict[tuple[Any, int], list[tuple[CellValue, ...]]] = {}
    for item, rank, gain, *of_hit in zip(*_cells(rows, index, "gain"), *added, strict=True):
        hits.setdefault((item, rank), []).append(("yes", gain, *of_hit))
    no_hit = [("",) * (2 + len(terms))]
    shown = hits if listed is None else zip(*_cells(listed, _within(listed, sums)), strict=True)
    body = tuple((rank, str(item), *cells) for item, rank in shown for cells in hits.get((item, rank), no_hit))
    title = "The list" if listed is not None else "The listed items with a test rating, ranked among themselves"
    return ExplainedTable(title, ("rank", "item", "relevant", "grade", *terms), body, totals)


def _cells(rows: Rows, index: Array, *columns: str) -> Sequence[Sequence[Any]]:
    """Return the items and ranks of some rows, and other columns, as lists."""
    assert rows.item is not None
    return [rows.item.gather(index).to_list(), *(rows[name][index].tolist() for name in ("rank", *columns))]
