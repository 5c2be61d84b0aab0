"""`ModelDiff`: where the lists of two models part, user by user, and why relevant items were missed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, NamedTuple

import polars as pl
from msgspec import Struct

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""

Reason = Literal["hit", "below_cut", "deep", "in_train", "cold", "unknown", "other_only", "not_listed"]
REASONS: Final[tuple[Reason, ...]] = ("hit", "below_cut", "deep", "in_train", "cold", "unknown", "other_only", "not_listed")
"""Reasons why a relevant item is no hit, in the order in which they are tried; the first that holds counts. A code is an index into them.

- `hit`: it is a hit, and nothing is to be explained
- `below_cut`: it is listed at a rank from k + 1 to 2k
- `deep`: it is listed below rank 2k
- `in_train`: it is not listed, and the user has it in data.train
- `cold`: it is not listed, and no row of data.train has it
- `unknown`: it is in no list of this model, of any user
- `other_only`: it is not listed, and the other model lists it for this user
- `not_listed`: none of these
"""
Order = Literal["loss", "gain", "relevant", "random"]
ORDERS: Final[tuple[Order, ...]] = ("loss", "gain", "relevant", "random")
"""Orders of users: largest losses or gains first, most relevant items first, or random."""
BASE, MODEL = "base", "model"
RANDOM: Final = "random"
"""Column of the random number of a user."""
SIDES: Final = (BASE, MODEL)
"""The two models in names of columns, in the order of the command."""


class MeasureDiff(Struct, frozen=True):
    """One measure over the users with a value under both models: the means, their difference, and the numbers of users.

    `is_split` is true if contributions of items add up to the difference of each user.
    """

    measure: str
    base: float | None
    model: float | None
    difference: float | None
    n_users: int
    n_worse: int
    n_better: int
    n_same: int
    higher_is_better: bool | None
    is_split: bool


class MissedItems(NamedTuple):
    """Numbers of relevant items by reason: missed by each model; hits only of the base (`lost`); hits only of the model (`gained`).

    The reason of a lost item is why the model misses it, that of a gained one why the base does.
    """

    base: Mapping[Reason, int]
    model: Mapping[Reason, int]
    lost: Mapping[Reason, int]
    gained: Mapping[Reason, int]


class ShownUsers(Struct, frozen=True, eq=False):
    """Some users with all details.

    `users` has a row per user; `lists` the rows of both lists: `user`, `side` (base or model), `rank`, `item`, `relevant`, `other_rank`
    (null: the other model does not list it); `items` the relevant items, as `ModelDiff.contributions`.
    """

    users: pl.DataFrame
    lists: pl.DataFrame
    items: pl.DataFrame


class MeasureFormula(Struct, frozen=True):
    """The formula of a measure and its cut-off; `gain` is the gain of a grade if the terms are gain / log2(rank + 1), otherwise empty."""

    text: str
    k: int | None
    gain: str = ""


class SampledUsers(Struct, frozen=True, eq=False):
    """The users of a page to explore, in the order from the largest loss to the largest gain.

    `users`, `lists` and `items` are as in `ShownUsers`; `lists` has the first ranks only, with the columns `in_train` (the user has the
    item in data.train) and `cold` (no row of data.train has it). `n_losses`, `n_gains` and `n_random` are the numbers of users by the
    order that chose them; all are 0 if these are all users. `history` has the train rows of these users, in the order of the file.
    `groups` has for each grouping the group of each user, in the order of `users`. `formulas` has the formula of each measure, in the order
    of the measures; `titles` and `pictures` are by the id of an item as text.
    """

    users: pl.DataFrame
    lists: pl.DataFrame
    items: pl.DataFrame
    history: pl.DataFrame
    n_losses: int
    n_gains: int
    n_random: int
    groups: Mapping[str, tuple[str, ...]]
    formulas: tuple[MeasureFormula, ...]
    titles: Mapping[str, str]
    pictures: Mapping[str, str] = {}


class ModelDiff(Struct, frozen=True, eq=False):
    """The difference between the lists of a base and a model.

    - `measure`: the measure that decides what a loss is and the cut-off `k` (null: the whole list) of hits
    - `measures`: the difference of each measure; `overlap`: the means of `jaccard`, `rbo` and `overlap` over users
    - `n_only_base`, `n_only_model`: users with a value under one of the models only, who are left out
    - `missed`: why relevant items were missed, of `n_relevant` relevant items
    - `users`: one row per user; `contributions`: one row per relevant item of each user; both empty unless they are kept
    - `shown`: the users of each order, as many as were asked for
    - `titles`: titles of items, by id
    - `sample`: the users of a page to explore, if it is asked for
    """

    base: str
    model: str
    measure: str
    k: int | None
    p: float
    seed: int
    measures: tuple[MeasureDiff, ...]
    overlap: Mapping[str, float | None]
    n_users: int
    n_only_base: int
    n_only_model: int
    n_filtered: int
    n_relevant: int
    missed: MissedItems
    has_train: bool
    users: pl.DataFrame
    contributions: pl.DataFrame
    shown: Mapping[Order, ShownUsers]
    filters: tuple[str, ...] = ()
    titles: Mapping[Any, str] = {}
    notes: tuple[str, ...] = ()
    shows_users: bool = False
    sample: SampledUsers | None = None

    @property
    def main(self) -> MeasureDiff:
        """The difference of the measure that decides what a loss is."""
        return next(measure for measure in self.measures if measure.measure == self.measure)
