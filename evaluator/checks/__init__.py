"""The health checks: `table` names them all, `records` says what one is, how a run uses it, and what it found."""

from .table import CHECKS, NEEDS, SEVERITIES, Check, CheckSetting, Finding, Limit, Severity, declare, setting

__all__ = ["CHECKS", "NEEDS", "SEVERITIES", "Check", "CheckSetting", "Finding", "Limit", "Severity", "declare", "setting"]
