"""The recommendation file of one model, read once → its lists under every choice of order, repeats and seen items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import narwhals as nw

from .. import load, match, rank
from ..engine import Engine
from ..engine.base import Ranked, Want
from ..frames import Frame
from ..metrics import Lists
from .asked import OF_LISTS, OF_PREDICTIONS
from .plan import Plan
from .truths import Read, Truths

PROFILE: Final = "profile"
"""Of what is examined: `user`, the number of rows `n` and of distinct items `n_items`, and more."""
_NEEDS_ALL_ROWS = ("keep_best_rank", "keep_best_rank_after_cut", "sum_scores")


@dataclass(frozen=True)
class Reading:
    """One way in which the lists of a model are read, and what was found under it.

    `repeats`: lists may hold an item twice; `dropped`: rows taken out that a cut-off still counts.
    """

    found: match.Found
    repeats: bool
    outside: Frame | None = None
    listed: Frame | None = None
    dropped: Frame | None = None


@dataclass(frozen=True)
class Listing:
    """What was read of the lists of one model: a reading for every choice; and of the file as it is the lengths, and what was examined."""

    readings: Mapping[Lists, Reading]
    lengths: Frame
    examined: Mapping[str, Frame]
    with_scores: Callable[[Frame], Mapping[Lists, Frame]]
    """Reads the lists of some users, who have no repeats, again: `user item rank score` under every choice."""


@dataclass(frozen=True, eq=False)
class _Wanted:
    """What one reading of the file gives, by name, and the length of each list."""

    frames: Mapping[str, Frame]
    lengths: Frame

    def __getitem__(self, name: str) -> Frame:
        return self.frames[name]

    def get(self, name: str) -> Frame | None:
        return self.frames.get(name)


def read_lists(
    source: load.Source,
    plan: Plan,
    truths: Truths,
    known: match.Known,
    candidates: match.Candidates | None,
    engine: Engine,
    read: Read,
    listed: bool = False,
    predicted: bool = False,
    examined: Mapping[str, Want] = MappingProxyType({}),
) -> Listing:
    """The reading of every choice of lists; choices that turn out equal share theirs.

    `listed` keeps every row; where ratings are `predicted` elsewhere the scores of the lists are not looked at for them. What is
    `examined` is computed in the same pass; if anything is, so are the listed items that train holds.
    """
    kinds = plan.kinds - (OF_PREDICTIONS if predicted else set())
    seen = known.seen if examined or any(choice.seen != "keep" for choice in plan.lists) else None
    wants = {"pairs": match.wanted_pairs(engine, truths.judged, seen), **examined}
    if candidates is not None:
        wants["outside"] = match.wanted_outside(candidates)
    for name, items in (("unknown", known.anywhere), ("untrained", known.trained)):
        if items is not None and any(_unknown(choice) == name for choice in plan.lists):
            wants[name] = match.wanted_unknown(items)
    if PROFILE not in examined and any(choice.duplicates in _NEEDS_ALL_ROWS for choice in plan.lists):
        wants["repeaters"] = match.wanted_repeaters()
    if listed or kinds & OF_LISTS:
        columns = ["user", "item", "rank", *(["score"] if plan.needs_scores and "score" in source.columns else [])]
        wants["listed"] = lambda lists: (lists.select(*columns),)
    return _ListReader(source, plan.lists, wants, frozenset((*examined, "repeaters")), engine, read, seen is not None).listing()


def _together(gone: Sequence[Frame]) -> Frame:
    """Rows that are taken out for several reasons, each once."""
    rows = [frame.select("user", "item", "rank") for frame in gone]
    return rows[0] if len(rows) == 1 else nw.concat(rows).unique(["user", "rank"])


def _unknown(choice: Lists) -> str:
    """The name of the rows of items that are not known; empty if they stay."""
    return {"keep": "", "drop_and_refill_untrained": "untrained"}.get(choice.unknown, "unknown")


class _ListReader:
    def __init__(
        self,
        source: load.Source,
        choices: Sequence[Lists],
        wants: Mapping[str, Want],
        examined: frozenset[str],
        engine: Engine,
        read: Read,
        knows_train: bool,
    ) -> None:
        self.source, self.wants, self.engine, self.read, self.knows_train = source, wants, engine, read, knows_train
        self.examined = examined
        """What is wanted of the file as it is, and of no other reading."""
        self.orders = {choice: rank.order_of(source.columns, choice) for choice in choices}
        self.made: dict[tuple[object, ...], Reading] = {}

    def listing(self) -> Listing:
        """The readings, and what was examined of the lists as the file has them."""
        wanted = self._ranked(list(self.orders))
        first = next(iter(wanted.values()))
        found = {name: first[name] for name in self.examined if name in first.frames}
        if self.examined:
            found["tested"] = match.of_test(first["pairs"])
        if self.knows_train:
            found["seen"] = match.of_train(first["pairs"])
        readings = self.readings(wanted)
        return Listing(readings, first.lengths, found, lambda users: self._with_scores(users, wanted))

    def _with_scores(self, users: Frame, wanted: Mapping[Lists, _Wanted]) -> dict[Lists, Frame]:
        orders, ranked = list(self.orders.values()), list[Ranked]()

        def compute(source: load.Source, scan: Frame) -> list[Frame]:
            def want(lists: Frame) -> list[Frame]:
                return [lists.select("user", "item", "rank", "score")]

            ranked[:] = self.engine.ranked(*rank.prepared(scan.join(users, on="user", how="semi"), orders), want)
            return [load.counted(scan, source)]

        self.read(self.source, compute)
        found = {}
        for choice, one in zip(self.orders, ranked, strict=True):
            gone = [rows for rows, how in self._unwanted(choice, wanted[choice]) if rows is not None and how != "drop"]
            rows = one.frames[0]
            found[choice] = match.moved_up(rows, _together(gone)) if gone else rows
        return found

    def readings(self, wanted: dict[Lists, _Wanted]) -> dict[Lists, Reading]:
        """What is found under every choice."""
        first = next(iter(wanted.values()))
        profile = first.get(PROFILE)
        repeaters = first.get("repeaters") if profile is None else profile.filter(nw.col("n_items") < nw.col("n")).select("user")
        repeats = repeaters is None or self._holds(repeaters)
        dropped: dict[Lists, Frame] = {}
        if repeats and repeaters is not None:
            wanted |= self._summed(wanted, repeaters)
            dropped = self._repeats(repeaters)
        if repeaters is None and len({choice.duplicates for choice in self.orders}) > 1:
            found = [match.of_test(frame["pairs"]) for frame in dict.fromkeys(wanted.values())]
            repeats = any(self._size(rows) > self._size(match.one_per_item(rows)) for rows in found)
        return {choice: self._reading(choice, wanted[choice], repeats, dropped.get(choice)) for choice in self.orders}

    def _ranked(self, choices: Sequence[Lists], summed: Frame | None = None) -> dict[Lists, _Wanted]:
        """What is wanted of the lists under each choice; of those `summed` from the file instead, if given."""
        orders = [self.orders[choice] for choice in choices]
        names: list[str] = []
        ranked: list[Ranked] = []

        def compute(source: load.Source, scan: Frame) -> list[Frame]:
            def want(lists: Frame) -> list[Frame]:
                wants = self.wants if summed is None else {name: make for name, make in self.wants.items() if name not in self.examined}
                frames = {name: make(lists)[0] for name, make in wants.items()}
                names[:] = list(frames)
                return [*frames.values(), load.counted(scan, source) if summed is not None else load.counted(lists, source)]

            ranked[:] = self.engine.ranked(*rank.prepared(scan if summed is None else summed, orders), want)
            return [ranked[0].frames[-1]]

        self.read(self.source, compute)
        by_id: dict[int, _Wanted] = {}
        return {
            choice: by_id.setdefault(id(one), _Wanted(dict(zip(names, one.frames, strict=False)), one.lengths))
            for choice, one in zip(choices, ranked, strict=True)
        }

    def _summed(self, wanted: Mapping[Lists, _Wanted], repeaters: Frame) -> dict[Lists, _Wanted]:
        """What is wanted where the scores of a repeated item are summed: the users who have one are read again."""
        choices = [choice for choice in self.orders if self._duplicates(choice) == "sum_scores"]
        if not choices:
            return {}
        kept: list[Frame] = []

        def compute(source: load.Source, scan: Frame) -> list[Frame]:
            kept[:] = [match.with_summed_scores(scan.join(repeaters, on="user", how="semi"), self.engine)]
            return [load.counted(scan, source)]

        self.read(self.source, compute)
        again = self._ranked(choices, kept[0])

        def either(one: Frame, other: Frame) -> Frame:
            return nw.concat([one.join(repeaters, on="user", how="anti"), other.select(*one.collect_schema().names())])

        return {
            choice: _Wanted(
                {name: either(frame, again[choice][name]) for name, frame in wanted[choice].frames.items() if name in again[choice].frames},
                either(wanted[choice].lengths, again[choice].lengths),
            )
            for choice in choices
        }

    def _duplicates(self, choice: Lists) -> str:
        """What is done with repeated items; without scores there is nothing to sum."""
        without = choice.duplicates == "sum_scores" and "score" not in self.source.columns
        return "keep_best_rank" if without else choice.duplicates

    def _repeats(self, repeaters: Frame) -> dict[Lists, Frame]:
        """The rows to drop from lists that hold an item twice, under each order that asks for it."""
        choices = [choice for choice in self.orders if self._duplicates(choice).startswith("keep_best_rank")]
        if not choices:
            return {}
        orders = [self.orders[choice] for choice in choices]
        ranked: list[Ranked] = []

        def compute(source: load.Source, scan: Frame) -> list[Frame]:
            lists = scan.join(repeaters, on="user", how="semi")
            ranked[:] = self.engine.ranked(*rank.prepared(lists, orders), match.wanted_repeats())
            return [load.counted(scan, source)]

        self.read(self.source, compute)
        return {choice: one.frames[0] for choice, one in zip(choices, ranked, strict=True)}

    def _reading(self, choice: Lists, wanted: _Wanted, repeats: bool, repeated: Frame | None) -> Reading:
        duplicates = self._duplicates(choice) if repeats else "none"
        unwanted = self._unwanted(choice, wanted)
        key = (id(wanted), duplicates, *(how if rows is not None else "keep" for rows, how in unwanted))
        if key not in self.made:
            gone = [(rows, how == "drop") for rows, how in unwanted if rows is not None]
            if repeated is not None:
                gone.append((repeated, duplicates == "keep_best_rank_after_cut"))
            self.made[key] = self._left(wanted, gone, repeats, one_per_item=duplicates == "unique_hits")
        return self.made[key]

    def _unwanted(self, choice: Lists, wanted: _Wanted) -> list[tuple[Frame | None, str]]:
        """The rows of seen and of unknown items, where they are to be taken out and there are any; and how."""
        rows = [match.of_train(wanted["pairs"]) if self.knows_train and choice.seen != "keep" else None, wanted.get(_unknown(choice))]
        held = [one if one is not None and self._holds(one) else None for one in rows]
        return [(held[0], choice.seen), (held[1], "drop" if choice.unknown == "drop" else "drop_and_refill")]

    def _left(self, wanted: _Wanted, gone: Sequence[tuple[Frame, bool]], repeats: bool, one_per_item: bool) -> Reading:
        """The lists without the rows that are `gone`, those first that go before the list is cut."""
        found = match.Found(match.of_test(wanted["pairs"]), wanted.lengths)
        beside = {name: frame for name in ("outside", "listed") if (frame := wanted.get(name)) is not None}
        for after_cut in (False, True):
            now = [rows for rows, later in gone if later == after_cut]
            if not now:
                continue
            rows = _together(now)
            found = match.closed_up(found, rows, keep_place=after_cut)
            beside = {name: self._without(name, frame, rows, after_cut) for name, frame in beside.items()}
            if after_cut:
                beside["dropped"] = rows
            gone = [(match.moved_up(later, rows), True) for later, after in gone if after]
        if one_per_item:
            found = match.Found(match.one_per_item(found.rows), found.lengths)
        return Reading(found, repeats, **beside)

    def _without(self, name: str, frame: Frame, gone: Frame, keep_place: bool = False) -> Frame:
        """Rows of the lists without those that are `gone`; `listed` has them all, and is ranked anew, which takes no join."""
        if name == "listed":
            return match.ranked_anew(frame, gone, self.engine, keep_place)
        return match.moved_up(frame, gone, keep_place)

    def _size(self, frame: Frame) -> int:
        return int(self.engine.collect(frame.select(nw.len().alias("n")))["n"].item())

    def _holds(self, frame: Frame) -> bool:
        return self._size(frame) > 0
