"""Tied scores of one model → the least, the mean and the most that each measure can be over all orders of the ties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple

import narwhals as nw

from .. import match
from ..frames import Frame
from ..metrics import Definition, Lists, Reductions, View
from ..result import Row
from ..score import Rows
from .model import ModelTables
from .plan import Plan

_MOST_PLACES: Final = 5_000_000
"""How many places of hits are looked at together, at most."""
_AGGREGATES: Final = ("mean", "sum")


class Bounds(NamedTuple):
    """What a value can be over all orders of the ties; `expected` if every order is as likely."""

    least: float
    expected: float
    most: float


class TiedTables(ModelTables):
    """The tables of some users, their hits put in order by `reorder(hits, runs)`."""

    def __init__(
        self,
        model: ModelTables,
        plan: Plan,
        runs: Mapping[int, Frame],
        some: Frame,
        reorder: Callable[[Frame, Frame], Frame],
        weighted: bool,
    ) -> None:
        super().__init__(model.truths, model.sides, plan, model.engine, {})
        self.readings, self.place = model.readings, model.place
        self.runs, self.some, self.reorder, self.weighted = runs, some, reorder, weighted
        self.ordered: set[str] = set()

    def view(self, definition: Definition) -> View:
        """As without ties, but for the order of the hits."""
        view = super().view(definition)
        if view.hits not in self.ordered:
            self.ordered.add(view.hits)
            hits = self.rows[view.hits].frame.join(self.some, on="user", how="semi")
            self.rows[view.hits] = Rows(self.reorder(hits, self.runs[int(view.lists)]), weighted=self.weighted)
        return view

    def users(self, asked: Reductions) -> Frame:
        """The users whose ties are looked at."""
        return super().users(asked).join(self.some, on="user", how="semi")


@dataclass(frozen=True)
class Ties:
    """The ties of one model: `runs` (user item first size) by the place of their reading."""

    model: ModelTables
    runs: Mapping[int, Frame]

    @classmethod
    def of(cls, model: ModelTables, rows: Mapping[Lists, Frame]) -> Ties:
        """The ties of lists whose `rows` (user item rank score) are those of users without repeats."""
        runs: dict[int, Frame] = {}
        for choice, frame in rows.items():
            place = model.place[choice]
            if place not in runs:
                score = nw.col("score").cast(nw.Float32) if choice.score_type == "float32" else nw.col("score")
                (runs[place],) = model.engine.settle([match.runs(frame.with_columns(score=score))])
        return cls(model, runs)

    def users(self, cutoffs: Sequence[int], deepest: int | None) -> tuple[Frame, int]:
        """The users with tied scores before rank `deepest`, as the first measure reads their lists; and how many have them across a k."""
        runs = self.runs[self.model.place[self.model.plan.definitions[0].lists]]
        first, last = nw.col("first"), nw.col("first") + nw.col("size") - 1
        within = runs if deepest is None else runs.filter(first <= deepest)
        crossing = [(first <= k) & (last > k) for k in cutoffs]
        across = within.filter(nw.any_horizontal(*crossing, ignore_nulls=False)) if crossing else within.head(0)
        return within.select("user").unique("user"), self.model.size(across.select("user").unique("user"))

    def bounds(self, per_user: nw.DataFrame[Any], rows: Sequence[Sequence[Row]]) -> dict[str, Bounds]:
        """The bounds of every measure that has exact ones, by its label; `rows` are those of each measure.

        Lists that are cut before rows are taken out have none, nor has a measure for which a test pair is several relevant items.
        """
        asked = {}
        for index, one in enumerate(self.model.plan.definitions):
            row = next((row for row in rows[index] if row.aggregate in _AGGREGATES), None)
            uncut = self.model.readings[self.model.place[one.lists]].dropped is None
            if row and one.tied and uncut and not ("row" in one.truth.duplicates and self.model.truths.repeated):
                asked[index] = one, row
        if not asked:
            return {}
        engine, plan = self.model.engine, Plan(tuple(one for one, _ in asked.values()))
        (users,) = engine.settle([nw.concat([runs.select("user") for runs in self.runs.values()]).unique("user")])
        scored = {
            order: self._scored(plan, users, partial(match.reordered, order=order, engine=engine), weighted=False)
            for order in ("best", "worst")
        }
        deepest = None if any(one.k is None for one in plan.definitions) else max(one.k or 0 for one in plan.definitions)
        spread = partial(match.expected, deepest=deepest, engine=engine)
        # The mean of rounded values is not the rounded mean.
        exact = Plan(tuple(replace(one, axes={**one.axes, "float_type": "float64"}) for one, _ in asked.values()))
        scored["expected"] = nw.concat([self._scored(exact, some, spread, weighted=True) for some in self._chunks(plan, users, deepest)])
        found = {}
        for place, (index, (_, row)) in enumerate(asked.items()):
            values = {order: _combined(per_user, index, frame, place, row) for order, frame in scored.items()}
            ends = sorted((values["worst"], values["best"]))
            found[row.label] = Bounds(ends[0], values["expected"], ends[1])
        return found

    def _scored(self, plan: Plan, some: Frame, reorder: Callable[[Frame, Frame], Frame], weighted: bool) -> nw.DataFrame[Any]:
        scored, _ = TiedTables(self.model, plan, self.runs, some, reorder, weighted).scored()
        return self.model.engine.collect(scored.sort("user"))

    def _chunks(self, plan: Plan, users: Frame, deepest: int | None) -> list[Frame]:
        """`users` in parts that are small enough for all places of their hits."""
        engine, model = self.model.engine, self.model
        hits = {(model.view(one).hits, model.place[one.lists]) for one in plan.definitions}
        sizes = [match.places(self.runs[place], model.rows[name].frame, deepest) for name, place in sorted(hits)]
        (counts,) = engine.settle([nw.concat(sizes).group_by("user").agg(nw.col("n").max())])
        total = engine.collect(counts.select(total=nw.col("n").sum()))["total"].item() or 0
        if total <= _MOST_PLACES:
            return [users]
        (parts,) = engine.settle([counts.with_row_index("at", order_by=["n", "user"])])  # alike numbers of places share a part of each size
        n_parts = 1 + int(total // _MOST_PLACES)
        numbered = parts.with_columns(part=nw.col("at").cast(nw.Int64) % n_parts)
        others = users.join(counts, on="user", how="anti")
        chunks = [numbered.filter(nw.col("part") == part).select("user") for part in range(n_parts)]
        return [nw.concat([chunks[0], others.select("user")]), *chunks[1:]]


def _combined(per_user: nw.DataFrame[Any], index: int, tied: nw.DataFrame[Any], place: int, row: Row) -> float:
    """The value of a measure, users with ties having that of one order."""
    own = per_user.select("user", value=nw.col(f"v{index}"))
    other = tied.select("user", other=nw.col(f"v{place}"))
    joined = own.join(other, on="user", how="left").sort("user").filter(~nw.col("value").is_null())
    values = joined.select(value=nw.when(nw.col("other").is_null()).then(nw.col("value")).otherwise(nw.col("other")))["value"]
    return float(values.sum()) if row.aggregate == "sum" else float(values.sum()) / row.n_users if row.n_users else 0.0
