"""`Axis`, one setting that a definition leaves open; and the settings of the protocol: relevance, lists, and users that count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct, field

from ..support.synonyms import did_you_mean
from ..syntax.measure_strings import Scalar


class Relevance(Struct, frozen=True):
    """Settings of the config for relevant test items: the lowest relevant rating, and whether ratings are gains."""

    threshold: float | None = None
    graded: bool = False


class Truth(Struct, frozen=True):
    """Rules that turn test rows into relevant items; if `threshold` is `None`, `rule` decides.

    `rows` restricts them to groups of test rows: the name of each grouping, such as `rows.event`, and of the group. `gains` has grades
    that are replaced by gains, each with its gain; the rule is then about gains, a threshold about the grades of the file.
    """

    rule: str
    threshold: float | None
    graded: bool
    duplicates: str
    filter: str
    rows: tuple[tuple[str, str], ...] = ()
    gains: tuple[tuple[float, float], ...] = ()


class Lists(Struct, frozen=True):
    """Rules that turn rows into lists.

    With `keeps_ranks` items have the ranks of the file, with gaps and ties; with `tied_rank` (`first` or `last`) tied items share a rank;
    `hit_scores` is the axis with this name. With `drops_identical` a list has no item with its user's id.
    """

    order: str
    ties: str
    score_type: str
    duplicates: str
    seen: str
    unknown: str
    keeps_ranks: bool = False
    tied_rank: str = ""
    hit_scores: str = "any"
    drops_identical: bool = False

    @property
    def leaves_out(self) -> bool:
        """True if items are left out of lists, apart from duplicates."""
        return self.drops_identical or (self.seen, self.unknown) != ("keep", "keep")

    @property
    def judges_ties(self) -> bool:
        """Return whether the ranks of hits depend on which items are tied, not only on the order of the list."""
        return bool(self.tied_rank) or self.ties in ("worst", "best")


class UserRules(Struct, frozen=True):
    """Rules for the users that count, and for the divisor of the sum over them."""

    missing_lists: str
    no_relevant: str
    empty_truth: str
    no_truth: str
    no_hits: str
    divisor: str

    @property
    def may_be_undefined(self) -> bool:
        """True if a user who counts may have an undefined value."""
        return "undefined" in (self.missing_lists, self.empty_truth)


Part = Literal["lists", "truth", "users", "value", "formula"]


class Axis(Struct, frozen=True):
    """One setting that a definition leaves open: the part of the work it belongs to, its subject, and its allowed values.

    Each value has a sentence; an axis without values is a number above 1. `synonyms` are other names of values, `guesses` other
    words for values, which are only suggested.
    """

    name: str
    decides: str
    meanings: dict[str, str]
    part: Part = "formula"
    synonyms: Mapping[str, str] = field(default_factory=dict)
    guesses: Mapping[str, str] = field(default_factory=dict)

    @property
    def values(self) -> tuple[str, ...]:
        """Allowed values; empty if any number above 1 is allowed."""
        return tuple(self.meanings)

    def read(self, value: Scalar, called: str = "") -> Scalar:
        """Return `value` if this axis allows it; raise `ValueError` with the allowed values otherwise.

        `called` is the name of the axis in the message, by default its own.
        """
        called = called or self.name
        if not isinstance(value, str | int | float | bool):
            raise ValueError(f"{called} must be one of {', '.join(self.values)}" if self.values else f"{called} must be a number above 1")
        if not self.meanings:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 1 < value < float("inf"):
                raise ValueError(f"{called} must be a number above 1, not {value!r}")
            return float(value)
        value = self.synonyms.get(str(value), value)
        if value not in self.meanings:
            hint = did_you_mean(str(value), (*self.values, *self.synonyms), before=" — ")
            if (meant := self.guesses.get(str(value))) is not None:
                hint = f" — did you mean '{meant}': {self.decides} {self.meanings[meant]}?"
            raise ValueError(f"{called} must be one of {', '.join(self.values)}, not {value!r}{hint}")
        return value
