"""What charts are of: measures and metrics as people write them → as they are printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..comparison.measures import named
from ..config import Loaded
from ..errors import ConfigError

_WHERE = "report.charts"


def named_charts(charts: Mapping[str, Sequence[str]], labels: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """The charts with the names that their measures have in results; `ConfigError` for one that there is not."""
    known = tuple(dict.fromkeys(labels))
    metrics = tuple(dict.fromkeys(label.rpartition("@")[0] or label for label in known))
    found: dict[str, tuple[str, ...]] = {}
    for chart, texts in charts.items():
        every = [label for text in texts for label in named(text, metrics if chart == "over_k" else known, f"{_WHERE}: {chart}")]
        if chart == "trade_off" and every and len(every) != 2:
            raise ConfigError(f"{_WHERE}: trade_off is of two measures, not of {', '.join(every)}", "name both with their cut-offs")
        found[chart] = tuple(dict.fromkeys(every))
    return found


def refuse_unknown_charts(loaded: Loaded) -> None:
    """`ConfigError` for a chart of a measure that a config does not ask for, before anything is evaluated."""
    evaluation = loaded.config.evaluation
    if not evaluation.aggregates:  # with aggregates measures have more names than can be known here
        labels = [definition.label for definition in evaluation.definitions]
        named_charts(loaded.config.report.chosen, [*labels, *(composite.formula.text for composite in evaluation.composites)])
