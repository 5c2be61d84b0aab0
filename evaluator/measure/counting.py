"""Who counts for a measure, and what the files hold of a user."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from msgspec import Struct

from ..metrics.definition import Definition
from ..tables.array import Array
from ..tables.part import EMPTY_TRUTH, PartData
from ..tables.truth import TEST


class UserCell(NamedTuple):
    """What the files hold of a user: a row of the test file, a relevant item, a list; or an empty list in the test set, which is no row."""

    tested: bool
    relevant: bool
    listed: bool
    empty: bool = False

    @property
    def code(self) -> int:
        """Its number, from 0 to 9."""
        return 8 + self.listed if self.empty else 4 * self.tested + 2 * self.relevant + self.listed


CELLS = (
    *(UserCell(bool(code & 4), bool(code & 2), bool(code & 1)) for code in range(8)),
    *(UserCell(True, False, listed, empty=True) for listed in (False, True)),
)
"""Every cell, at the place of its code."""


class UserFacts(Struct, frozen=True, eq=False):
    """For each user of a part whether the test file, train, and the reference model's lists hold the user.

    `empty` are those whom the test set holds with an empty list; they are `tested` too.
    """

    tested: Array
    in_train: Array | None
    in_baseline: Array | None
    empty: Array | None = None

    @classmethod
    def of(cls, part: PartData) -> UserFacts:
        """The facts of the users of a part."""
        held = {name: part.rows(name).counts > 0 if name in part else None for name in (TEST, "train", "baseline", EMPTY_TRUTH)}
        tested = held[TEST]
        assert tested is not None
        if (named := held[EMPTY_TRUTH]) is None:
            return cls(tested, held["train"], held["baseline"])
        return cls(tested | named, held["train"], held["baseline"], named & ~tested)


def who_counts(definition: Definition, facts: UserFacts, n_relevant: Array, n_recommended: Array) -> Array:
    """For each user whether the user counts for a measure, as its population and the axes of the users who count say."""
    counted, population = definition.user_rules, definition.population
    tested, listed, relevant = facts.tested, n_recommended > 0, n_relevant > 0
    if population == "tested":
        return tested
    if population == "train":
        assert facts.in_train is not None
        return facts.in_train
    if population == "baseline":
        assert facts.in_baseline is not None
        return facts.in_baseline
    if population != "test":
        return listed & tested if population == "tested_lists" else listed
    strangers = counted.no_truth == "zero"
    counts = tested | listed if strangers else tested
    if counted.no_relevant == "drop":
        allowed = relevant | ~tested if strangers else relevant
        if facts.empty is not None and counted.empty_truth != "as_no_relevant":
            allowed = allowed | facts.empty
        counts = counts & allowed
    return counts & listed if counted.missing_lists == "drop" else counts


def cells_of(facts: UserFacts, n_relevant: Array, n_recommended: Array) -> Array:
    """The code of the cell of each user."""
    codes = 4 * facts.tested.astype(np.int64) + 2 * (n_relevant > 0) + (n_recommended > 0)
    return codes if facts.empty is None else np.where(facts.empty, 8 + (n_recommended > 0), codes)
