"""The choices that the axes of the protocol make: what is relevant, how lists are read, and who counts."""

from __future__ import annotations

from msgspec import Struct


class Relevance(Struct, frozen=True):
    """Which test items are relevant as far as the config says: the least rating, and whether ratings are gains."""

    threshold: float | None = None
    graded: bool = False


class Truth(Struct, frozen=True):
    """How test rows become relevant items; `None` as threshold: `rule` decides."""

    rule: str
    threshold: float | None
    graded: bool
    duplicates: str
    filter: str


class Lists(Struct, frozen=True):
    """How rows become lists."""

    order: str
    ties: str
    score_type: str
    duplicates: str
    seen: str
    unknown: str


class UserRules(Struct, frozen=True):
    """Which users count, and what the sum over them is divided by."""

    missing_lists: str
    no_relevant: str
    empty_truth: str
    no_truth: str
    no_hits: str
    divisor: str

    @property
    def may_be_undefined(self) -> bool:
        """Whether a user may count who has no defined value."""
        return "undefined" in (self.missing_lists, self.empty_truth)
