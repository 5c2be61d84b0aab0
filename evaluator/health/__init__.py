"""Implementations of the health checks over parts of whole users: each is a decorated class that returns mergeable tallies and findings."""

from . import exposure_checks, file_checks, id_checks, list_checks, time_checks, value_checks  # noqa: F401, importing enters checks
from .checker import CHECKERS, Context, Faults, HealthCheck, SourceNames, Symptom, check, count_text, share_text
from .examined import ExaminedPart
from .examining import CheckTask, Tallies, candidates_of, comparisons, examine, failing_rows, findings, in_order, refuse, skipped_checks
from .id_checks import shifted_ids
from .list_checks import over_whole_lists
from .tallies import DistinctIds, Examples, KeptRows, Least, Marks, Most, Tally
from .time_checks import time_remarks

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
    "candidates_of",
    "check",
    "comparisons",
    "count_text",
    "examine",
    "failing_rows",
    "findings",
    "in_order",
    "over_whole_lists",
    "refuse",
    "share_text",
    "shifted_ids",
    "skipped_checks",
    "time_remarks",
]
