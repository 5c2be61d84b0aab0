"""The health checks over parts of whole users: each is one decorated class, which notes what merges and says it at the end."""

from . import alike, faults, ids, items, lists, tables, ties, times, train, truth, users, values
from .context import Context, Faults, SourceNames, Symptom
from .examiner import REFUSED, Examiner, Tallies
from .findings import failing_rows, in_order
from .part import ExaminedPart
from .registry import CHECKERS, HealthCheck, check
from .tally import DistinctIds, Examples, KeptRows, Least, Marks, Most, Tally
from .wording import several, shared

__all__ = [
    "CHECKERS",
    "REFUSED",
    "Context",
    "DistinctIds",
    "ExaminedPart",
    "Examiner",
    "Examples",
    "Faults",
    "HealthCheck",
    "KeptRows",
    "Least",
    "Marks",
    "Most",
    "SourceNames",
    "Symptom",
    "Tallies",
    "Tally",
    "alike",
    "check",
    "failing_rows",
    "faults",
    "ids",
    "in_order",
    "items",
    "lists",
    "several",
    "shared",
    "tables",
    "ties",
    "times",
    "train",
    "truth",
    "users",
    "values",
]
