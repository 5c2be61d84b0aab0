"""Fixtures of rendering: results, and a TeX."""

from __future__ import annotations

from tests.papers import compiled, models, result

__all__ = ["compiled", "models", "result"]
