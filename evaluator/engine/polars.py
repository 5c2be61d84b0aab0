"""The Polars engine: lazy, on the streaming engine while it reads files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import narwhals as nw
import polars as pl

from ..frames import Frame
from . import files, positions
from .base import Order, Ranked, ReadError, Scan, Want

_KEY = " receval pair"


class PolarsEngine:
    """Reads with Polars' own scanners, ranks by row arithmetic where the file's order allows it."""

    name = "polars"

    def scan(self, source: Scan) -> Frame:
        """Open a source; see `Engine`."""
        try:
            frame = files.opened(source)
            frame.collect_schema()
        except files.FAILURES as error:
            raise ReadError(str(error)) from error
        return nw.from_native(frame)

    def ordinal(self, frame: Frame, order: Order, name: str) -> Frame:
        """Sort by user and `order`, and count from the first row of each user."""
        return nw.from_native(positions.by_sorting(frame.to_native(), order, name))

    def ranked(self, lists: Frame, orders: Sequence[Order], want: Want) -> list[Ranked]:
        """Rank in the cheapest way that the file's order allows, and mend the users for whom that way was wrong.

        A file whose lists stand together and in order needs no sort: position is row arithmetic, checked in the same pass.
        Otherwise each row is ranked by its first key, which settles every user without ties. Whoever is left is sorted.
        Orders with the same first key share an attempt, and all attempts by rows share what is wanted.
        """
        native: pl.LazyFrame = lists.to_native()
        (head,) = _collect([native.head(positions.PEEK)])
        several = len(orders) > 1
        hopes = {order: positions.outlook(head, order) for order in {tuple(order): order for order in orders}}
        firsts = {order[0]: order for order in reversed(hopes)}
        by_rows = {
            first: positions.by_rows(native, order, several or hopes[order].few_ties)
            for first, order in firsts.items()
            if hopes[order].ordered
        }
        found = self._attempts(by_rows, want, shared=True)
        found = {
            first: (frames, said) for first, (frames, said) in found.items() if said.wrong.height <= positions.FEW * said.lengths.height
        }
        found |= self._attempts({first: positions.by_first_key(native, firsts[first]) for first in firsts.keys() - found.keys()}, want)
        verdicts = {order: positions.seen_from(found[order[0]][1], order, order == firsts[order[0]]) for order in hopes}
        unsure = pl.concat([said.wrong for said in verdicts.values()]).unique()
        if several and unsure.height:  # what is to be sorted in several ways is read once
            (native_rows,) = _collect([native.join(unsure.lazy(), on="user", how="semi")])
            native = native_rows.lazy()
        exact: dict[int, Ranked] = {}
        ranked: dict[Order, Ranked] = {}
        for order, said in verdicts.items():
            frames = found[order[0]][0]
            if said.wrong.height or said.ties.height:
                ranked[order] = self._mended(native, order, want, frames, said)
            else:
                if id(frames) not in exact:
                    exact[id(frames)] = self._mended(native, order, want, frames, said)
                ranked[order] = exact[id(frames)]
        return [ranked[tuple(order)] for order in orders]

    def _attempts(
        self, attempts: Mapping[tuple[str, bool], positions.Attempt], want: Want, shared: bool = False
    ) -> dict[tuple[str, bool], tuple[list[pl.DataFrame], positions.Verdict]]:
        """What is wanted under each attempt and what its marks say, in one pass; `shared`: all attempts rank alike."""
        if not attempts:
            return {}
        ranked = list(attempts.values())[:1] if shared else list(attempts.values())
        wanted = [[frame.to_native() for frame in want(nw.from_native(attempt.lists))] for attempt in ranked]
        n_rows = ranked[0].lists.select(pl.len())
        collected = _collect([*(frame for frames in wanted for frame in frames), *(attempt.marks for attempt in attempts.values()), n_rows])
        marks, total = collected[-1 - len(attempts) : -1], collected[-1].item()
        width = len(wanted[0])
        groups = [collected[place * width : (place + 1) * width] for place in range(len(wanted))]
        return {
            first: (groups[0 if shared else place], positions.judge(mark, total))
            for place, (first, mark) in enumerate(zip(attempts, marks, strict=True))
        }

    def _mended(self, lists: pl.LazyFrame, order: Order, want: Want, frames: list[pl.DataFrame], verdict: positions.Verdict) -> Ranked:
        frames = list(frames)
        for place, frame in enumerate(frames):
            frames[place] = positions.mended(frame, verdict, order)
        if verdict.wrong.height:
            some = positions.by_sorting(lists.join(verdict.wrong.lazy(), on="user", how="semi"), order, "rank")
            exact = _collect([frame.to_native() for frame in want(nw.from_native(some))])
            frames = [
                pl.concat([old.join(verdict.wrong, on="user", how="anti"), new.select(old.columns)]) if "rank" in new.columns else old
                for old, new in zip(frames, exact, strict=True)
            ]
        return Ranked([_kept(frame) for frame in frames], _kept(verdict.lengths.select("user", "n_recommended")))

    def joined(self, rows: Frame, pairs: Frame) -> Frame:
        """Join on user and item; integers are packed into one key, which is faster, and looked at again, since keys may collide."""
        left: pl.LazyFrame = rows.to_native()
        right: pl.LazyFrame = pairs.to_native()
        types = left.collect_schema()
        if types["user"] != pl.Int64 or types["item"] != pl.Int64:
            return nw.from_native(left.join(right, on=["user", "item"]))
        key = (pl.col("user") * 2**32 + pl.col("item")).alias(_KEY)
        found = left.with_columns(key).join(right.with_columns(key), on=_KEY, suffix=_KEY)
        same = (pl.col("user") == pl.col(f"user{_KEY}")) & (pl.col("item") == pl.col(f"item{_KEY}"))
        return nw.from_native(found.filter(same).drop(_KEY, f"user{_KEY}", f"item{_KEY}"))

    def settle(self, frames: Sequence[Frame], *, ordered: bool = False) -> list[Frame]:
        """Compute the frames in one streaming pass, or in order, and keep them in memory."""
        if ordered:
            return [_kept(frame.to_native().collect(engine="in-memory")) for frame in frames]
        return [_kept(frame) for frame in _collect([frame.to_native() for frame in frames])]

    def collect(self, frame: Frame) -> nw.DataFrame[Any]:
        """Compute a frame on the in-memory engine, whose sums run in row order and so give the same bits every time."""
        return nw.from_native(frame.to_native().collect(engine="in-memory").rechunk(), eager_only=True)

    def lift(self, frame: nw.DataFrame[Any]) -> Frame:
        """It is where it should be."""
        return frame.lazy()

    def close(self) -> None:
        """Nothing is held."""


def _kept(frame: pl.DataFrame) -> Frame:
    """A computed frame for further use, every column spelled out.

    Polars may keep a column of equal values as one value, and divides by such a one in another way, which differs in the
    last bit: whether it does must not depend on how the frame came about.
    """
    return nw.from_native(pl.DataFrame(frame.get_columns()).lazy())


def _collect(frames: Sequence[pl.LazyFrame]) -> list[pl.DataFrame]:
    try:
        return pl.collect_all(frames, engine="streaming")
    except files.FAILURES as error:
        raise ReadError(str(error)) from error
