"""Who counts for a measure, and what the files hold of a user."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from msgspec import Struct

from ..metrics.definition import Definition
from ..tables.array import Array
from ..tables.part import LISTS, PartData
from ..tables.truth import TEST


class Cell(NamedTuple):
    """What the files hold of a user: a row of the test file, a relevant item, a list."""

    tested: bool
    relevant: bool
    listed: bool

    @property
    def code(self) -> int:
        """Its number, from 0 to 7."""
        return 4 * self.tested + 2 * self.relevant + self.listed


CELLS = tuple(Cell(bool(code & 4), bool(code & 2), bool(code & 1)) for code in range(8))
"""Every cell, at the place of its code."""


class UserFacts(Struct, frozen=True, eq=False):
    """For each user of a part whether the test file, train, and the reference model's lists hold the user."""

    tested: Array
    in_train: Array | None
    in_baseline: Array | None

    @classmethod
    def of(cls, part: PartData) -> UserFacts:
        """The facts of the users of a part."""
        held = {name: part.rows(name).counts > 0 if name in part else None for name in (TEST, "train", "baseline", LISTS)}
        tested = held[TEST]
        assert tested is not None
        return cls(tested, held["train"], held["baseline"])


def who_counts(definition: Definition, facts: UserFacts, n_relevant: Array, n_recommended: Array) -> Array:
    """For each user whether the user counts for a measure, as its population and the axes missing_lists, no_relevant and no_truth say."""
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
        counts = counts & (relevant | ~tested if strangers else relevant)
    return counts & listed if counted.missing_lists == "drop" else counts


def cells_of(facts: UserFacts, n_relevant: Array, n_recommended: Array) -> Array:
    """The code of the cell of each user."""
    return 4 * facts.tested.astype(np.int64) + 2 * (n_relevant > 0) + (n_recommended > 0)
