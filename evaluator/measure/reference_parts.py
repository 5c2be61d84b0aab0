"""A part whose lists are made from its test and train rows → what its users add to the values of a yardstick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import polars as pl
from msgspec.structs import replace

from ..conventions.axis import Lists
from ..tables.array import Array
from ..tables.choices import Canonical
from ..tables.graph import Choice, Tables
from ..tables.hits import train_pairs
from ..tables.list_rows import ListRows
from ..tables.lists import Reading
from ..tables.made_lists import MadeRows, SeenItems, best_rows, popular_lengths, popular_ranks, popular_rows, random_rows
from ..tables.part import LISTS, PartData
from ..tables.prepared import Prepared
from ..tables.rows import Rows, numbered
from ..tables.truth import TestPairs, TruthTable
from .by_group import GROUPS, sums_by_group
from .measuring import scored
from .partial import Partial, merged
from .scoring import Scorer
from .yardsticks import YardstickTask

_MOST_ROWS: Final = 2_000_000
"""How many rows of lists are made together, at most."""
_SOURCES: Final = (LISTS, "other_lists")
"""The names of made lists, those under the choice of the first measure first."""


def measure_yardstick(yardstick: YardstickTask, frames: Mapping[str, pl.DataFrame]) -> Partial:
    """What some users, with all their rows of test, train and the like, add to the result of a yardstick."""
    part = PartData({name: frame for name, frame in frames.items() if name != LISTS})
    partials = []
    for users in _chunks(part, yardstick.depth):
        chunk = part if users is None else part.of_users(users)
        scorer = made_scorer(yardstick, chunk)
        partial, values = scored(yardstick.task, scorer)
        if yardstick.task.by:
            partial = partial.with_more({GROUPS: sums_by_group(yardstick.task, scorer, values)})
        partials.append(partial)
    return merged(partials)


def _chunks(part: PartData, depth: int | None) -> Sequence[Array | None]:
    """Masks of users whose lists are made together; `None`: all."""
    most = max(1, _MOST_ROWS // max(1, depth or 1))
    if part.n_users <= most:
        return [None]
    number = np.arange(part.n_users) // most
    return [number == chunk for chunk in range(int(number[-1]) + 1)]


def made_scorer(yardstick: YardstickTask, part: PartData) -> Scorer:
    """The scorer of a part in which the lists of the users of the test file are made."""
    masks = list(dict.fromkeys(choice in yardstick.masked for choice in _choices(yardstick)))
    if yardstick.kind == "popular_ranks":
        nothing = pl.DataFrame({"user": part.users.clear(), "item": part.rows("test").item.clear()})
        scorer = Scorer.of(yardstick.task.prepared, part.with_sources({LISTS: nothing}))
        choices = _replace_choices(scorer, yardstick)
        for masked in masks:
            _rank_popular(scorer, choices[masked], masked, yardstick.depth)
        return scorer
    prepared = yardstick.task.prepared
    lists = {name: _made_lists(yardstick, part, masked) for name, masked in zip(_SOURCES, masks, strict=False)}
    scorer = Scorer.of(prepared, part.with_sources(lists))
    choices = _replace_choices(scorer, yardstick)
    for name, masked in zip(_SOURCES, masks, strict=False):
        rows = scorer.part.rows(name)
        reading = Reading(ListRows(rows, scorer.part.pairs[name], prepared), None, rows.user, rows.n_users, rows.starts, rows.counts)
        scorer.tables.replace("reading", Choice(lists=choices[masked]), reading)
    return scorer


def _choices(yardstick: YardstickTask) -> list[Lists]:
    return list(dict.fromkeys(inner.lists for definition in yardstick.task.definitions for inner in definition.all))


class MadeChoices(Canonical):
    """Choices of lists are two where lists are made: seen items are left out, or not."""

    def __init__(self, prepared: Prepared, part: PartData, tables: Tables, masked: frozenset[Lists], choices: Mapping[bool, Lists]) -> None:
        super().__init__(prepared, part, tables)
        self._masked, self._choices = masked, choices

    def lists(self, choice: Lists) -> Lists:
        """The choice that stands for all those that leave out seen items, or for all others."""
        return self._choices[choice in self._masked]


def _replace_choices(scorer: Scorer, yardstick: YardstickTask) -> Mapping[bool, Lists]:
    """Make two choices of lists of all; nothing stands twice in made lists, and nothing is taken out of them."""
    plain = Lists("rank", "item_asc", "float64", "keep_all", "keep", "keep")
    choices = {False: plain, True: replace(plain, seen="drop_and_refill")}
    scorer.canonical = MadeChoices(scorer.prepared, scorer.part, scorer.tables, yardstick.masked, choices)
    return choices


def _made_lists(yardstick: YardstickTask, part: PartData, masked: bool) -> pl.DataFrame:
    """`user item row` of the lists of the users of the test file."""
    prepared = yardstick.task.prepared
    if yardstick.kind == "best":
        user, item = _best(yardstick, part, masked)
    else:
        members = np.flatnonzero(part.rows("test").counts > 0)
        seen = _seen_items(part, members, masked, prepared)
        assert yardstick.depth is not None
        if yardstick.kind == "random":
            assert yardstick.test_users is not None
            numbers = yardstick.test_users.index_of(part.users.gather(members))
            made: MadeRows = random_rows(prepared, numbers, seen, yardstick.depth, yardstick.seed)
        else:
            made = popular_rows(prepared, seen, yardstick.depth)
        user, item = members[made.user], prepared.items.ids.gather(made.item)
    return pl.DataFrame({"user": part.users.gather(user), "item": item, "row": np.arange(len(user))})


def _seen_items(part: PartData, members: Array, masked: bool, prepared: Prepared) -> SeenItems:
    """What train holds of the `members` of a part, who are numbered anew."""
    if not masked:
        return SeenItems.nothing(len(members))
    pairs = train_pairs(part)
    number = np.full(part.n_users, -1, dtype=np.int64)
    number[members] = np.arange(len(members))
    rows = np.flatnonzero(number[pairs.user] >= 0)
    return SeenItems(number[pairs.user[rows]], prepared.items.index_of(pairs.item.gather(rows)), len(members))


def _best(yardstick: YardstickTask, part: PartData, masked: bool) -> tuple[Array, pl.Series]:
    """The users and the items of the best lists."""
    tables = Tables({"part": part, "prepared": yardstick.task.prepared})
    pairs: TestPairs = tables.get("test_pairs")
    gain, relevant = np.zeros(len(pairs)), np.zeros(len(pairs), dtype=np.bool_)
    for truth in yardstick.truths:
        truth_table: TruthTable = tables.get("truth_table", Choice(truth=truth))
        gain += np.where(truth_table.relevant, truth_table.gain, 0.0)
        relevant |= truth_table.relevant
    if masked:
        relevant[part.lookup_of_train.find(pairs.pairs)[0]] = False
    index = np.flatnonzero(relevant)
    index = index[best_rows(pairs.user[index], pairs.item.gather(index), gain[index], yardstick.depth)]
    return pairs.user[index], pairs.item.gather(index)


def _rank_popular(scorer: Scorer, lists: Lists, masked: bool, depth: int | None) -> None:
    """Put the ranks of test pairs in popular lists, and the lengths of these lists, in the place of the lists."""
    assert depth is not None
    part, prepared, tables = scorer.part, scorer.prepared, scorer.tables
    pairs: TestPairs = tables.get("test_pairs")
    seen = _seen_items(part, np.arange(part.n_users), masked, prepared)
    rank = popular_ranks(prepared, pairs.user, prepared.items.index_of(pairs.item), seen, depth)
    if masked:
        rank[part.lookup_of_train.find(pairs.pairs)[0]] = 0
    index = np.flatnonzero(rank)
    index = index[np.lexsort((rank[index], pairs.user[index]))]
    user = pairs.user[index]
    rows = Rows(part.n_users, user, {"rank": rank[index], "pair": index}, pairs.item.gather(index))
    among_rated = Rows(part.n_users, user, {"rank": numbered(user, part.n_users), "pair": index, "real_rank": rank[index]}, rows.item)
    lengths = np.where(scorer.facts.tested, popular_lengths(prepared, seen, depth), 0)
    no_rows = ListRows(part.rows(LISTS), part.pairs[LISTS], prepared)
    tables.replace("reading", Choice(lists=lists), Reading(no_rows, None, no_rows.user, part.n_users, no_rows.rows.starts, lengths))
    tables.replace("rated", Choice(lists=lists), rows)
    tables.replace("judged_rows", Choice(lists=lists, positions="real"), rows)
    tables.replace("judged_rows", Choice(lists=lists, positions="among_rated"), among_rated)
