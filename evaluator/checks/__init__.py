"""Health checks: `table` lists them all and defines a check, its setting in a run, and its finding."""

from .table import CHECKS, EFFECTIVE, LEAKS, NEEDS, SAMPLED, SEVERITIES, Check, CheckSetting, Finding, Limit, Severity, declare, setting

__all__ = [
    "CHECKS",
    "EFFECTIVE",
    "LEAKS",
    "NEEDS",
    "SAMPLED",
    "SEVERITIES",
    "Check",
    "CheckSetting",
    "Finding",
    "Limit",
    "Severity",
    "declare",
    "setting",
]
