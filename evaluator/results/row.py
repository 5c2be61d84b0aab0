"""`Row`: one value with what it depends on, and `Counts`: who was counted."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from ..metrics import find
from ..names.formula import is_formula
from . import ledger, protocol
from .ledger import Ledger
from .protocol import Protocol

SPLITS: Final = ("by", "group", "few_users", "fold", "run", "repeats", "repeats_std", "least_users")
"""The columns of rows over some of the users, of one fold or run, and of means over folds or runs."""
COLUMNS: Final = ("model", "metric", "k", "aggregate", "value", "n_users", "std", *ledger.COLUMNS, "achieved", *SPLITS, *protocol.COLUMNS)

_NOBODY: Final = dict.fromkeys(ledger.COLUMNS)
_NO_PROTOCOL: Final = dict.fromkeys(protocol.COLUMNS)

FEW_USERS: Final = 100
"""A group of fewer users is marked in every output."""


class Row(Struct, frozen=True):
    """One value: a metric (its printed name without the cut-off) at `k` (`None`: the whole list), over `n_users` users."""

    model: str
    metric: str
    k: int | None
    aggregate: str
    value: float | None
    n_users: int
    higher_is_better: bool | None = True
    ledger: Ledger | None = None
    achieved: float | None = None
    """The share of the best possible value, where that was computed."""
    protocol: Protocol | None = None
    by: str | None = None
    """What the users, or the relevant items, are split by, such as `users.plan`; `None` over all of them."""
    group: str | None = None
    fold: str | None = None
    """The fold, or the run of the model, whose value it is; `None` where there are no several, and for means over them."""
    run: str | None = None
    repeats: int | None = None
    """Of a mean over runs or folds the number of values, and their standard deviation."""
    repeats_std: float | None = None
    least_users: int | None = None
    """Of a mean over runs or folds the number of users of the value that has the fewest."""
    std: float | None = None
    """Of a mean over users the standard deviation of their values (divided by n - 1), where it was asked for."""

    @property
    def source(self) -> str:
        """The model, with the fold and the run: `als, fold 1, run 2`."""
        return ", ".join((self.model, *(f"{kind} {name}" for kind, name in (("fold", self.fold), ("run", self.run)) if name is not None)))

    @property
    def few_users(self) -> bool | None:
        """Whether a group has fewer than 100 users, in one of the folds at least: its value says little. `None` where there is no group."""
        return None if self.by is None else (self.n_users if self.least_users is None else self.least_users) < FEW_USERS

    def cells(self) -> dict[str, Any]:
        """What the tables of `COLUMNS` say of it."""
        of_users = asdict(self.ledger) if self.ledger else _NOBODY
        definitions = asdict(self.protocol) if self.protocol else _NO_PROTOCOL
        known = {**asdict(self), "few_users": self.few_users, **of_users, **definitions}
        return {name: known[name] for name in COLUMNS}

    @property
    def measure(self) -> str:
        """The measure with its cut-off."""
        if is_formula(self.metric):
            return self.metric
        cut = find(self.metric.partition("(")[0]).cut
        return f"{self.metric}@{'none' if self.k is None else self.k}" if cut else self.metric

    @property
    def label(self) -> str:
        """The measure with its cut-off, and with the aggregate where it is not the mean."""
        plain = self.aggregate in ("mean", "system", "") or is_formula(self.metric)
        return self.measure if plain else f"{self.measure} ({self.aggregate})"


class Counts(Struct, frozen=True):
    """Who was counted for one model.

    `test` users stand in the test file; `relevant` of them have a relevant item; `listed` of those have a list; `averaged`
    is how many the first measure is averaged over. Those without a list count 0 if `missing_count`, or have no value if
    `missing_undefined`, those without a relevant item count 0 if `irrelevant_count`; `untested` users without a test row count 0.
    `empty` of the `test` users have an empty list there, and count whatever is done with others without a relevant item: 0, or without a
    defined value if `empty_undefined`.
    """

    test: int
    relevant: int
    listed: int
    averaged: int
    missing_count: bool = True
    irrelevant_count: bool = False
    untested: int = 0
    missing_undefined: bool = False
    empty: int = 0
    empty_undefined: bool = False
