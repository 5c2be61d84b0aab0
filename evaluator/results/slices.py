"""`Slices`: slices of users in which a model is worse, or better, than over all other users; and the sentences on them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from msgspec import Struct

from ..stats.concluding import decimals, group_text, plain, span, users_text, with_sign

FORMAT_VERSION: Final = 1
Direction = Literal["worse", "better", "lower", "higher"]
"""`lower` and `higher` for a measure without a better direction."""


class UserSlice(Struct, frozen=True):
    """One tested slice: the users in one group of each of the groupings in `conditions` (name, group).

    `direction` is the one in which it was found, among the users of the first half, with the `score`. All other values are those of the
    second half: `value` is the mean of the slice (of the differences, if two models are compared), `others` that of all other users,
    `difference` value - others, `low` and `high` its interval and `p_adjusted` its p value, both corrected for all tested slices.
    `n_confirming` users of the slice are in this half, of whom `n_apart` differ from the median of all; `n_users` are in both halves.
    Fields are `None` if there are too few users. `confirmed`: the difference is shown, in this direction.
    """

    conditions: tuple[tuple[str, str], ...]
    direction: Direction
    score: float
    n_users: int
    n_confirming: int
    n_apart: int
    value: float | None
    others: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None
    confirmed: bool

    @property
    def name(self) -> str:
        """Its groups, as text: `users.plan free and train_count 0-4`."""
        return " and ".join(group_text(by, group) for by, group in self.conditions)

    @property
    def digits(self) -> int | None:
        """Decimals that its interval needs; `None` without one."""
        return None if self.low is None or self.high is None else decimals((self.high - self.low) / 2)

    @property
    def sentence(self) -> str:
        """One line: `worse for users.plan free than for others: −0.024 beside 0.007, Δ −0.031 (−0.047 to −0.015), 812 users (407 tested)`.

        The two numbers are the means of its users and of all others; Δ is their difference.
        """
        size = "" if self.difference is None else with_sign(self.difference, self.digits)
        interval = "" if self.low is None or self.high is None else f" ({span_of(self.low, self.high, self.digits)})"
        means = f"{value_text(self.value, self.digits)} beside {value_text(self.others, self.digits)}"
        users = f"{users_text(self.n_users)} ({self.n_confirming:,} tested)"
        return f"{self.direction} for {self.name} than for others: {means}, Δ {size}{interval}, {users}"


def counts_text(n_searched: int, n_tested: int, n_confirmed: int) -> str:
    """Say how many slices were searched on one half of the users and tested on the other: `10 of 214 slices tested, 1 confirmed`."""
    slices = f"{n_searched:,} slice{'' if n_searched == 1 else 's'}"
    return f"{n_tested:,} of {slices} tested, {f'{n_confirmed:,}' if n_confirmed else 'none'} confirmed"


def span_of(low: float, high: float, digits: int | None) -> str:
    """Format an interval of a signed number."""
    return span(low, high, digits) if low < 0 < high else f"{with_sign(low, digits)} to {with_sign(high, digits)}"


class SliceSearch(Struct, frozen=True):
    """The slices of one measure of one model, or of its difference from `base`: confirmed ones first, then by p value.

    `n_users` count for the measure, `n_finding` of them in the half in which slices are found. The scores of `n_scored` slices were
    computed there. `mean` is that of all users.
    """

    measure: str
    base: str | None
    model: str
    higher_is_better: bool | None
    n_users: int
    n_finding: int
    n_scored: int
    mean: float | None
    slices: tuple[UserSlice, ...]

    @property
    def confirmed(self) -> tuple[UserSlice, ...]:
        """The confirmed slices."""
        return tuple(user_slice for user_slice in self.slices if user_slice.confirmed)

    @property
    def title(self) -> str:
        """The measure, and the models: `nDCG@10 of today against main`."""
        return f"{self.measure} of {self.model}" + (f" against {self.base}" if self.base is not None else "")


class Slices(Struct, frozen=True):
    """All searches of one question; p values and intervals are corrected for the `family` of all tested slices (Bonferroni).

    `features` are the groupings that were searched, by name; `notes` say what was left out. `seed` chooses the halves.
    """

    searches: tuple[SliceSearch, ...]
    features: tuple[str, ...]
    depth: int
    family: int
    level: float
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def confirmed(self) -> tuple[UserSlice, ...]:
        """The confirmed slices of all searches."""
        return tuple(user_slice for search in self.searches for user_slice in search.confirmed)

    def summary(self) -> str:
        """Return how many slices were looked at and tested, and how many are confirmed, see `counts_text`."""
        return counts_text(sum(search.n_scored for search in self.searches), self.family, len(self.confirmed))

    def sentences(self) -> Iterator[str]:
        """Yield a sentence for each confirmed slice, or that a search has none; and how many were examined."""
        for search in self.searches:
            start = f"{search.title}: " if len(self.searches) > 1 else ""
            yield from (f"{start}{user_slice.sentence}." for user_slice in search.confirmed)
            if not search.confirmed:
                yield f"{search.title}: {'no slice is confirmed' if search.slices else 'no slice stands out'}."
        yield f"{self.summary()}."

    def cells(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "format_version": FORMAT_VERSION,
            "features": list(self.features),
            "depth": self.depth,
            "family": self.family,
            "confirmed": len(self.confirmed),
            "correction": "bonferroni",
            "level": self.level,
            "seed": self.seed,
            "searches": [_cells_of_search(search) for search in self.searches],
            "notes": list(self.notes),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each tested slice."""
        places = ("measure", "base", "model")
        return [
            {
                **{name: getattr(search, name) for name in places},
                "slice": user_slice.name,
                **{name: getattr(user_slice, name) for name in FIELDS},
            }
            for search in self.searches
            for user_slice in search.slices
        ]


FIELDS: Final = tuple(name for name in UserSlice.__struct_fields__ if name != "conditions")
"""The columns of a slice beside its conditions."""


def _cells_of_search(search: SliceSearch) -> dict[str, Any]:
    cells = {name: getattr(search, name) for name in SliceSearch.__struct_fields__ if name != "slices"}
    slices = [
        {"conditions": [{"by": by, "group": group} for by, group in user_slice.conditions]}
        | {name: getattr(user_slice, name) for name in FIELDS}
        | {"sentence": user_slice.sentence}
        for user_slice in search.slices
    ]
    return {**cells, "slices": slices}


def value_text(value: float | None, digits: int | None) -> str:
    """Format a mean; a dash if there is none."""
    return "–" if value is None else plain(value, digits)
