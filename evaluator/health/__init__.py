"""The health checks over parts of whole users: each is one decorated class, which notes what merges and says it at the end."""

from . import files_and_rows, ids, items, lists, tables, times, train, truth, values
from .context import Context, Faults, SourceNames, Symptom, several, shared
from .findings import comparisons, failing_rows, findings, in_order, refuse, unmade
from .lists import over_whole_lists
from .part import ExaminedPart
from .registry import CHECKERS, HealthCheck, check
from .tally import DistinctIds, Examples, KeptRows, Least, Marks, Most, Tally
from .task import CheckTask, Tallies, examine
from .times import untimed

__all__ = [
    "CHECKERS",
    "CheckTask",
    "Context",
    "DistinctIds",
    "ExaminedPart",
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
    "check",
    "comparisons",
    "examine",
    "failing_rows",
    "files_and_rows",
    "findings",
    "ids",
    "in_order",
    "items",
    "lists",
    "over_whole_lists",
    "refuse",
    "several",
    "shared",
    "tables",
    "times",
    "train",
    "truth",
    "unmade",
    "untimed",
    "values",
]
