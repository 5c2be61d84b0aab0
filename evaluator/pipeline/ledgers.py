"""The users of one model by what the files hold of them → who counts for each measure, who does not, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import narwhals as nw

from .. import aggregate
from ..frames import Frame
from ..ledger import Ledger
from ..metrics import Definition
from ..result import Row
from .asked import OF_PREDICTIONS
from .counted import conditions
from .model import ModelTables
from .plan import Plan

_SLOW = ("bootstrap95",)
"""Aggregates that are not made again over some of the users."""


class _Some(NamedTuple):
    """Over some of the users: how many count for each measure, and its values by aggregate."""

    counted: list[int]
    values: list[dict[str, float | None]]


class Cell(NamedTuple):
    """What the files hold of a user: a row of the test file, a relevant item, a list."""

    tested: bool
    relevant: bool
    listed: bool


@dataclass(frozen=True)
class Ledgers:
    """Makes the ledgers of the measures of one model, whose values are in `per_user`; `warm` are the users of train, if known."""

    model: ModelTables
    per_user: nw.DataFrame[Any]
    warm: Frame | None
    cells: dict[tuple[int, str], Mapping[Cell, int]]

    @classmethod
    def of(cls, model: ModelTables, per_user: nw.DataFrame[Any], warm: Frame | None) -> Ledgers:
        """The ledgers of a model that was scored."""
        return cls(model, per_user, warm, {})

    def with_ledgers(self, found: Sequence[Sequence[Row]], aggregates: Sequence[str]) -> list[list[Row]]:
        """The rows of every measure with their ledgers."""
        covered = {place: self._some(self._covered(place), aggregates) for place in range(len(self.model.readings))}
        warm = self._some(self._of_train(), aggregates)
        made = []
        for index, (definition, rows) in enumerate(zip(self.model.plan.definitions, found, strict=True)):
            ledger = self.ledger(index, definition, rows[0].n_users if rows else 0)
            parts = {"covered": covered[self.model.place[definition.lists]], "warm": warm}
            made.append([replace(row, ledger=_with_values(ledger, row, parts, index, definition.metric.system)) for row in rows])
        return made

    def _some(self, frame: nw.DataFrame[Any] | None, aggregates: Sequence[str]) -> _Some | None:
        """The values over some of the users."""
        if frame is None:
            return None
        plain = [one for one in aggregates if one not in _SLOW] or (("mean",) if aggregates else ())
        rows = aggregate.rows("", frame, self.model.plan.definitions, plain)
        counted = [len(frame[f"v{index}"].drop_nulls()) for index in range(len(rows))]
        return _Some(counted, [{row.aggregate: row.value for row in of_one} for of_one in rows])

    def ledger(self, index: int, definition: Definition, n_users: int) -> Ledger:
        """Who counts for one measure."""
        place, truth, name = self.model.found_under(definition)
        cells = self._cells(place, truth.users, name)
        system = definition.metric.system
        counted = n_users if system else len(self.per_user[f"v{index}"].drop_nulls())
        base = Ledger(
            in_truth=sum(n for cell, n in cells.items() if cell.tested),
            in_lists=sum(n for cell, n in cells.items() if cell.listed),
            in_both=sum(n for cell, n in cells.items() if cell.tested and cell.listed),
            counted=counted,
        )
        if definition.population in ("train", "baseline"):
            return self._of_others(base, place, definition.population)
        groups = conditions(definition, f"n_relevant_{name}", f"n_recommended_{place}", all_tested=True, untested=True)
        fits = {cell: _counts(cell, groups, f"n_relevant_{name}", f"n_recommended_{place}") for cell in cells}
        without_value = sum(n for cell, n in cells.items() if fits[cell]) - counted
        valued = self._valued(index, place, truth.users) if without_value and not system else cells
        judged, filled = definition.population in ("test", "tested"), not self._predicted(definition)
        reasons: dict[str, int] = {}
        for cell, n in cells.items():
            why = _why(cell, fits[cell], judged and (filled or not fits[cell]))
            if why:
                reasons[why] = reasons.get(why, 0) + (valued.get(cell, 0) if fits[cell] else n)
        return replace(base, **reasons, left_out_without_value=without_value)

    def _of_others(self, base: Ledger, place: int, population: str) -> Ledger:
        """The ledger of a measure that is averaged over the users of train or of the reference model."""
        sides = self.model.sides
        file = sides.train if population == "train" else sides.baseline
        assert file is not None, "the measure needs it"
        others = file.select("user").unique("user")
        own = nw.concat([self.model.truths.everyone.select("user"), self._listed(place)]).unique("user")
        n_others, n_own, n_shared = (self.model.size(frame) for frame in (others, own, own.join(others, on="user", how="semi")))
        return replace(
            base, others=n_others - n_shared, left_out_of_others=n_own - n_shared, left_out_without_value=n_others - base.counted
        )

    def _predicted(self, definition: Definition) -> bool:
        """Whether a measure looks at predictions of a file of their own, which users without a list may have."""
        return self.model.predictions is not None and bool(Plan((definition,)).kinds & OF_PREDICTIONS)

    def _listed(self, place: int) -> Frame:
        return self.model.readings[place].found.lengths.select("user")

    def _valued(self, index: int, place: int, relevant: Frame) -> Mapping[Cell, int]:
        """How many users of each kind have a value, where a metric leaves out users without a hit."""
        with_value = self.per_user.filter(~nw.col(f"v{index}").is_null()).select("user")
        marks = {"tested": self.model.truths.everyone, "relevant": relevant, "listed": self._listed(place)}
        for name, frame in marks.items():
            mark = self.model.engine.collect(frame.select("user", nw.lit(1).alias(name)))
            with_value = with_value.join(mark, on="user", how="left").with_columns(nw.col(name).fill_null(0))
        counts = with_value.group_by(*marks).agg(n=nw.len()).rows(named=True)
        return {Cell(bool(row["tested"]), bool(row["relevant"]), bool(row["listed"])): row["n"] for row in counts}

    def _cells(self, place: int, relevant: Frame, name: str) -> Mapping[Cell, int]:
        """How many users the files hold so, each kind once; kinds without users are left out."""
        if (place, name) not in self.cells:
            lengths = self._listed(place)
            everyone = self.model.truths.everyone
            n_tested, n_relevant, n_listed, both, wanted = (
                self.model.size(frame)
                for frame in (
                    everyone,
                    relevant,
                    lengths,
                    lengths.join(everyone, on="user", how="semi"),
                    lengths.join(relevant.select("user"), on="user", how="semi"),
                )
            )
            found = {
                Cell(True, True, True): wanted,
                Cell(True, True, False): n_relevant - wanted,
                Cell(True, False, True): both - wanted,
                Cell(True, False, False): n_tested - n_relevant - (both - wanted),
                Cell(False, False, True): n_listed - both,
            }
            self.cells[place, name] = {cell: n for cell, n in found.items() if n}
        return self.cells[place, name]

    def _covered(self, place: int) -> nw.DataFrame[Any]:
        """The values of users with a list, as one reading has them."""
        return self.per_user.filter(nw.col(f"n_recommended_{place}") > 0)

    def _of_train(self) -> nw.DataFrame[Any] | None:
        """The values of users whom train holds; `None` if there is no train file."""
        return None if self.warm is None else self.per_user.join(self.model.engine.collect(self.warm), on="user", how="semi")


def _with_values(ledger: Ledger, row: Row, parts: Mapping[str, _Some | None], index: int, system: bool) -> Ledger:
    """`ledger` with the values over the covered and over the warm users, where they are not all that count."""
    more: dict[str, Any] = {}
    for part, some in parts.items():
        if some is not None and not system:
            more[part] = some.counted[index]
            more[f"{part}_value"] = some.values[index].get(row.aggregate) if some.counted[index] < ledger.counted else None
    return replace(ledger, **more)


def _counts(cell: Cell, groups: Iterable[Sequence[str]], n_relevant: str, n_recommended: str) -> bool:
    """Whether users of a kind count: of each group of columns one holds for them."""
    holds = {n_relevant: cell.relevant, n_recommended: cell.listed, "tested": cell.tested, "untested": not cell.tested}
    return all(any(holds[name] for name in names) for names in groups)


def _why(cell: Cell, counts: bool, judged: bool) -> str:
    """The column of the ledger where users of a kind stand; empty if they count as anyone does.

    Where a measure is averaged over users with lists, whatever the test file holds, nobody is filled in.
    """
    if counts:
        if not judged:
            return ""
        kinds = (("filled_without_list", cell.listed), ("filled_without_truth", cell.tested), ("filled_without_relevant", cell.relevant))
    else:
        truth = (("left_out_without_truth", cell.tested), ("left_out_without_relevant", cell.relevant))
        lists = (("left_out_without_list", cell.listed),)
        kinds = (*truth, *lists) if judged else (*lists, *truth)
    return next((name for name, has in kinds if not has), "")
