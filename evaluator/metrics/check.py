"""Whether a convention speaks of metrics and axes that there are."""

from __future__ import annotations

import difflib

from ..conventions import PROTOCOL, Convention
from .registry import METRICS


def check(convention: Convention) -> None:
    """Raise `ValueError` with file and line if a convention speaks of a metric that there is not, or of an axis it has not."""
    problems = []
    for (name, axis), location in convention.locations.items():
        if name not in METRICS:
            close = difflib.get_close_matches(name, METRICS, n=1)
            problems.append(f"{location}: no metric is called '{name}'" + (f" — did you mean '{close[0]}'?" if close else ""))
        elif axis and axis not in PROTOCOL and axis not in METRICS[name].axes.values():
            problems.append(f"{location}: {name} has no axis '{axis}'")
    if problems:
        raise ValueError("\n".join(dict.fromkeys(problems)))
