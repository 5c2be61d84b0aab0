"""The best possible, the popular and random lists, evaluated like models: what a value is measured by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw

from .. import match
from ..config import Config
from ..engine import Engine
from ..frames import Frame
from ..metrics import Definition, Lists
from ..result import Row
from .asked import OF_LISTS, OF_PREDICTIONS, OF_SCORES
from .lists import Reading
from .model import ModelTables
from .plan import Plan
from .scored import Scored, scored
from .sides import Sides
from .truths import Truths

ORACLE: Final = "(oracle)"
POPULARITY: Final = "(popularity)"
RANDOM: Final = "(random)"
_DEEP: Final = 1_000
"""How long made lists are where a measure looks at whole lists and no model has one."""


@dataclass(frozen=True)
class Yardsticks:
    """Makes and evaluates lists from truth, train and catalogue; `longest` is the longest list of the models."""

    config: Config
    plan: Plan
    truths: Truths
    sides: Sides
    engine: Engine
    longest: int
    repeats: bool
    """Whether a pair of the test file stands in train too."""

    def masks(self, choice: Lists) -> bool:
        """Whether lists leave out what train holds for the user: as the policy or the convention says; else if nobody repeats."""
        if self.sides.known.seen is None:
            return False
        policy = self.config.evaluation.policy.seen_items
        return choice.seen != "keep" or (policy != "keep" and not self.repeats)

    def asked(self) -> list[Scored]:
        """The yardsticks that the config asks for, as far as the files allow."""
        wanted, sides = self.config.evaluation.yardsticks, self.sides
        plan = self._plan(one for one in self.plan.shown if not _needs_scores(one))
        if plan is None:
            return []
        depth, users, found = self._depth(plan), self.truths.everyone, []
        if wanted.oracle:
            most = None if plan.kinds & OF_LISTS else depth
            found.append(self._made(ORACLE, plan, lambda seen: match.best_lists(self._relevant(), seen, most, self.engine)))
        if wanted.popularity and (popularity := sides.popularity) is not None:
            found.append(self._made(POPULARITY, plan, lambda seen: match.popular_lists(users, popularity, seen, depth, self.engine)))
        if (seed := wanted.random) is not None and (items := sides.catalogue) is not None:
            found.append(self._made(RANDOM, plan, lambda seen: match.random_lists(users, items, seen, depth, seed, self.engine)))
        return found

    def baseline(self) -> Scored | None:
        """The values of popularity for every measure that looks at hits alone; the lists themselves are not made."""
        popularity = self.sides.popularity
        plan = self._plan(one for one in self.plan.definitions if of_hits(one))
        if popularity is None or plan is None:
            return None
        depth, judged = self._depth(plan), self.truths.judged

        def reading(seen: Frame | None) -> Reading:
            ranks = match.popular_ranks(judged.select(*match.PAIR).unique(match.PAIR), popularity, seen, depth, self.engine)
            held = match.popular_lengths(self.truths.everyone, popularity, seen, depth, self.engine)
            frames = self.engine.settle([ranks.join(judged, on=match.PAIR, how="inner"), held])
            return Reading(match.Found(*frames), repeats=False)

        return self._scored(POPULARITY, plan, reading)

    def _made(self, name: str, plan: Plan, make: Callable[[Frame | None], Frame]) -> Scored:
        return self._scored(name, plan, lambda seen: self._read(make(seen), plan))

    def _plan(self, definitions: Iterable[Definition]) -> Plan | None:
        found = tuple(dict.fromkeys(definitions))
        return Plan(found, self.plan.aggregates) if found else None

    def _depth(self, plan: Plan) -> int:
        cutoffs = [one.k for one in plan.all]
        whole = self.longest or _DEEP
        return max(whole if k is None else k for k in cutoffs)

    def _relevant(self) -> Frame:
        """`user item gain`: what any choice of truth holds relevant, ordered by the gains of all choices together."""
        each = [table.relevant.select(*match.PAIR, "gain") for table in self.truths.tables]
        if len(each) == 1:
            return each[0]
        (together,) = self.engine.settle([nw.concat(each).group_by(*match.PAIR).agg(nw.col("gain").sum())])
        return together

    def _read(self, lists: Frame, plan: Plan) -> Reading:
        """Made lists as a reading: there is no file, and nothing stands twice."""
        (lists,) = self.engine.settle([lists])
        lengths = lists.group_by("user").agg(n_recommended=nw.len().cast(nw.Int64))
        found = self.engine.joined(lists, self.truths.judged)
        frames = self.engine.settle([found, lengths])
        outside = None
        if plan.needs_candidates and self.sides.candidates is not None:
            (outside,) = self.engine.settle([match.wanted_outside(self.sides.candidates)(lists)[0]])
        return Reading(match.Found(*frames), repeats=False, outside=outside, listed=lists)

    def _scored(self, name: str, plan: Plan, read: Callable[[Frame | None], Reading]) -> Scored:
        """The values of lists of which one reading leaves out what train holds, and one does not, as each measure asks."""
        seen = self.sides.known.seen
        readings = {masked: read(seen if masked else None) for masked in {self.masks(choice) for choice in plan.lists}}
        by_choice = {choice: readings[self.masks(choice)] for choice in plan.lists}
        model = ModelTables(self.truths, self.sides, plan, self.engine, by_choice)
        n_train_users = self.sides.numbers.get("train_users")
        return scored(name, model, int(n_train_users) if n_train_users else None, None)


def beside(model: Scored, other: Scored) -> dict[str, float]:
    """Label → the value of `other` lists over the users who count for a model, of measures that look at hits alone.

    Who has no value there, having nothing relevant, would have 0 with any list.
    """
    places = {one: f"v{index}" for index, one in enumerate(other.plan.definitions)}
    found = {}
    for index, (definition, rows) in enumerate(zip(model.plan.definitions, model.by_definition, strict=True)):
        row = next((row for row in rows if row.aggregate == "mean"), None)
        if row is None or not row.n_users or definition not in places or not of_hits(definition):
            continue
        own = model.per_user.filter(~nw.col(f"v{index}").is_null()).select("user")
        theirs = own.join(other.per_user.select("user", nw.col(places[definition]).alias("value")), on="user", how="left")
        found[row.label] = float(theirs["value"].fill_null(0.0).sum()) / row.n_users
    return found


def achieved(rows: Iterable[Row], best: Mapping[str, float]) -> list[Row]:
    """Rows with the share of the best possible value that they reach, where more is better and the best is above 0."""
    return [
        replace(row, achieved=row.value / best[row.label])
        if row.value is not None and row.higher_is_better and row.aggregate == "mean" and best.get(row.label, 0.0) > 0
        else row
        for row in rows
    ]


def _needs_scores(definition: Definition) -> bool:
    alone = Plan((definition,))
    return alone.needs_scores or bool(alone.kinds & (OF_SCORES | OF_PREDICTIONS))


def of_hits(definition: Definition) -> bool:
    """Whether a measure says how good hits are, and looks at nothing beside them."""
    alone = Plan((definition,))
    asked = alone.asked
    reads_hits = any(reduction.table == "hits" for reduction in asked.columns)
    beyond = alone.kinds or asked.of_items or asked.of_users or alone.needs_candidates or definition.metric.system
    return reads_hits and not beyond and definition.population in ("test", "tested") and definition.higher_is_better is not None
