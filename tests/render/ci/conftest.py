"""Fixtures: reports that several tests share."""

from __future__ import annotations

from tests.reports import content, hostile, result

__all__ = ["content", "hostile", "result"]
