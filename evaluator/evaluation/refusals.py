"""Data of which no result can be made."""

from __future__ import annotations

from collections.abc import Sequence

from .. import load
from ..errors import DataError
from ..measure.partial import Partial
from ..metrics.definition import Definition
from .plan import tables_of

_RELEVANT = [2, 3, 6, 7]
"""The cells of users with a relevant item."""


def refuse_nothing_relevant(source: load.Source, definitions: Sequence[Definition], found: Partial) -> None:
    """`DataError` if no measure that looks at the test file has a value, because no user has a relevant item.

    A measure that counts such users 0, or that looks at ratings whether they are relevant or not, has one.
    """
    looking = [index for index, definition in enumerate(definitions) if _looks_at_test(definition)]
    defined = (not _needs_relevant(definitions[i]) or found.cells[i][_RELEVANT].sum() or found.valued[i].sum() for i in looking)
    if not looking or any(defined):
        return
    cells, choice = found.cells[looking[0]], definitions[looking[0]].truth
    least = f" of at least {choice.threshold:g}" if choice.threshold is not None else ""
    rules = {"above_zero": " above 0", "at_least_zero": " of at least 0", "at_least_one": " of at least 1"}
    wanted = least or rules.get(choice.rule, "")
    rating = f", that is, a rating{wanted}" if wanted and "rating" in source.columns else ""
    left_out = "" if choice.filter == "none" else "; test rows of users and items that train or the catalogue does not hold are left out"
    n_test = int(cells[4:].sum())
    who = f"none of {n_test:,} users has a" if n_test > 1 else "its only user has no"
    raise DataError(f"{source.role}: {who} relevant item{rating}{left_out}")


def _looks_at_test(definition: Definition) -> bool:
    """Return whether the value of a measure depends on the test file."""
    return definition.population in ("test", "tested") or "test_pairs" in tables_of(definition)


def _needs_relevant(definition: Definition) -> bool:
    """Return whether only users with a relevant item, or a list, count for a measure."""
    return definition.population == "test" and definition.user_rules.no_relevant == "drop"
