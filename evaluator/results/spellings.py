"""Spellings of measures: the labels of a result that a text names, in each spelling that a config accepts.

A text names a measure as it is printed, ignoring case and spaces, with any name of its metric. Else its settings decide: they may be in
any order, and may be those that the measure has anyway, such as `ILD(distance=jaccard)@10` for `ILD@10`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from .. import conventions
from ..conventions import AXES, PROTOCOL
from ..metrics import Metric, find
from ..support.synonyms import did_you_mean
from ..syntax.measure_strings import CUTOFF_KEYS, UNSET, MetricSpec, Scalar, cutoff, parse
from .measure_definition import MeasureDefinition
from .row import shortened

Definitions = Mapping[str, MeasureDefinition]
"""The definition of each measure of a result, by its printed name without the cut-off."""
UNDEFINED: Final[Definitions] = MappingProxyType({})
_AGGREGATE: Final = re.compile(r"(?P<measure>.*\S) \((?P<aggregate>[a-z][\w.()]*)\)")


def labels_named(text: str, labels: Sequence[str], definitions: Definitions = UNDEFINED) -> tuple[str, ...]:
    """Return the labels that a text names: one, in any spelling, or all cut-offs of a metric; none if there is no such label.

    Only with `definitions` settings that a label does not print are known.
    """
    plain = {label: label.lower().replace(" ", "") for label in labels}
    for spelling in dict.fromkeys((text, with_metric_name(text))):
        wanted = spelling.lower().replace(" ", "")
        exact = tuple(label for label, plain_label in plain.items() if plain_label == wanted)
        if labels_of_name := exact or tuple(label for label, plain_label in plain.items() if plain_label.partition("@")[0] == wanted):
            return labels_of_name
    return tuple(label for label in labels if _is_spelling(text, label, definitions))


def with_metric_name(text: str) -> str:
    """Return a measure with the name that results use for its metric, `HR@10` as `HitRate@10`; as it is if there is no such metric."""
    written = text.partition("@")[0].partition("(")[0]
    try:
        return find(written.strip()).name + text[len(written) :]
    except ValueError:
        return text


def close_label(text: str, labels: Sequence[str]) -> str:
    """Return a hint for a text that names no label: the closest label, or those that there are."""
    return did_you_mean(text, labels, f"there {'is' if len(labels) == 1 else 'are'} {shortened(labels)}")


def _is_spelling(text: str, label: str, definitions: Definitions) -> bool:
    """Return whether a text is another spelling of a label, or of its metric without the cut-off."""
    (wanted, aggregate), (measure, own) = (without_aggregate(name) for name in (text.strip(), label))
    try:
        printed = parse(measure)
        definition = definitions.get(printed.title)
        if aggregate != own and (aggregate or definition is None or own != definition.average):
            return False
        return _is_same(parse(wanted), printed, definition)
    except ValueError:  # a formula, an unknown metric or a wrong setting
        return False


def without_aggregate(text: str) -> tuple[str, str]:
    """Return a measure and its aggregate, which is empty for the mean: `nDCG@10 (sum)` is `nDCG@10` and `sum`."""
    found = _AGGREGATE.fullmatch(text)
    return (found["measure"], found["aggregate"]) if found else (text, "")


def _is_same(asked: MetricSpec, printed: MetricSpec, definition: MeasureDefinition | None) -> bool:
    """Return whether a measure that was asked for is the printed one; raise `ValueError` for a wrong setting."""
    given, shown = dict(asked.params), dict(printed.params)
    usual = definition.convention if definition else conventions.DEFAULT
    convention = str(given.get("convention", usual))
    settings = {key: value for key, value in given.items() if key != "convention"}
    if convention in conventions.packaged_names():  # its library may call the metric and its settings otherwise
        asked = conventions.load(convention).read(MetricSpec(asked.name, asked.components, tuple(settings.items()), asked.k))
        settings = dict(asked.params)
    entry, cut = find(asked.name, asked.params), asked.k
    for key in CUTOFF_KEYS:
        if key in settings and entry.cut and key not in entry.numbers:
            cut = cutoff(settings.pop(key))
    of_config = {key for key, text in entry.texts.items() if text.shown and shown.get(key) != "none"}  # weights need not be written
    written = {*settings, *given, *of_config}
    if entry.name != printed.name or cut not in (UNSET, printed.k) or convention != usual or not shown.keys() <= written:
        return False
    shown.pop("convention", None)
    if not all(_has(definition, entry, key, value) if definition else shown.get(key) == value for key, value in settings.items()):
        return False
    parts, own = ([*spec.components] or [*map(parse, entry.combines)] for spec in (asked, printed))
    held = [*definition.components.values()] if definition else []
    of_parts = held if len(held) == len(own) else [None] * len(own)
    return len(parts) == len(own) and all(map(_is_same, parts, own, of_parts))


def _has(definition: MeasureDefinition, entry: Metric, key: str, value: Scalar) -> bool:
    if key in entry.numbers:
        return key in definition.params and entry.numbers[key].read(key, value) == float(definition.params[key])
    if key in entry.texts:
        return str(value) == (definition.params.get(key, "none") if entry.texts[key].shown else definition.params[key])
    if key == "threshold" and value not in AXES[key].values:
        return definition.threshold == value or (definition.threshold is None and definition.axes["relevance_rule"] == value)
    axis = entry.axes.get(key, key)
    if axis == key and key not in PROTOCOL:
        return False
    both = (AXES[axis].read(value, key), definition.axes.get(axis))
    return len({entry.average if axis == "average" and average == "own" else average for average in both}) == 1
