"""The best possible, the popular and random lists, evaluated like models: what a value is measured by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import narwhals as nw

from .. import match
from ..config import Config
from ..engine import Engine
from ..metrics import Definition
from ..result import Row
from ..tables import Frame
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

    @property
    def masked(self) -> bool:
        """Whether lists leave out what train holds for the user: as the policy says; without one, if test and train share no pair."""
        seen = self.sides.known.seen
        if seen is None:
            return False
        policy = self.config.evaluation.policy.seen_items
        if policy is not None and policy != "error":
            return policy != "keep"
        if any(one.lists.seen != "keep" for one in self.plan.all):
            return True
        return not self.repeats

    def asked(self) -> list[Scored]:
        """The yardsticks that the config asks for, as far as the files allow."""
        wanted = self.config.evaluation.yardsticks
        seen = self.sides.known.seen if self.masked else None
        plan = self._plan(one for one in self.plan.shown if not _needs_scores(one))
        if plan is None:
            return []
        depth, found = self._depth(plan), []
        if wanted.oracle:
            lists = match.best_lists(self._relevant(), seen, None if plan.kinds & OF_LISTS else depth, self.engine)
            found.append(self._scored(ORACLE, plan, self._read(lists, plan)))
        if wanted.popularity and self.sides.popularity is not None:
            lists = match.popular_lists(self.truths.everyone, self.sides.popularity, seen, depth, self.engine)
            found.append(self._scored(POPULARITY, plan, self._read(lists, plan)))
        if wanted.random is not None and self.sides.catalogue is not None:
            lists = match.random_lists(self.truths.everyone, self.sides.catalogue, seen, depth, wanted.random, self.engine)
            found.append(self._scored(RANDOM, plan, self._read(lists, plan)))
        return found

    def baseline(self) -> dict[str, Row]:
        """The row of popularity for every measure that looks at hits alone, by label; the lists themselves are not made."""
        popularity = self.sides.popularity
        plan = self._plan(one for one in self.plan.definitions if _of_hits(one))
        if popularity is None or plan is None:
            return {}
        seen = self.sides.known.seen if self.masked else None
        depth = self._depth(plan)
        ranks = match.popular_ranks(self.truths.judged.select(*match.PAIR).unique(match.PAIR), popularity, seen, depth, self.engine)
        found = ranks.join(self.truths.judged, on=match.PAIR, how="inner")
        held = match.popular_lengths(self.truths.everyone, popularity, seen, depth, self.engine)
        found, held = self.engine.settle([found, held])
        return values(self._scored(POPULARITY, plan, Reading(match.Found(found, held), repeats=False)))

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

    def _scored(self, name: str, plan: Plan, reading: Reading) -> Scored:
        model = ModelTables(self.truths, self.sides, plan, self.engine, dict.fromkeys(plan.lists, reading))
        n_train_users = self.sides.numbers.get("train_users")
        return scored(name, model, int(n_train_users) if n_train_users else None, None)


def values(of: Scored) -> dict[str, Row]:
    """Label → row of the measures that have a value."""
    return {row.label: row for of_one in of.by_definition for row in of_one[:1] if row.value is not None}


def achieved(rows: Iterable[Row], best: Mapping[str, Row]) -> list[Row]:
    """Rows with the share of the best possible value that they reach, where more is better and both are over as many users."""
    return [replace(row, achieved=_share(row, best[row.label])) if row.label in best else row for row in rows]


def _share(row: Row, best: Row) -> float | None:
    fits = row.value is not None and row.higher_is_better and row.n_users == best.n_users
    return row.value / best.value if fits and row.value is not None and best.value and best.value > 0 else None


def _needs_scores(definition: Definition) -> bool:
    alone = Plan((definition,))
    return alone.needs_scores or bool(alone.kinds & (OF_SCORES | OF_PREDICTIONS))


def _of_hits(definition: Definition) -> bool:
    alone = Plan((definition,))
    asked = alone.asked
    beyond = alone.kinds or asked.of_items or asked.of_users or alone.needs_candidates or definition.metric.system
    return not beyond and definition.population in ("test", "tested") and definition.higher_is_better is not None
