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
from .plan import Plan
from .truths import Read, Truths

_NEEDS_ALL_ROWS = ("drop", "drop_after_cut", "sum_scores")


@dataclass(frozen=True)
class Reading:
    """One way in which the lists of a model are read, and what was found under it; `repeats`: lists may hold an item twice."""

    found: match.Found
    repeats: bool
    outside: Frame | None = None
    listed: Frame | None = None


@dataclass(frozen=True, eq=False)
class _Wanted:
    """What one reading of the file gives: the frames of one `Ranked` by their names."""

    ranked: Ranked
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> Frame:
        return self.ranked.frames[self.names.index(name)]

    def get(self, name: str) -> Frame | None:
        return self[name] if name in self.names else None


def read_lists(
    source: load.Source,
    plan: Plan,
    truths: Truths,
    known: match.Known,
    candidates: match.Candidates | None,
    engine: Engine,
    read: Read,
    listed: bool = False,
) -> dict[Lists, Reading]:
    """The reading of every choice of lists; choices that turn out equal share theirs. `listed` keeps every row."""
    wants = {"found": match.wanted(truths.judged)}
    if candidates is not None:
        wants["outside"] = match.wanted_outside(candidates)
    if known.seen is not None and any(choice.seen != "keep" for choice in plan.lists):
        wants["seen"] = match.wanted_seen(known.seen)
    if known.seen is not None and any(choice.seen == "drop_with_unknown" for choice in plan.lists):
        wants["unknown"] = match.wanted_unknown(known.seen.select("item").unique("item"))
    if any(choice.duplicates in _NEEDS_ALL_ROWS for choice in plan.lists):
        wants["repeaters"] = match.wanted_repeaters()
    if listed:
        wants["listed"] = lambda lists: (lists.select("user", "item", "rank"),)
    return _ListReader(source, plan.lists, wants, engine, read).readings()


class _ListReader:
    def __init__(self, source: load.Source, choices: Sequence[Lists], wants: Mapping[str, Want], engine: Engine, read: Read) -> None:
        self.source, self.wants, self.engine, self.read = source, wants, engine, read
        self.orders = {choice: rank.order_of(source.columns, choice) for choice in choices}
        self.made: dict[tuple[int, str, str], Reading] = {}

    def readings(self) -> dict[Lists, Reading]:
        wanted = self._ranked(list(self.orders), summed=False)
        first = next(iter(wanted.values()))
        repeaters = first.get("repeaters")
        repeats = repeaters is None or self._holds(repeaters)
        summed = (
            [choice for choice in self.orders if choice.duplicates == "sum_scores"] if repeats and "score" in self.source.columns else []
        )
        if summed:
            wanted |= self._ranked(summed, summed=True)
        dropped = self._repeats(repeaters) if repeats and repeaters is not None else {}
        if repeaters is None and len({choice.duplicates for choice in self.orders}) > 1:
            repeats = any(
                self._size(frame["found"]) > self._size(match.one_per_item(frame["found"])) for frame in dict.fromkeys(wanted.values())
            )
        return {
            choice: self._reading(choice, wanted[choice], repeats and choice not in summed, dropped.get(choice)) for choice in self.orders
        }

    def _ranked(self, choices: Sequence[Lists], summed: bool) -> dict[Lists, _Wanted]:
        orders = [self.orders[choice] for choice in choices]
        names: list[str] = []
        ranked: list[Ranked] = []

        def compute(source: load.Source, scan: Frame) -> list[Frame]:
            def want(lists: Frame) -> list[Frame]:
                frames = {name: make(lists)[0] for name, make in self.wants.items()}
                names[:] = list(frames)
                return [*frames.values(), load.counted(scan if summed else lists, source)]

            ranked[:] = self.engine.ranked(*rank.prepared(match.with_summed_scores(scan) if summed else scan, orders), want)
            return [ranked[0].frames[-1]]

        self.read(self.source, compute)
        by_id: dict[int, _Wanted] = {}
        return {choice: by_id.setdefault(id(one), _Wanted(one, tuple(names))) for choice, one in zip(choices, ranked, strict=True)}

    def _repeats(self, repeaters: Frame) -> dict[Lists, Frame]:
        """The rows to drop from lists that hold an item twice, under each order that asks for it."""
        choices = [choice for choice in self.orders if choice.duplicates in ("drop", "drop_after_cut")]
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
        duplicates = choice.duplicates if repeats else "none"
        key = (id(wanted), duplicates, choice.seen if seen is not None else "keep")
        if key not in self.made:
            found = match.Found(wanted["found"], wanted.ranked.lengths)
            beside = {name: frame for name in ("outside", "listed") if (frame := wanted.get(name)) is not None}
            if seen is not None:
                found = match.closed_up(found, seen)
                beside = {name: match.moved_up(frame, seen) for name, frame in beside.items()}
                dropped = None if dropped is None else match.moved_up(dropped, seen)
            if dropped is not None and duplicates in ("drop", "drop_after_cut"):
                after_cut = duplicates == "drop_after_cut"
                found = match.closed_up(found, dropped, keep_place=after_cut)
                beside = {name: match.moved_up(frame, dropped, keep_place=after_cut) for name, frame in beside.items()}
            if duplicates == "unique_hits":
                found = match.Found(match.one_per_item(found.rows), found.lengths)
            self.made[key] = Reading(found, repeats, **beside)
        return self.made[key]

    def _size(self, frame: Frame) -> int:
        return int(self.engine.collect(frame.select(nw.len().alias("n")))["n"].item())

    def _holds(self, frame: Frame) -> bool:
        return self._size(frame) > 0
