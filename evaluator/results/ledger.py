"""`Ledger`: who was counted for one value, who was not, and why; it adds up."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Ledger(Struct, frozen=True):
    """The users of one measure: those of the test file (`in_truth`) and those with a list (`in_lists`), `in_both` of them in both.

    `counted` is how many have a value. Of these the `filled` ones have only what the policy gives them (0 for nearly all metrics):
    users without a list, without a relevant item, or without a test row. The `left_out` ones have no value: those, and users without
    a hit, a prediction, or whatever the metric asks for (`left_out_without_value`). So in_truth + in_lists - in_both = counted + all
    that are left out.

    Where a measure is averaged over the users of train or of a reference model, `others` of them are in neither file, and come on top;
    users of the two files who are not among them are left out (`left_out_of_others`).

    `covered_value` is the value over the `covered` users, who are counted and have a list; `warm_value` that over the `warm` ones, whom
    train holds. Both are `None` where nothing is known of them or they would be all that count.
    """

    in_truth: int = 0
    in_lists: int = 0
    in_both: int = 0
    counted: int = 0
    filled_without_list: int = 0
    filled_without_relevant: int = 0
    filled_without_truth: int = 0
    left_out_without_list: int = 0
    left_out_without_relevant: int = 0
    left_out_without_truth: int = 0
    left_out_without_value: int = 0
    left_out_of_others: int = 0
    others: int = 0
    covered: int = 0
    covered_value: float | None = None
    warm: int | None = None
    warm_value: float | None = None

    @property
    def filled(self) -> int:
        """The users who count with what the policy gives them."""
        return self.filled_without_list + self.filled_without_relevant + self.filled_without_truth

    @property
    def left_out(self) -> int:
        """The users who do not count."""
        without = self.left_out_without_list + self.left_out_without_relevant + self.left_out_without_truth
        return without + self.left_out_without_value + self.left_out_of_others

    @property
    def adds_up(self) -> bool:
        """Whether every user is accounted for."""
        return self.in_truth + self.in_lists - self.in_both + self.others == self.counted + self.left_out

    def cells(self) -> dict[str, Any]:
        """Its columns in the long table."""
        return {name: getattr(self, name) for name in COLUMNS}


COLUMNS = tuple(Ledger.__struct_fields__)
"""The columns of the long table that a ledger fills."""
