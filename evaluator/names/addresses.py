"""Addresses of files that are elsewhere, told from paths."""

from __future__ import annotations


def is_artifact(text: str) -> bool:
    """Whether a text means an artifact of MLflow: `runs:/RUN_ID/path`, as MLflow writes it, or `mlflow:RUN_ID/path`."""
    return text.startswith(("runs:/", "mlflow:"))


def is_address(text: str) -> bool:
    """Whether a text is no path: it stays as it is wherever a config lies."""
    return "://" in text or is_artifact(text)
