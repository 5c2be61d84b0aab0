"""The recommendation file of one model, read once → its lists under every choice of order, repeats and seen items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import narwhals as nw

from .. import load, match, rank
from ..engine import Engine
from ..engine.base import Ranked, Want
from ..metrics import Lists
from ..tables import Frame
from .asked import OF_LISTS, OF_PREDICTIONS
from .plan import Plan
from .truths import Read, Truths

_NEEDS_ALL_ROWS = ("drop", "drop_after_cut", "sum_scores")


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
) -> dict[Lists, Reading]:
    """The reading of every choice of lists; choices that turn out equal share theirs.

    `listed` keeps every row; where ratings are `predicted` elsewhere the scores of the lists are not looked at for them.
    """
    kinds = plan.kinds - (OF_PREDICTIONS if predicted else set())
    wants = {"found": match.wanted(truths.judged)}
    if candidates is not None:
        wants["outside"] = match.wanted_outside(candidates)
    if known.seen is not None and any(choice.seen != "keep" for choice in plan.lists):
        wants["seen"] = match.wanted_seen(known.seen)
    if known.seen is not None and any(choice.seen == "drop_with_unknown" for choice in plan.lists):
        wants["unknown"] = match.wanted_unknown(known.seen.select("item").unique("item"))
    if any(choice.duplicates in _NEEDS_ALL_ROWS for choice in plan.lists):
        wants["repeaters"] = match.wanted_repeaters()
    if listed or kinds & OF_LISTS:
        columns = ["user", "item", "rank", *(["score"] if plan.needs_scores and "score" in source.columns else [])]
        wants["listed"] = lambda lists: (lists.select(*columns),)
    return _ListReader(source, plan.lists, wants, engine, read).readings()


class _ListReader:
    def __init__(self, source: load.Source, choices: Sequence[Lists], wants: Mapping[str, Want], engine: Engine, read: Read) -> None:
        self.source, self.wants, self.engine, self.read = source, wants, engine, read
        self.orders = {choice: rank.order_of(source.columns, choice) for choice in choices}
        self.made: dict[tuple[int, str, str], Reading] = {}

    def readings(self) -> dict[Lists, Reading]:
        wanted = self._ranked(list(self.orders))
        repeaters = next(iter(wanted.values())).get("repeaters")
        repeats = repeaters is None or self._holds(repeaters)
        dropped: dict[Lists, Frame] = {}
        if repeats and repeaters is not None:
            wanted |= self._summed(wanted, repeaters)
            dropped = self._repeats(repeaters)
        if repeaters is None and len({choice.duplicates for choice in self.orders}) > 1:
            repeats = any(
                self._size(frame["found"]) > self._size(match.one_per_item(frame["found"])) for frame in dict.fromkeys(wanted.values())
            )
        return {choice: self._reading(choice, wanted[choice], repeats, dropped.get(choice)) for choice in self.orders}

    def _ranked(self, choices: Sequence[Lists], summed: Frame | None = None) -> dict[Lists, _Wanted]:
        """What is wanted of the lists under each choice; of those `summed` from the file instead, if given."""
        orders = [self.orders[choice] for choice in choices]
        names: list[str] = []
        ranked: list[Ranked] = []

        def compute(source: load.Source, scan: Frame) -> list[Frame]:
            def want(lists: Frame) -> list[Frame]:
                frames = {name: make(lists)[0] for name, make in self.wants.items()}
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
                {name: either(frame, again[choice][name]) for name, frame in wanted[choice].frames.items() if name != "repeaters"},
                either(wanted[choice].lengths, again[choice].lengths),
            )
            for choice in choices
        }

    def _duplicates(self, choice: Lists) -> str:
        """What is done with repeated items; without scores there is nothing to sum."""
        without = choice.duplicates == "sum_scores" and "score" not in self.source.columns
        return "drop" if without else choice.duplicates

    def _repeats(self, repeaters: Frame) -> dict[Lists, Frame]:
        """The rows to drop from lists that hold an item twice, under each order that asks for it."""
        choices = [choice for choice in self.orders if self._duplicates(choice) in ("drop", "drop_after_cut")]
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

    def _reading(self, choice: Lists, wanted: _Wanted, repeats: bool, dropped: Frame | None) -> Reading:
        seen = wanted.get("seen") if choice.seen != "keep" else None
        if seen is not None and choice.seen == "drop_with_unknown":
            seen = nw.concat([seen, wanted["unknown"]])
        if seen is not None and not self._holds(seen):
            seen = None
        duplicates = self._duplicates(choice) if repeats else "none"
        key = (id(wanted), duplicates, choice.seen if seen is not None else "keep")
        if key not in self.made:
            found = match.Found(wanted["found"], wanted.lengths)
            beside = {name: frame for name in ("outside", "listed") if (frame := wanted.get(name)) is not None}
            if seen is not None:
                found = match.closed_up(found, seen)
                beside = {name: self._without(name, frame, seen) for name, frame in beside.items()}
                dropped = None if dropped is None else match.moved_up(dropped, seen)
            if dropped is not None and duplicates in ("drop", "drop_after_cut"):
                after_cut = duplicates == "drop_after_cut"
                found = match.closed_up(found, dropped, keep_place=after_cut)
                if after_cut:
                    beside["dropped"] = dropped
                beside |= {name: self._without(name, frame, dropped, after_cut) for name, frame in beside.items() if name != "dropped"}
            if duplicates == "unique_hits":
                found = match.Found(match.one_per_item(found.rows), found.lengths)
            self.made[key] = Reading(found, repeats, **beside)
        return self.made[key]

    def _without(self, name: str, frame: Frame, gone: Frame, keep_place: bool = False) -> Frame:
        """Rows of the lists without those that are `gone`; `listed` has them all, and is ranked anew, which takes no join."""
        if name == "listed":
            return match.ranked_anew(frame, gone, self.engine, keep_place)
        return match.moved_up(frame, gone, keep_place)

    def _size(self, frame: Frame) -> int:
        return int(self.engine.collect(frame.select(nw.len().alias("n")))["n"].item())

    def _holds(self, frame: Frame) -> bool:
        return self._size(frame) > 0
