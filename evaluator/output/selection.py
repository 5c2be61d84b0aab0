"""What of a result is shown: some of its measures, and its models in the order of one of them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from ..errors import ConfigError
from ..results.result import Result, Row


def measures_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Measures that commas separate, those in parentheses apart: `F1(nDCG,MAP)@10,Recall@5` are two."""
    found: list[str] = []
    for text in texts:
        depth, start = 0, 0
        for position, character in enumerate(f"{text},"):
            depth += (character == "(") - (character == ")")
            if character == "," and depth <= 0:
                found.append(text[start:position].strip())
                start = position + 1
    return tuple(measure for measure in found if measure)


def matching(measure: str, labels: Sequence[str]) -> tuple[str, ...]:
    """The labels that a measure names: that label, all aggregates of that measure, or all cut-offs of that metric, in any case of letters.

    Raises `ConfigError` if there is none.
    """
    wanted = measure.lower()
    for name_of in (str, _measure, _metric):
        found = tuple(label for label in labels if name_of(label).lower() == wanted)
        if found:
            return found
    names = tuple(dict.fromkeys(name for label in labels for name in (label, _measure(label), _metric(label))))
    close = difflib.get_close_matches(measure, names, n=1, cutoff=0.5)
    hint = f" — did you mean '{close[0]}'?" if close else f"; it has {', '.join(labels)}"
    raise ConfigError(f"the result has no measure '{measure}'{hint}")


def _measure(label: str) -> str:
    return label.partition(" (")[0]


def _metric(label: str) -> str:
    return _measure(label).rpartition("@")[0] or _measure(label)


def selected(result: Result, columns: Sequence[str], sort: str | None) -> Result:
    """The measures `columns` of a result (all if there are none), the models sorted by the measure `sort`, the best first.

    Raises `ConfigError` if the result has no such measure.
    """
    chosen = tuple(dict.fromkeys(label for column in columns for label in matching(column, result.labels())))
    return _with_measures(_sorted(result, sort) if sort else result, chosen) if chosen or sort else result


def _sorted(result: Result, measure: str) -> Result:
    """The models by the value of a measure, the larger first where neither is better; those without one, then yardsticks, last."""
    (label, *_) = matching(measure, result.labels())
    table = result.by_model()
    sign = 1.0 if result.higher_is_better[label] is False else -1.0

    def key(model: str) -> tuple[bool, bool, float]:
        row = table[model].get(label)
        value = None if row is None else row.value
        return model in result.yardsticks, value is None, sign * (value or 0.0)

    models = sorted(result.models, key=key)
    return replace(result, counts={model: result.counts[model] for model in models})


def _with_measures(result: Result, labels: Sequence[str]) -> Result:
    if not labels:
        return result

    def chosen(rows: Iterable[Row]) -> tuple[Row, ...]:
        return tuple(sorted((row for row in rows if row.label in labels), key=lambda row: labels.index(row.label)))

    return replace(result, rows=chosen(result.rows), by_group=chosen(result.by_group), repeated=chosen(result.repeated))
