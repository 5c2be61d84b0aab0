"""Which measures are compared, and which of them are judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from ..errors import ConfigError
from ..names.aggregate_names import is_spread
from ..names.margins import Margin
from ..results.result import Result, Row
from ..results.wording import shortened

DEFAULT_MARGIN = "default"


def rows_of(result: Result, model: str) -> dict[str, Row]:
    """The rows of a model that can be compared, by label: all but those that say how far values spread."""
    return {row.label: row for row in result.rows if row.model == model and not is_spread(row.aggregate)}


def named(text: str, labels: Sequence[str], where: str = "measures") -> tuple[str, ...]:
    """The labels that a text names: one as it is printed, in any case, or all cut-offs of a metric; `ConfigError` if there is none."""
    plain = {label: label.lower().replace(" ", "") for label in labels}
    wanted = text.lower().replace(" ", "")
    found = tuple(label for label, one in plain.items() if one == wanted)
    found = found or tuple(label for label, one in plain.items() if one.partition("@")[0] == wanted)
    if not found:
        close = get_close_matches(text, labels, n=1, cutoff=0.4)
        hint = f"did you mean {close[0]}?" if close else f"there are {shortened(labels)}"
        raise ConfigError(f"{where}: no measure of the results is called {text[:80]!r}", hint)
    return found


def all_named(texts: Iterable[str], labels: Sequence[str], where: str = "measures") -> tuple[str, ...]:
    """The labels that some texts name, in the order of `labels`."""
    wanted = {label for text in texts for label in named(text, labels, where)}
    return tuple(label for label in labels if label in wanted)


def margins_of(margins: Mapping[str, Margin], labels: Sequence[str]) -> dict[str, Margin]:
    """The margin of each label; the one called `default` is that of all others."""
    default = margins.get(DEFAULT_MARGIN)
    of_labels = dict.fromkeys(labels, default) if default is not None else {}
    for text, margin in margins.items():
        if text != DEFAULT_MARGIN:
            of_labels |= dict.fromkeys(named(text, labels, "margin"), margin)
    return {label: margin for label, margin in of_labels.items() if margin is not None}
