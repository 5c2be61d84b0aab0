"""The health checks over parts of whole users: each is one decorated class, which notes what merges and says it at the end."""

from . import alike, auc, faults, ids, items, lists, sources, tables, ties, times, train, truth, users, values
from .auc import over_whole_lists
from .context import Context, Faults, SourceNames, Symptom
from .findings import comparisons, failing_rows, findings, in_order, refuse, unmade
from .part import ExaminedPart
from .registry import CHECKERS, HealthCheck, check
from .tally import DistinctIds, Examples, KeptRows, Least, Marks, Most, Tally
from .task import CheckTask, Tallies, examine
from .times import untimed
from .wording import several, shared

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
    "alike",
    "auc",
    "check",
    "comparisons",
    "examine",
    "failing_rows",
    "faults",
    "findings",
    "ids",
    "in_order",
    "items",
    "lists",
    "over_whole_lists",
    "refuse",
    "several",
    "shared",
    "sources",
    "tables",
    "ties",
    "times",
    "train",
    "truth",
    "unmade",
    "untimed",
    "users",
    "values",
]
