"""The definitions of the measures of a result: what each says, its formula, and every choice that was made."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ..conventions import AXES, PROTOCOL
from ..document import Block, Equation, Heading, Paragraph, Points, Terms
from ..metrics import METRICS, Metric
from ..metrics.catalogue import equation, is_of_a_user, sections, shown, title
from ..metrics.notation import GLOSSARY, symbols
from ..results.result import MeasureDefinition, Result

_OVER_USERS: Final = {
    "mean": r"\frac{1}{|U|} \sum_{u \in U} %s",
    "sum": r"\sum_{u \in U} %s",
    "geometric": r"\exp\Bigl(\frac{1}{|U|} \sum_{u \in U} \ln \max(%s, 10^{-5})\Bigr)",
}
_ALWAYS: Final = frozenset({"u", "U", "k", "r", "i", "L_u", "T_u"})
"""Symbols that are explained whether a formula has them or not."""
_INDICATOR: Final = (r"$`[\ldots]`$", "1 if the condition holds, else 0; a fraction with denominator 0 counts 0")
_R: Final = "In the descriptions of settings $`R`$ is $`|T_u|`$, the number of relevant items of the user."


def definitions(result: Result) -> Iterator[Block]:
    """Yield the notation, a part for each measure, and what all measures share."""
    used = _used(result)
    yield Heading("Notation", 3)
    yield Terms((*_symbols(used.values()), _INDICATOR), code=False)
    yield Paragraph(_R)
    first = next((one for one in used.values() if one.metric != "formula"), None)
    for name, definition in used.items():
        yield Heading(name, 3)
        metric = METRICS.get(definition.metric)
        if metric is None or first is None:
            yield Paragraph(f"Arithmetic of the values of {', '.join(definition.components)}.")
        else:
            yield from _definition(metric, definition, first, [row.k for row in result.rows if row.metric == name])
    if first is not None:
        choices = _choices(first, [(name, name) for name in PROTOCOL if name in first.axes])
        yield Heading("Common settings of all measures", 3)
        yield Paragraph("Differences are listed with the measure.")
        yield Points((f"Convention {first.convention}.", _relevance(first), *choices))


def formula_of(definition: MeasureDefinition) -> str:
    """Return the formula of a measure in LaTeX, with its parameters."""
    metric = METRICS[definition.metric]
    return metric.tex(_params(metric, definition))


def _used(result: Result) -> dict[str, MeasureDefinition]:
    """Every measure of a result and those that its formulas combine, by name, without cut-offs."""
    found: dict[str, MeasureDefinition] = {}
    for name, definition in result.definitions.items():
        found[name] = definition
        for label, part in definition.components.items() if definition.metric == "formula" else ():
            found.setdefault(label.partition("@")[0], part)
    return found


def _symbols(used: Iterable[MeasureDefinition]) -> Iterator[tuple[str, str]]:
    """The symbols of all formulas, and the words that stand for them in descriptions."""
    formulas = [formula_of(one) for one in used if one.metric in METRICS]
    needed = _ALWAYS.union(*map(symbols, formulas))
    for symbol, meaning in GLOSSARY.items():
        if symbol in needed:
            yield f"$`{symbol}`$", re.sub(r"\$([^$]+)\$", r"$`\1`$", meaning)


def _params(metric: Metric, definition: MeasureDefinition) -> dict[str, Any]:
    given = dict(definition.params)
    numbers = {name: float(given.get(name, number.default)) for name, number in metric.numbers.items()}
    texts = {name: str(given.get(name, text.default or "")) for name, text in metric.texts.items()}
    return {key: definition.axes[axis] for key, axis in metric.axes.items()} | numbers | texts


def _definition(metric: Metric, definition: MeasureDefinition, first: MeasureDefinition, cuts: Iterable[int | None]) -> Iterator[Block]:
    """What a measure says, its formula, and in what it differs from the `first` one."""
    yield Paragraph(sections(metric.doc)[0])
    params = _params(metric, definition)
    lines = equation(metric, params)
    if lines:
        over_users = _OVER_USERS.get(definition.average) if is_of_a_user(metric, params) else None
        yield Equation((*lines, *([f"{title(metric)} = {over_users % f'{title(metric)}(u)'}"] if over_users else [])))
    facts = " ".join(_facts(metric, definition, first, cuts))
    if facts:
        yield Paragraph(facts)
    differs = [(axis, axis) for axis in PROTOCOL if definition.axes.get(axis) != first.axes.get(axis)]
    choices = (*_choices(definition, [*metric.axes.items(), *differs]), *_values(metric, params))
    if choices:
        yield Points(choices)


def _facts(metric: Metric, definition: MeasureDefinition, first: MeasureDefinition, cuts: Iterable[int | None]) -> Iterator[str]:
    of_measure = dict.fromkeys(cuts)
    if metric.cut and of_measure:
        yield f"Cut-offs: {', '.join('none' if k is None else str(k) for k in of_measure)}."
    combined = [f"$`M_{place}`$ is {label}" for place, label in enumerate(definition.components, 1)]
    if combined:
        yield f"{', '.join(combined)}."
    if definition.average == "micro":
        yield "Over users: numerators and denominators are summed over users before the division (pooled)."
    if _relevance(definition) != _relevance(first):
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
    """A sentence for each of some choices, by its name in the measure and that of its axis: its value, and what that means."""
    sentences = []
    for name, axis in names:
        value, meaning = definition.axes[axis], AXES[axis].meanings.get(str(definition.axes[axis]))
        sentences.append(f"`{name}` = `{shown(value)}`: {AXES[axis].decides}{f': {meaning}' if meaning else ''}")
    return tuple(sentences)


def _values(metric: Metric, params: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each number and text that the measure takes."""
    for name, number in metric.numbers.items():
        symbol = f"$`{number.symbol}`$, " if number.symbol else ""
        yield f"{symbol}`{name}` = {'no limit' if params[name] == math.inf else f'{params[name]:g}'}: {number.means}"
    for name, text in metric.texts.items():
        if params[name]:
            yield f"`{name}` = {params[name]}: {text.means}"
