"""The definitions of the measures of a result: what each says, its formula, and every choice that was made."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from ...conventions import AXES, PROTOCOL
from ...metrics import METRICS, Metric
from ...metrics.catalogue import sections, shown
from ...metrics.equations import equation, is_of_a_user, title
from ...metrics.notation import GLOSSARY, symbols
from ...results.definition import MeasureDefinition
from ...results.result import Result
from .escape import documented, escaped, prose

_OVER_USERS: Final = {
    "mean": r"\frac{1}{|U|} \sum_{u \in U} %s",
    "sum": r"\sum_{u \in U} %s",
    "geometric": r"\exp\Bigl(\frac{1}{|U|} \sum_{u \in U} \ln \max(%s, 10^{-5})\Bigr)",
}
_COMPONENTS: Final = ("M_1", "M_2", "M_3", "M_4")


def used(result: Result) -> dict[str, MeasureDefinition]:
    """Every measure of a result and those that its formulas combine, by name, without cut-offs."""
    found: dict[str, MeasureDefinition] = {}
    for name, definition in result.definitions.items():
        found[name] = definition
        for label, part in definition.components.items() if definition.metric == "formula" else ():
            found.setdefault(label.partition("@")[0], part)
    return found


def definition_sections(result: Result) -> Iterator[str]:
    """A subsection for each measure."""
    for name, definition in used(result).items():
        yield "\n\n".join(_section(name, definition, result))


def notation(result: Result) -> str:
    """What the symbols of all formulas mean, and the words that stand for them in descriptions."""
    formulas = [formula_of(one) for one in used(result).values() if one.metric in METRICS]
    needed = {symbol for formula in formulas for symbol in symbols(formula)} | {"u", "U", "k", "r", "i", "L_u", "T_u"}
    rows = [rf"\item[${symbol}$] {meaning}" for symbol, meaning in GLOSSARY.items() if symbol in needed]
    return "\n".join(
        (
            r"\begin{list}{}{\settowidth{\labelwidth}{$I_{\mathrm{train}}$}\setlength{\leftmargin}{\labelwidth}"
            r"\addtolength{\leftmargin}{\labelsep}\setlength{\itemsep}{0pt}\setlength{\parsep}{1pt}"
            r"\renewcommand{\makelabel}[1]{#1\hfil}}",
            *rows,
            r"\item[{$[\ldots]$}] 1 if the condition holds, else 0; a fraction without a denominator counts 0",
            r"\end{list}",
        )
    )


def protocol_choices(result: Result) -> str:
    """The choices that all measures share, with those of the first measure."""
    first = next(iter(_leaves(result)), None)
    if first is None:
        return ""
    choices = _choices((name, AXES[name].decides, first.axes[name], AXES[name].meanings) for name in PROTOCOL if name in first.axes)
    return "\n".join((rf"\item {prose(f'Convention {first.convention}.')}", rf"\item {prose(_relevance(first))}", choices))


def formula_of(definition: MeasureDefinition) -> str:
    """The formula of a measure in LaTeX, with its parameters."""
    metric = METRICS[definition.metric]
    return metric.tex(_params(metric, definition))


def _params(metric: Metric, definition: MeasureDefinition) -> dict[str, Any]:
    given = dict(definition.params)
    numbers = {name: float(given.get(name, number.default)) for name, number in metric.numbers.items()}
    texts = {name: str(given.get(name, text.default or "")) for name, text in metric.texts.items()}
    return {key: definition.axes[axis] for key, axis in metric.axes.items()} | numbers | texts


def _leaves(result: Result) -> Iterator[MeasureDefinition]:
    return (one for one in used(result).values() if one.metric != "formula")


def _section(name: str, definition: MeasureDefinition, result: Result) -> Iterator[str]:
    yield rf"\subsection*{{{escaped(name)}}}"
    metric = METRICS.get(definition.metric)
    if metric is None:
        yield prose(f"Arithmetic of the values of {', '.join(definition.components)}.")
        return
    yield documented(sections(metric.doc)[0])
    lines = equation(metric, _params(metric, definition))
    if lines:
        yield _display(definition, metric, lines)
    yield " ".join(_facts(name, definition, metric, result))
    first = next(_leaves(result))
    own = [(key, AXES[axis].decides, definition.axes[axis], AXES[axis].meanings) for key, axis in metric.axes.items()]
    others = [
        (axis, AXES[axis].decides, definition.axes[axis], AXES[axis].meanings)
        for axis in PROTOCOL
        if definition.axes.get(axis) != first.axes.get(axis)
    ]
    parts = [_choices((*own, *others)), *_numbers(metric, definition)]
    if any(parts):
        yield "\n".join((r"\begin{points}", *(part for part in parts if part), r"\end{points}"))


def _display(definition: MeasureDefinition, metric: Metric, lines: tuple[str, ...]) -> str:
    """The formula of a user's value, or of the model's, and how users are combined."""
    if is_of_a_user(metric, _params(metric, definition)) and definition.average in _OVER_USERS:
        lines = (*lines, f"{title(metric)} = {_OVER_USERS[definition.average] % f'{title(metric)}(u)'}")
    return "\\begin{gather*}\n" + " \\\\\n".join(lines) + "\n\\end{gather*}"


def _facts(name: str, definition: MeasureDefinition, metric: Metric, result: Result) -> Iterator[str]:
    cuts = dict.fromkeys(row.k for row in result.rows if row.metric == name)
    if metric.cut and cuts:
        yield prose(f"Cut-offs: {', '.join('none' if k is None else str(k) for k in cuts)}.")
    combined = [f"${symbol}$ is {escaped(label)}" for symbol, label in zip(_COMPONENTS, definition.components, strict=False)]
    if combined:
        yield f"{', '.join(combined)}."
    if definition.average == "micro":
        yield "Over users: the numerators and the denominators are summed over users before they are divided (pooled)."
    first = next(_leaves(result))
    if _relevance(definition) != _relevance(first):
        yield prose(_relevance(definition))
    if definition.needs:
        yield prose(f"Needs {', '.join(need.rstrip('?') for need in definition.needs)}.")
    if definition.convention != first.convention:
        yield prose(f"Convention {definition.convention}.")


def _relevance(definition: MeasureDefinition) -> str:
    graded = "; ratings are gains" if definition.graded else ""
    if definition.threshold is not None:
        return f"Relevant: a rating of at least {definition.threshold:g}{graded}."
    rule = str(definition.axes.get("relevance_rule", ""))
    return f"Relevant: {AXES['relevance_rule'].meanings.get(rule, rule)}{graded}."


def _choices(choices: Any) -> str:
    """A line of a list for each choice: its name, its value, and what that means."""
    lines = []
    for name, decides, value, meanings in choices:
        meaning = meanings.get(str(value))
        lines.append(rf"\item {documented(f'`{name}` = `{shown(value)}`: {decides}' + (f': {meaning}' if meaning else ''))}")
    return "\n".join(lines)


def _numbers(metric: Metric, definition: MeasureDefinition) -> Iterator[str]:
    params: Mapping[str, Any] = _params(metric, definition)
    for name, number in metric.numbers.items():
        symbol = f"${number.symbol}$, " if number.symbol else ""
        value = "no limit" if params[name] == math.inf else f"{params[name]:g}"
        yield rf"\item {symbol}{documented(f'`{name}` = {value}: {number.means}')}"
    for name, text in metric.texts.items():
        if params[name]:
            yield rf"\item {documented(f'`{name}`')} = {prose(f'{params[name]}: {text.means}')}"
