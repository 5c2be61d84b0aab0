"""The forms of a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from ..content.report import ReportContent
from .ci.badge import as_badge
from .ci.code_quality import as_code_quality
from .ci.junit import as_junit
from .report import as_html, as_markdown

REPORTS: Final[Mapping[str, Callable[[ReportContent], bytes]]] = MappingProxyType(
    {"html": as_html, "md": as_markdown, "junit": as_junit, "badge": as_badge, "code-quality": as_code_quality}
)
"""The form of a report → renderer; `config.reporting.ENDINGS` says which ending of a file means which."""
