"""Tied scores of one model → the least, the mean and the most that each measure can be over all orders of the ties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import narwhals as nw

from .. import match
from ..metrics import Definition, Lists, Reductions, View
from ..result import Row
from ..score import Rows
from ..tables import Frame
from .model import ModelTables
from .plan import Plan

_MOST_PLACES: Final = 20_000_000
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
            if place not in runs and model.readings[place].dropped is None:
                (runs[place],) = model.engine.settle([match.runs(frame)])
        return cls(model, runs)

    def users(self, cutoffs: Sequence[int], deepest: int | None) -> tuple[Frame, int]:
        """The users with tied scores before rank `deepest`, as the first measure reads their lists; and how many have them across a k."""
        runs = self.runs.get(self.model.place[self.model.plan.definitions[0].lists])
        if runs is None:
            runs = next(iter(self.runs.values()))
        first, last = nw.col("first"), nw.col("first") + nw.col("size") - 1
        within = runs if deepest is None else runs.filter(first <= deepest)
        crossing = [(first <= k) & (last > k) for k in cutoffs]
        across = within.filter(nw.any_horizontal(*crossing, ignore_nulls=False)) if crossing else within.head(0)
        return within.select("user").unique("user"), self.model.size(across.select("user").unique("user"))

    def bounds(self, per_user: nw.DataFrame[Any], rows: Sequence[Sequence[Row]]) -> dict[str, Bounds]:
        """The bounds of every measure that has exact ones, by its label; `rows` are those of each measure."""
        definitions = [
            (index, one)
            for index, one in enumerate(self.model.plan.definitions)
            if one.tied and self.model.place[one.lists] in self.runs and rows[index] and rows[index][0].aggregate in _AGGREGATES
        ]
        if not definitions:
            return {}
        plan = Plan(tuple(one for _, one in definitions))
        users = nw.concat([runs.select("user") for runs in self.runs.values()]).unique("user")
        (users,) = self.model.engine.settle([users])
        engine = self.model.engine
        scored = {
            order: self._scored(plan, users, partial(match.reordered, order=order, engine=engine), weighted=False)
            for order in ("best", "worst")
        }
        deepest = None if any(one.k is None for one in plan.definitions) else max(one.k or 0 for one in plan.definitions)
        spread = partial(match.expected, deepest=deepest, engine=engine)
        chunks = [self._scored(plan, some, spread, weighted=True) for some in self._chunks(users, deepest)]
        scored["expected"] = nw.concat(chunks)
        found = {}
        for place, (index, _) in enumerate(definitions):
            row = rows[index][0]
            values = {order: _combined(per_user, index, frame, place, row) for order, frame in scored.items()}
            ends = sorted((values["worst"], values["best"]))
            found[row.label] = Bounds(ends[0], values["expected"], ends[1])
        return found

    def _scored(self, plan: Plan, some: Frame, reorder: Callable[[Frame, Frame], Frame], weighted: bool) -> nw.DataFrame[Any]:
        scored, _ = TiedTables(self.model, plan, self.runs, some, reorder, weighted).scored()
        return self.model.engine.collect(scored.sort("user"))

    def _chunks(self, users: Frame, deepest: int | None) -> list[Frame]:
        """`users` in parts that are small enough for all places of their hits."""
        engine = self.model.engine
        sizes = nw.concat([runs.group_by("user").agg(n=nw.len(), most=nw.col("size").max()) for runs in self.runs.values()])
        length = nw.col("most") if deepest is None else nw.min_horizontal(nw.col("most"), nw.lit(deepest))
        places = engine.collect(sizes.select(total=(nw.col("n") * length).sum()))["total"].item() or 0
        n_parts = 1 + int(places // _MOST_PLACES)
        if n_parts == 1:
            return [users]
        (numbered,) = engine.settle([users.with_row_index("part", order_by="user")])
        return [numbered.filter(nw.col("part") % n_parts == part).select("user") for part in range(n_parts)]


def _combined(per_user: nw.DataFrame[Any], index: int, tied: nw.DataFrame[Any], place: int, row: Row) -> float:
    """The value of a measure, users with ties having that of one order."""
    own = per_user.select("user", value=nw.col(f"v{index}"))
    other = tied.select("user", other=nw.col(f"v{place}"))
    joined = own.join(other, on="user", how="left").sort("user").filter(~nw.col("value").is_null())
    values = joined.select(value=nw.when(nw.col("other").is_null()).then(nw.col("value")).otherwise(nw.col("other")))["value"]
    return float(values.sum()) if row.aggregate == "sum" else float(values.sum()) / row.n_users if row.n_users else 0.0
