"""Why a value can lie outside of the range of its metric: duplicates in train, lists or test, or a formula that is not ours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from ..metrics.definition import Definition
from ..tables.array import Array
from ..tables.part import LISTS, PartData
from ..tables.prepared import Prepared
from ..tables.truth import TEST
from .wording import several

_SINGLE: Final = ("keep_best_rank", "keep_last_row", "sum_scores")
"""Policies under which an item is in a list once."""
_SUMMED: Final = ("rows", "rows_count", "sum")
"""Policies under which a repeated test row changes a value."""


def duplicates_of(data: PartData, users: Array) -> dict[str, int]:
    """The number of duplicate rows of some users of a part, given by their indexes: in their lists, and in the test file."""
    inside = np.zeros(data.n_users, dtype=np.bool_)
    inside[users] = True
    found = {}
    for role in (LISTS, TEST):
        rows = data.rows(role)
        frame = rows.frame.select("user", "item").filter(inside[rows.user])
        found[role] = len(frame) - frame.n_unique()
    return found


def cause(definition: Definition, duplicates: Mapping[str, int], prepared: Prepared) -> str:
    """Why the values of a measure are outside of its range, and what to do; empty if no cause is known.

    `duplicates` are those of the users whose values are outside.
    """
    each = definition.all
    in_train = int(prepared.numbers.get("train_rows", 0) - prepared.numbers.get("train_pairs", 0))
    if in_train and any(one.params.get("count") == "rows" for one in each):
        rows = several(in_train, "repeated row")
        return f"data.train has {rows}, and count=rows counts each of them; remove them or set count=users"
    in_lists = duplicates.get(LISTS, 0)
    if in_lists and any(one.lists.duplicates not in _SINGLE for one in each):
        policy = "evaluation.policy.duplicates: keep_best_rank"
        return f"their lists have {several(in_lists, 'repeated row')}; remove them or set {policy}"
    in_test = duplicates.get(TEST, 0)
    if in_test and any(one.truth.duplicates in _SUMMED for one in each):
        policy = "evaluation.policy.truth_duplicates: best"
        return f"the test file has {several(in_test, 'repeated row')} for them; remove them or set {policy}"
    other = next((one.metric for one in each if one.metric.origin != "receval"), None)
    if other is not None:
        return f"{other.origin} defines {other.name}, and its formula and its bounds differ; correct one of them"
    return ""
