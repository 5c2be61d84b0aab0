"""Measures under names that trackers take, and back: `nDCG(gain=linear)@10` is `nDCG.gain-linear_at_10` in MLflow."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final

_DIGITS: Final = 6
_LONGEST: Final = 200
"""MLflow takes 250 characters."""
_NOT_OF_MLFLOW: Final = re.compile(r"[^\w.\- ]", re.ASCII)
_NOT_OF_IDENTIFIERS: Final = re.compile(r"\W+", re.ASCII)


def for_mlflow(measures: Iterable[str]) -> Mapping[str, str]:
    """Measure → its name in MLflow, which takes letters, digits and `_ . -`, and makes folders at `/`."""
    return _told_apart(measures, _of_mlflow)


def as_identifiers(names: Iterable[str]) -> Mapping[str, str]:
    """Name → an identifier, by which W&B sorts and filters, and which has no dot, at which DVC would cut a key."""
    return _told_apart(names, _identifier)


def _of_mlflow(measure: str) -> str:
    text = (
        measure.replace("/", "_over_")
        .replace("@", "_at_")
        .replace("(", ".")
        .replace(")", "")
        .replace("=", "-")
        .replace(", ", ".")
        .replace(",", ".")
    )
    return _NOT_OF_MLFLOW.sub("_", text)


def _identifier(name: str) -> str:
    text = _NOT_OF_IDENTIFIERS.sub("_", name.replace("@", "_at_").replace(")", "")).strip("_")
    return text if text[:1].isalpha() else f"_{text}"


def _told_apart(names: Iterable[str], rule: Callable[[str], str]) -> dict[str, str]:
    """Names by a rule; those that it makes one of several, or cuts, get digits of their own, whatever their order."""
    made = {name: rule(name) for name in names}
    counts = Counter(text.lower() for text in made.values())
    return {
        name: text
        if counts[text.lower()] == 1 and len(text) <= _LONGEST
        else f"{text[:_LONGEST]}_{hashlib.sha256(name.encode()).hexdigest()[:_DIGITS]}"
        for name, text in made.items()
    }
