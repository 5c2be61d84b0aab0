"""Data of which no result can be made."""

from __future__ import annotations

from .. import load
from ..errors import DataError
from ..measure.partial import Partial
from ..metrics.definition import Definition


def refuse_nothing_relevant(source: load.Source, definition: Definition, found: Partial) -> None:
    """`DataError` if no user has a relevant item under the first measure."""
    cells, choice = found.cells[0], definition.truth
    if cells[[2, 3, 6, 7]].sum():
        return
    least = f" of at least {choice.threshold:g}" if choice.threshold is not None else ""
    rules = {"above_zero": " above 0", "at_least_zero": " of at least 0", "at_least_one": " of at least 1"}
    wanted = least or rules.get(choice.rule, "")
    rating = f", that is, a rating{wanted}" if wanted and "rating" in source.columns else ""
    left_out = "" if choice.filter == "none" else "; test rows of users and items that train or the catalogue does not hold are left out"
    n_test = int(cells[4:].sum())
    who = f"none of {n_test:,} users has a" if n_test > 1 else "its only user has no"
    raise DataError(f"{source.role}: {who} relevant item{rating}{left_out}")
