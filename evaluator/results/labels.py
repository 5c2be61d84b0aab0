"""Which measures of a result a text names."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from .wording import shortened


def labels_named(text: str, labels: Sequence[str]) -> tuple[str, ...]:
    """The labels that a text names: one as it is printed, in any case, or all cut-offs of a metric; none if there is no such label."""
    plain = {label: label.lower().replace(" ", "") for label in labels}
    wanted = text.lower().replace(" ", "")
    found = tuple(label for label, one in plain.items() if one == wanted)
    return found or tuple(label for label, one in plain.items() if one.partition("@")[0] == wanted)


def close_label(text: str, labels: Sequence[str]) -> str:
    """What may have been meant by a text that names no label."""
    close = get_close_matches(text, labels, n=1, cutoff=0.4)
    return f"did you mean {close[0]}?" if close else f"there are {shortened(labels)}"
