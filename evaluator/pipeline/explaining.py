"""One user of one model → how the value comes about, from the same tables and expressions as the results."""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any, Final

import narwhals as nw

from ..config import Loaded, missing
from ..conventions import AXES, PROTOCOL, load
from ..errors import ConfigError, DataError
from ..metrics import Definition, Measure, Ratio, Reduction, Reductions, plain
from ..results.explanation import CellValue, ExplainedChoice, ExplainedTable, Explanation, Total
from .evaluation import Evaluation, evaluated
from .model import ModelTables
from .plan import Plan

_COUNTS = {
    "n_relevant": "R, the relevant items",
    "n_recommended": "the length of the list",
    "n_candidates": "candidates that are not relevant",
    "n_train": "items of data.train that the user has not seen",
    "n_items": "N, the items of the catalogue",
}
_TITLES: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "ideal": ("The best possible list", ("rank", "gain")),
    "retrieved": ("The hits in their best order", ("rank", "gain")),
    "graded": ("The hits", ("rank", "item", "gain")),
    "cascade": ("The hits", ("rank", "item", "gain")),
    "judged": ("Listed items that the test file holds", ("rank", "item")),
    "grade_changes": ("The ranks after which the ideal list has a lower grade", ("rank",)),
    "agreement": ("Items with score and rating, or pairs of them", ("item",)),
    "ratings": ("The test ratings", ("item", "rating", "prediction")),
    "listed": ("The items of the list", ("rank", "item")),
    "scored": ("The items of the list", ("rank", "item", "score")),
    "weighted": ("The items of the list", ("rank", "item")),
    "from_profile": ("The items of the list, and how far they are from the profile", ("rank", "item")),
    "repeats": ("Places of items that stand further up", ("rank", "item")),
    "seen": ("Listed items that data.train holds for the user", ("rank", "item")),
    "overlap": ("Listed items that the reference model lists too", ("rank", "item", "other_rank")),
    "covered": ("The categories by number, at the rank that covers them first", ("rank", "code")),
    "covered_hits": ("The categories by number, at the rank of the hit that covers them first", ("rank", "code")),
    "wanted_categories": ("The categories of the relevant items, by number", ("code",)),
    "aspects": ("The categories of the hits, by number", ("rank", "item", "code", "seen")),
    "greedy": ("The relevant items in greedy order", ("rank", "gain")),
    "pairs": ("The pairs of listed items", ("rank", "item", "other")),
    "profile": ("The items of data.train", ("item",)),
    "relevant": ("The relevant items", ("item",)),
}
"""What the rows of a table are, and the columns of it that are shown and that they are sorted by."""


def explain(loaded: Loaded, measure: str, user: str, model: str | None = None) -> Explanation:
    """Explain the value of `measure` (at the first of the config's cut-offs if it names none) for `user` under `model`.

    Raises `ConfigError` if the measure or the model is wrong, `DataError` if no file holds the user, and what `run` raises.
    """
    try:
        definition = loaded.config.evaluation.define(measure)
    except ValueError as error:
        raise ConfigError(f"{measure}: {error}") from None
    lacking = next(iter(missing(definition, loaded.config.data)), "")
    if lacking:
        raise ConfigError(lacking)
    if definition.metric.system:
        raise ConfigError(f"{definition.label} is a value of the whole model: no user has one that could be explained")
    with evaluated(loaded, Plan((definition,)), only=model, listed=True) as evaluation:
        return _Explainer(evaluation, next(iter(evaluation.models)), user).explanation(definition)


class _Explainer:
    def __init__(self, evaluation: Evaluation, model: str, user: str) -> None:
        self.evaluation, self.model, self.written = evaluation, model, user
        self.tables: ModelTables = evaluation.models[model]
        whole = evaluation.inputs.test.scan.kinds["user"] == "integer"
        if whole and not user.removeprefix("-").isdigit():
            raise DataError(f"no file holds the user {user!r}: users are integers")
        self.user = int(user) if whole else user

    def explanation(self, definition: Definition) -> Explanation:
        of = tuple(self.explanation(part) for part in definition.of)
        asked = Reductions()
        parts = tuple(nw.lit(part.value or 0.0) for part in of)
        view = self.tables.view(definition)
        made = definition.metric.define(Measure(definition.k, definition.params, asked, parts, view))
        self.tables.make(asked, {reduction.table for reduction in asked.columns})
        users = self.mine(self.tables.users(asked))
        listed = self.listed(definition, definition.k)
        if not len(users) and not len(listed):
            raise DataError(f"no file holds the user {self.written!r}")
        steps, totals = self.steps(definition, asked, users, listed)
        facts = [
            (said, float(users[name].item()))
            for name in sorted(asked.user_columns)
            for column, said in _COUNTS.items()
            if len(users) and name.startswith(column)
        ]
        row = (users if len(users) else listed.head(1)).head(1).with_columns(nw.lit(total).alias(name) for name, total in totals.items())
        whole = definition is self.evaluation.plan.definitions[0]
        value, reason = self.result(definition) if whole else (None, "")
        if len(users) and not reason:
            shown = _number(row, plain(made))
            value = shown if value is None else value
            near = {"float32": 1e-6, "decimals5": 1e-5}.get(str(definition.axes["float_type"]), 1e-9)
            assert math.isclose(shown, value, rel_tol=near, abs_tol=near), f"the rows give {shown}, the results {value}"
        ratio = isinstance(made, Ratio) and len(users) > 0
        return Explanation(
            measure=definition.label,
            model=self.model,
            user=self.written,
            convention=definition.convention,
            formula=_formula(definition),
            steps=tuple(steps),
            facts=tuple(facts),
            numerator=_number(row, made.numerator) if ratio and isinstance(made, Ratio) else None,
            denominator=_number(row, made.denominator) if ratio and isinstance(made, Ratio) else None,
            value=value,
            reason=reason,
            choices=_choices(definition, whole),
            of=of,
        )

    def mine(self, frame: Any) -> nw.DataFrame[Any]:
        """The rows of the user."""
        return self.evaluation.engine.collect(frame.filter(nw.col("user") == self.user))

    def result(self, definition: Definition) -> tuple[float | None, str]:
        """The user's value in the results, or why there is none."""
        found = self.evaluation.scored[self.model].per_user.filter(nw.col("user") == self.user)
        value = found["v0"].item() if len(found) else None
        if value is not None and math.isnan(value):
            return None, "the value is not defined for this user, and so neither is the mean"
        if value is not None:
            return float(value), ""
        counted = definition.counted
        if len(found) and counted.no_hits != "zero":
            return None, "the user has no hit, and is left out"
        if self.tables.truths.tested is None or counted.no_relevant == "drop":
            users = self.mine(self.tables.truths.of(definition.truth).users)
            if not len(users):
                counts = "counts 0 in the mean over all users of data.train" if counted.divisor == "train_users" else "is left out"
                return None, f"the user has no relevant item in the test file, and {counts}"
        return None, "the user has no list, and is left out" if counted.missing_lists == "drop" else "the user is left out"

    def listed(self, definition: Definition, k: int | None) -> nw.DataFrame[Any]:
        """The user's list, cut at k."""
        rows = self.tables.readings[self.tables.place[definition.lists]].listed
        assert rows is not None
        mine = self.mine(rows)
        place = "place" if "place" in mine.columns else "rank"
        return (mine if k is None else mine.filter(nw.col(place) <= k)).sort("rank")

    def steps(
        self, definition: Definition, asked: Reductions, users: nw.DataFrame[Any], listed: nw.DataFrame[Any]
    ) -> tuple[list[ExplainedTable], dict[str, float]]:
        """What every row of each table adds, and the totals by the name of their column."""
        steps, totals = [], {}
        view = self.tables.view(definition)
        for table in sorted({reduction.table for reduction in asked.columns}):
            reductions = {reduction: name for reduction, name in asked.columns.items() if reduction.table == table}
            rows = self.rows(table, _depth(reductions, definition.k), users)
            added: dict[str, nw.Expr] = {}
            labels: dict[Reduction, str] = {}
            for reduction in reductions:
                alike = sum(one.label == reduction.label for one in labels)
                labels[reduction] = f"{reduction.label} ({alike + 1})" if alike else reduction.label
                added |= {**reduction.parts, labels[reduction]: nw.lit(1.0) if reduction.row is None else reduction.row}
            shown = rows.with_columns(value.cast(nw.Float64).alias(f"+{label}") for label, value in added.items())
            for reduction, name in reductions.items():
                totals[name] = _total(shown, reduction, labels[reduction])
            said = tuple(Total(labels[one], one.reduce, totals[name]) for one, name in reductions.items())
            if table == view.hits:
                among = definition.axes["positions"] == "among_rated"
                places = listed if _depth(reductions, definition.k) == definition.k else self.listed(definition, None)
                steps.append(_hits(shown, None if among else places, tuple(added), said))
            else:
                kind = table.partition("_x")[0] if "_x" in table else table.partition("_")[0]
                title, grades = _TITLES.get(kind, ("Listed items that the test file holds", ("rank",)))
                title = "Listed items that are no candidates" if table == view.outside else title
                columns = (*grades, *(f"+{label}" for label in added))
                rows_shown = shown.sort(*grades).select(*columns).rows()
                body = tuple(tuple("" if cell is None else cell for cell in row) for row in rows_shown)
                headers = tuple("grade" if name == "gain" else name for name in grades) + tuple(added)
                steps.append(ExplainedTable(title, headers, body, said))
        return steps, totals

    def rows(self, table: str, k: int | None, users: nw.DataFrame[Any]) -> nw.DataFrame[Any]:
        """The rows of the user, or of the user whose ideal is the same, that k lets through."""
        source = self.tables.rows[table]
        whose = self.user if source.key == "user" or not len(users) else users[source.key].item()
        frame = source.frame.filter(nw.col("user") == whose)
        place = "place" if "place" in frame.collect_schema().names() else "rank"
        return self.evaluation.engine.collect(frame if k is None else frame.filter(nw.col(place) <= k))


def _hits(shown: nw.DataFrame[Any], listed: nw.DataFrame[Any] | None, added: tuple[str, ...], said: tuple[Total, ...]) -> ExplainedTable:
    """Every place of the list, what is no hit left empty; or, without the list, the hits alone."""
    found = {(row["item"], row["rank"]): row for row in shown.rows(named=True)}
    places = [(row["item"], row["rank"]) for row in (shown if listed is None else listed).sort("rank").rows(named=True)]
    rows: list[tuple[CellValue, ...]] = []
    for place in places:
        hit = found.get(place)
        terms = tuple(hit[f"+{label}"] for label in added) if hit else ("",) * len(added)
        rows.append((place[1], str(place[0]), "yes" if hit else "", hit["gain"] if hit else "", *terms))
    title = "The list" if listed is not None else "The listed items that the user rated, ranked among themselves"
    return ExplainedTable(title, ("rank", "item", "relevant", "grade", *added), tuple(rows), said)


def _depth(reductions: Collection[Reduction], k: int | None) -> int | None:
    """How far down a table is looked at: further than k where a formula looks at all of the list."""
    return None if any(reduction.k is None for reduction in reductions) else k


def _total(rows: nw.DataFrame[Any], reduction: Reduction, label: str) -> float:
    if reduction.k is not None:
        rows = rows.filter(nw.col("place" if "place" in rows.columns else "rank") <= reduction.k)
    if reduction.reduce == "count" or not len(rows):
        return float(len(rows)) if reduction.reduce == "count" else 0.0
    column = rows[f"+{label}"]
    return float(column.max() if reduction.reduce == "max" else column.sum())


def _number(row: nw.DataFrame[Any], value: nw.Expr) -> float:
    return float(row.select(value.alias("value"))["value"].item())


def _formula(definition: Definition) -> str:
    paragraphs = definition.metric.doc.split("\n\n")
    return next((" ".join(text.split()) for text in paragraphs[1:] if "=" in text), "")


def _choices(definition: Definition, whole: bool) -> tuple[ExplainedChoice, ...]:
    """The choices of the formula, and for the `whole` measure those of the protocol that differ from receval's."""
    usual = load("receval").axes
    own = [ExplainedChoice(key, *_said(axis, definition.axes[axis])) for key, axis in definition.metric.axes.items()]
    own += [ExplainedChoice(key, f"{value:g}", definition.metric.numbers[key].means) for key, value in definition.numbers.items()]
    if not whole:
        return tuple(own)
    least = definition.truth.threshold
    own += [ExplainedChoice("threshold", f"{least:g}", "the least rating of a relevant item")] if least is not None else []
    without_effect = {"relevance_rule"} if least is not None else set[str]()
    other = [axis for axis in PROTOCOL if definition.axes[axis] != usual[axis] and axis not in without_effect]
    return (*own, *(ExplainedChoice(axis, *_said(axis, definition.axes[axis])) for axis in other))


def _said(axis: str, value: Any) -> tuple[str, str]:
    known = AXES[axis]
    shown = f"{value:g}" if isinstance(value, float) else str(value)
    return shown, f"{known.decides}: {known.meanings[shown]}" if shown in known.meanings else known.decides
