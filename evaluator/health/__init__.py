"""Implementations of the health checks over parts of whole users: each is a decorated class that returns mergeable tallies and findings."""

from . import file_checks, id_checks, list_checks, time_checks, value_checks  # noqa: F401, importing a file enters its checks
from .checker import CHECKERS, Context, Faults, HealthCheck, SourceNames, Symptom, check, several, shared
from .examined import ExaminedPart
from .examining import CheckTask, Tallies, comparisons, examine, failing_rows, findings, in_order, refuse, unmade
from .list_checks import over_whole_lists
from .tallies import DistinctIds, Examples, KeptRows, Least, Marks, Most, Tally
from .time_checks import untimed

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
    "findings",
    "in_order",
    "over_whole_lists",
    "refuse",
    "several",
    "shared",
    "unmade",
    "untimed",
]
