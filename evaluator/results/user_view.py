"""`UserView`: everything about one user, of all models of a result or a config."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from msgspec import Struct, field

from ..checks import Severity
from ..tables.time_units import SECONDS, TimeUnit


class UserValue(Struct, frozen=True):
    """The value of one user in a measure under one model, beside all users of the result.

    `value` is `None` if the user has none, for this `reason`. `mean` is the value of the result, over `n_users`, `None` without a result.
    `n_lower` and `n_equal` of `n_valued` users have a lower value and the same (the user included); `None` without per-user values.
    """

    measure: str
    model: str
    value: float | None
    reason: str = ""
    mean: float | None = None
    n_users: int | None = None
    n_lower: int | None = None
    n_equal: int | None = None
    n_valued: int | None = None
    higher_is_better: bool | None = None

    @property
    def better_than(self) -> float | None:
        """The share of users with a worse value, from 0 to 1; of those with a lower one if a measure has no better direction."""
        if self.n_lower is None or self.n_equal is None or not self.n_valued:
            return None
        n = self.n_valued - self.n_lower - self.n_equal if self.higher_is_better is False else self.n_lower
        return n / self.n_valued


class PolicyEffect(Struct, frozen=True):
    """How a policy handled data of one user: `n` of `total` rows, or the user (both `None`).

    `axis` is the setting (empty for a filter), `choice` its value, `what` the data, `effect` what happened to them. `model` is empty for
    files that all models share.
    """

    model: str
    axis: str
    choice: str
    what: str
    effect: str
    n: int | None = None
    total: int | None = None


class UserFinding(Struct, frozen=True):
    """A finding of the result that concerns the user: the id of the check, its problem in words, and examples from the user's rows."""

    check: str
    severity: Severity
    model: str
    problem: str
    examples: tuple[str, ...] = ()


class UserView(Struct, frozen=True, eq=False):
    """Everything about one user.

    - `user`: the id as the files have it; `groups`: grouping → group; `weight`: the user's weight, if means are weighted
    - `history`: the train rows, newest first (without times the last row of the file first): `item`, and if the files have them `rating`
      and `timestamp`; `None` if there is no data.train
    - `test`: the test rows, relevant ones first: `item`, `relevant`, and if the files have them `rating`, `timestamp`, groups and values;
      for each model `rank MODEL`, the rank in its list, null if it is not there
    - `lists`: the list of each model: `item`, `rank`, `score` (if there are scores), `relevant`, `gain`, and with data.train `in_train`
    - `values`: by measure, then model; `policies`: what was done with odd data; `findings`: those that concern the user
    - `k`: the lowest rank that measures read, `None` if they read whole lists; `titles`: item → title
    - `n_shown`: the number of train rows that texts show; `notes`: sentences on what is missing or changed

    `history`, `test` and `lists` are missing if the files of a stored result are.
    """

    user: Any
    values: tuple[UserValue, ...]
    history: pl.DataFrame | None = None
    test: pl.DataFrame | None = None
    lists: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    weight: float | None = None
    n_relevant: int | None = None
    k: int | None = None
    relevance: str = ""
    """Which test rows are relevant, in words."""
    policies: tuple[PolicyEffect, ...] = ()
    findings: tuple[UserFinding, ...] = ()
    titles: Mapping[str, str] = field(default_factory=dict)
    n_shown: int = 5
    time_unit: TimeUnit = SECONDS
    """The unit of the times of `history` and `test`."""
    notes: tuple[str, ...] = ()

    @property
    def models(self) -> tuple[str, ...]:
        """The models, in the order of the config; reference lists come last."""
        return tuple(dict.fromkeys((*self.lists, *(value.model for value in self.values))))
