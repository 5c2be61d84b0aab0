"""Numbers of users by cell → the ledger of a measure: who counts, who does not, and why."""

from __future__ import annotations

import numpy as np
from msgspec.structs import replace

from ..metrics.definition import Definition
from ..results.ledger import Ledger
from ..tables.array import Array
from .counting import CELLS, UserCell, UserFacts, who_counts


def ledger(definition: Definition, cells: Array, valued: Array, others: Array, counted: int, *, predicted: bool) -> Ledger:
    """Who counts for a measure.

    `cells` and `valued` are the numbers of users by cell, of all and of those with a value; `others` the numbers of users of train or of
    the reference model, of those of test or lists, and of both, where the measure is averaged over the former. `predicted`: the
    measure looks at predictions of a file of their own, which users without a list may have.
    """
    known = {cell: int(cells[cell.code]) for cell in CELLS if any(cell) and cells[cell.code]}
    base = Ledger(
        in_truth=sum(n for cell, n in known.items() if cell.tested),
        in_lists=sum(n for cell, n in known.items() if cell.listed),
        in_both=sum(n for cell, n in known.items() if cell.tested and cell.listed),
        counted=counted,
    )
    if definition.population in ("train", "baseline"):
        n_others, n_own, n_shared = (int(number) for number in others)
        return replace(
            base, others=n_others - n_shared, left_out_of_others=n_own - n_shared, left_out_without_value=n_others - base.counted
        )
    fits = {cell: _fits(definition, cell) for cell in known}
    without_value = sum(n for cell, n in known.items() if fits[cell]) - counted
    judged = definition.population in ("test", "tested")
    reasons: dict[str, int] = {}
    for cell, n in known.items():
        why = _why(cell, fits[cell], judged and (not predicted or not fits[cell]))
        if why:
            n_there = int(valued[cell.code]) if fits[cell] and without_value and not definition.metric.system else n
            reasons[why] = reasons.get(why, 0) + n_there
    return replace(base, **reasons, left_out_without_value=without_value)


def _fits(definition: Definition, cell: UserCell) -> bool:
    """Whether users of a cell count."""
    facts = UserFacts(np.asarray([cell.tested]), None, None, np.asarray([cell.empty]))
    return bool(who_counts(definition, facts, np.asarray([int(cell.relevant)]), np.asarray([int(cell.listed)]))[0])


def _why(cell: UserCell, counts: bool, judged: bool) -> str:
    """The column of the ledger where users of a cell stand; empty if they count as anyone does.

    Where a measure is averaged over users with lists, whatever the test file holds, nobody is filled in.
    """
    if counts:
        if not judged:
            return ""
        reasons = (("filled_without_list", cell.listed), ("filled_without_truth", cell.tested), ("filled_without_relevant", cell.relevant))
    else:
        truth = (("left_out_without_truth", cell.tested), ("left_out_without_relevant", cell.relevant))
        lists = (("left_out_without_list", cell.listed),)
        reasons = (*truth, *lists) if judged else (*lists, *truth)
    return next((name for name, has in reasons if not has), "")
