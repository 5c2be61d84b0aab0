"""The formulas of measures for papers and reports: the notation, the equation of a user and of all users, and the settings in effect."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from ..conventions import AXES, PROTOCOL
from ..metrics import METRICS, Metric
from ..metrics.catalogue import equation, format_value, is_of_a_user, meaning_of
from ..metrics.catalogue import title as metric_title
from ..metrics.notation import GLOSSARY, symbols
from ..metrics.registry import at
from ..metrics.settings_read import OF_POOLED, meaning_of_value
from ..metrics.system_equation import pooled_equation
from ..results.measure_definition import MeasureDefinition, axes_read_by, params_of, with_params
from ..results.result import Result
from ..syntax.measure_strings import Scalar
from .document import Block, Equation, Heading, Paragraph, Points, Terms

_OVER_USERS: Final = {
    "mean": r"\frac{1}{|U|} \sum_{u \in U} %s",
    "sum": r"\sum_{u \in U} %s",
    "weighted": r"\frac{\sum_{u \in U} w_u %s}{\sum_{u \in U} w_u}",
    "geometric": r"\exp\Bigl(\frac{1}{|U|} \sum_{u \in U} \ln \max(%s, 10^{-5})\Bigr)",
}
_ALWAYS: Final = frozenset({"u", "U", "k", "r", "i", "L_u", "T_u"})
"""Symbols that are always explained."""
_CONDITION: Final = "1 if the condition holds, else 0"
_EMPTY: Final = "a fraction with denominator 0 counts 0"
_R: Final = "In the descriptions of settings $`R`$ is $`|T_u|`$, the number of relevant items of the user."
_POOLED: Final = "Over users: numerators and denominators are summed over users before the division (pooled)."


def definitions(result: Result) -> Iterator[Block]:
    """Yield the notation, a part for each measure (including those in formulas), and the settings that all measures share."""
    used = _used(result)
    yield from _notation(used, " ".join((*map(_settings_text, used.values()),)))
    shared = _shared(used.values())
    for name, definition in used.items():
        yield Heading(name, 3)
        metric = METRICS.get(definition.metric)
        if metric is None or shared is None:
            yield Paragraph(f"Arithmetic of the values of {', '.join(definition.components)}.")
        else:
            yield from _definition(metric, definition, shared, [row.k for row in result.rows if row.metric == name])
    if shared is not None:
        choices = _choices(shared, [(name, name) for name in PROTOCOL if name in shared.axes])
        relevance = [_relevance(shared)] if "relevance_rule" in shared.axes else []
        yield Heading("Common settings of all measures", 3)
        yield Paragraph("Differences are listed with the measure.")
        yield Points((f"Convention {shared.convention}.", *relevance, *choices))


def formulas(result: Result) -> Iterator[Block]:
    """Yield the equations of each measure with what its symbols mean, without settings, for pages that list the settings elsewhere."""
    used = _used(result)
    known = {name: definition for name, definition in used.items() if definition.metric in METRICS}
    equations = {name: definition for name, definition in known.items() if _equations(METRICS[definition.metric], definition)}
    for name, definition in equations.items():
        metric = METRICS[definition.metric]
        yield Heading(name, 3)
        yield Equation(_equations(metric, definition))
        combined = _combined(definition)
        yield from [Paragraph(text) for text in (combined, metric.left_out) if text]
    if equations:
        yield from _notation(equations, "")


def _used(result: Result) -> dict[str, MeasureDefinition]:
    """Return the definitions of a result by name, with those in formulas."""
    used: dict[str, MeasureDefinition] = {}
    for name, definition in result.definitions.items():
        used[name] = definition
        for label, part in definition.components.items() if definition.metric == "formula" else ():
            used.setdefault(label.partition("@")[0], part)
    return used


def _notation(used: Mapping[str, MeasureDefinition], settings: str) -> Iterator[Block]:
    """Yield the symbols of the formulas with their meanings; `settings` are the texts on settings, which may name R."""
    known = [definition for definition in used.values() if definition.metric in METRICS]
    texts = [" ".join(_equations(METRICS[definition.metric], definition)) for definition in known]
    needed = _ALWAYS.union(*map(symbols, texts))
    terms = [(f"$`{symbol}`$", re.sub(r"\$([^$]+)\$", r"$`\1`$", meaning)) for symbol, meaning in GLOSSARY.items() if symbol in needed]
    indicator = [] if all(METRICS[definition.metric].left_out for definition in known) else [(r"$`[\ldots]`$", f"{_CONDITION}; {_EMPTY}")]
    yield Heading("Notation", 3)
    yield Terms((*terms, *indicator), code=False)
    yield from [Paragraph(_R)] if re.search(r"\bR\b", settings) else []


def _settings_text(definition: MeasureDefinition) -> str:
    return " ".join(_choices(definition, [(axis, axis) for axis in axes_read_by(definition) if axis in definition.axes]))


def _shared(used: Iterable[MeasureDefinition]) -> MeasureDefinition | None:
    """Return the first measure, with each setting that a measure reads from the first one that reads it, and no others."""
    known = [definition for definition in used if definition.metric in METRICS]
    if not known:
        return None
    axes: dict[str, Scalar] = {}
    for definition in known:
        read = axes_read_by(definition)
        axes = {axis: value for axis, value in definition.axes.items() if axis in read} | axes
    judging = next((definition for definition in known if "relevance_rule" in axes_read_by(definition)), known[0])
    return replace(known[0], axes=axes, threshold=judging.threshold, graded=judging.graded)


def _equations(metric: Metric, definition: MeasureDefinition) -> tuple[str, ...]:
    """Return the equation of one user and that of all users, line by line; none for a metric without a formula."""
    params = params_of(metric, definition)
    lines = equation(metric, params)
    if not lines or not is_of_a_user(metric, params):
        return lines
    if definition.average == "micro":
        parts = [pair for component in definition.components.values() for pair in with_params(component)[:1]]
        return (*lines, *pooled_equation(metric, params, parts))
    over_users = _OVER_USERS.get(definition.average)
    return (*lines, *([f"{metric_title(metric)} = {over_users % f'{metric_title(metric)}(u)'}"] if over_users else []))


def _combined(definition: MeasureDefinition) -> str:
    """Return what $`M_1`$ and the others are, in a sentence; empty if the metric combines none."""
    combined = [f"$`M_{place}`$ is {label}" for place, label in enumerate(definition.components, 1)]
    return f"{', '.join(combined)}." if combined else ""


def formula_of(definition: MeasureDefinition) -> str:
    """Return the formula of a measure in LaTeX, with its parameters."""
    metric = METRICS[definition.metric]
    return at(params_of(metric, definition), metric.tex)


def _definition(metric: Metric, definition: MeasureDefinition, first: MeasureDefinition, cuts: Iterable[int | None]) -> Iterator[Block]:
    """Yield the sentence on a measure, its formula, and its differences from the `first` measure."""
    yield Paragraph(meaning_of(metric.doc))
    params = params_of(metric, definition)
    lines = _equations(metric, definition)
    if lines:
        yield Equation(lines)
    facts = " ".join(_facts(metric, definition, first, cuts))
    if facts:
        yield Paragraph(facts)
    read = axes_read_by(definition)
    differs = [(axis, axis) for axis in PROTOCOL if axis in read and definition.axes.get(axis) != first.axes.get(axis)]
    own = [(name, axis) for name, axis in metric.axes.items() if axis in read]
    choices = (*_choices(definition, [*own, *differs]), *_values(metric, params))
    if choices:
        yield Points(choices)


def _facts(metric: Metric, definition: MeasureDefinition, first: MeasureDefinition, cuts: Iterable[int | None]) -> Iterator[str]:
    of_measure = dict.fromkeys(cuts)
    if metric.cut and of_measure:
        yield f"Cut-offs: {', '.join('none' if k is None else str(k) for k in of_measure)}."
    if combined := _combined(definition):
        yield combined
    if definition.average == "micro":
        yield f"Over users: {OF_POOLED} (micro)." if definition.components else _POOLED
    if metric.left_out:
        yield metric.left_out
    if "relevance_rule" in axes_read_by(definition) and _relevance(definition) != _relevance(first):
        yield _relevance(definition)
    if definition.needs:
        yield f"Needs {', '.join(need.rstrip('?') for need in definition.needs)}."
    if definition.convention != first.convention:
        yield f"Convention {definition.convention}."


def _relevance(definition: MeasureDefinition) -> str:
    graded = "; ratings are gains" if definition.graded else ""
    if definition.threshold is not None:
        return f"Relevant: a rating of at least {definition.threshold:g}{graded}."
    rule = str(definition.axes.get("relevance_rule", ""))
    return f"Relevant: {AXES['relevance_rule'].meanings.get(rule, rule)}{graded}."


def _choices(definition: MeasureDefinition, names: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return a sentence for each of some settings (name in the measure → axis): its value and meaning."""
    sentences = []
    for name, axis in names:
        value = definition.axes[axis]
        meaning = meaning_of_value(axis, value, bool(definition.components))
        sentences.append(f"`{name}` = `{format_value(value)}`: {AXES[axis].decides}{f': {meaning}' if meaning else ''}")
    return tuple(sentences)


def _values(metric: Metric, params: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each number and text parameter of the measure."""
    for name, number in metric.numbers.items():
        if name not in params:
            continue
        symbol = f"$`{number.symbol}`$, " if number.symbol else ""
        yield f"{symbol}`{name}` = {'no limit' if params[name] == math.inf else f'{params[name]:g}'}: {number.means}"
    for name, text in metric.texts.items():
        if params[name]:
            yield f"`{name}` = {params[name]}: {text.means}"
