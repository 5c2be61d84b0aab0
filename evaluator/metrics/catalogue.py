"""Catalogue of metrics, axes and conventions, read from the registry and the convention files; and formulas as equations."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from msgspec import Struct

from ..conventions import AXES, PROTOCOL, Axis, Convention, builtin_names, load
from ..support.patterns import regex
from ..syntax.measure_strings import Scalar
from .notation import GLOSSARY, symbols
from .plain_formulas import plain
from .registry import METRICS, Metric, Number, Text, at
from .value import OF_LISTED, OF_RELEVANT

_NEXT: Final = r"\\"
_IN_LATEX: Final = regex(r"\$([^$]+)\$")
_ADVICE: Final = regex(r"; (?:use|the\s+default|rarely)\b.*\.$")
"""The end of the summary of a metric that says when to use it."""


def title(metric: Metric) -> str:
    """Return the metric as a symbol, with its cut-off if it takes one."""
    return rf"\mathrm{{{metric.name}}}{'@k' if metric.cut else ''}"


def is_of_a_user(metric: Metric, params: Mapping[str, Scalar]) -> bool:
    """Return whether the formula gives the value of one user, not that of the whole model or of means over users."""
    of_means = any(axis == "f_of" and params[name] == "means" for name, axis in metric.axes.items())
    return not (metric.per_model or of_means)


def equation(metric: Metric, params: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the lines of the equation; none for a metric without a formula."""
    formula = at(params, metric.tex)
    if not formula:
        return ()
    left = f"{title(metric)}(u)" if is_of_a_user(metric, params) else title(metric)
    first, *others = map(str.strip, formula.split(_NEXT))
    return (f"{left} = {first}", *others)


DEFAULT: Final = "receval"
FAMILIES: Final = {
    "accuracy": "Accuracy of the list as a set",
    "ranking": "Accuracy of the ranking",
    "value": "Revenue, profit and weights",
    "auc": "AUC",
    "rating": "Rating error",
    "coverage": "Coverage, and the state of the lists",
    "novelty": "Novelty and surprise",
    "diversity": "Diversity",
    "popularity": "Popularity bias",
    "fairness": "Fairness",
    "serendipity": "Serendipity",
    "counterfactual": "Counterfactual",
    "composite": "Several objectives",
}
"""Families of metrics, in the order in which they are listed."""
NUMBERS_OF_RELEVANT: Final = "a column of numbers of data.items or data.test"
NUMBERS_OF_LISTED: Final = "a column of numbers of data.items"
_NEEDS: Final = {
    "catalogue": "data.train or data.items",
    "categories": "categories of data.items",
    OF_RELEVANT: NUMBERS_OF_RELEVANT,
    OF_LISTED: NUMBERS_OF_LISTED,
}


class ChoiceEntry(Struct, frozen=True):
    """One setting: its purpose (`decides`), its values with their meanings (empty for a number), and its default.

    `axis` is the name in convention files, `None` for a parameter that conventions do not set. `allowed` describes the values in words.
    """

    name: str
    axis: str | None
    part: str
    decides: str
    allowed: str
    values: Mapping[str, str]
    default: Scalar


class SettingEntry(Struct, frozen=True):
    """The settings of one convention for one metric.

    `own` has the metric's own parameters and `protocol` the axes of all metrics, both where they differ from the default
    convention; `alone` has the axes that the convention sets for this metric and not for all.
    """

    convention: str
    has_metric: bool
    own: Mapping[str, Scalar]
    protocol: Mapping[str, Scalar]
    alone: Mapping[str, Scalar]


class MetricEntry(Struct, frozen=True):
    """One metric. `summary` is one sentence, the other texts are paragraphs; `terms` has the meanings of the symbols that they use.

    `tex` is the formula under the defaults in LaTeX, line by line, in the symbols of `notation`, `formula` the same as text.
    """

    name: str
    aliases: tuple[str, ...]
    family: str
    summary: str
    formula: str
    tex: tuple[str, ...]
    text: tuple[str, ...]
    edge_cases: tuple[str, ...]
    terms: Mapping[str, str]
    reference: str
    bounds: tuple[float, float]
    higher_is_better: bool | None
    needs: tuple[str, ...]
    takes_cutoff: bool
    average: str
    combines: tuple[str, ...]
    parameters: tuple[ChoiceEntry, ...]
    conventions: tuple[str, ...]
    settings: tuple[SettingEntry, ...]
    origin: str = "receval"
    """Source of the metric: receval, or the package or file that adds it."""


class ConventionEntry(Struct, frozen=True):
    """One convention. `axes` has a value for every axis, `differs` those that differ from the default convention."""

    name: str
    library: str
    version: str
    source: str
    about: str
    notes: tuple[str, ...]
    metrics: tuple[str, ...]
    axes: Mapping[str, Scalar]
    differs: Mapping[str, Scalar]
    for_metric: Mapping[str, Mapping[str, Scalar]]
    spellings: Mapping[str, str]
    parameters: Mapping[str, str | Mapping[str, Mapping[str, Scalar]]]
    sets: Mapping[str, tuple[str, ...]]


class Catalogue(Struct, frozen=True):
    """The axes of all metrics (`protocol`), those of some metrics (`formula`), the metrics and the conventions."""

    protocol: tuple[ChoiceEntry, ...]
    formula: tuple[ChoiceEntry, ...]
    metrics: tuple[MetricEntry, ...]
    conventions: tuple[ConventionEntry, ...]

    def metric(self, name: str) -> MetricEntry:
        """Return the metric with this name."""
        return next(entry for entry in self.metrics if entry.name == name)

    def convention(self, name: str) -> ConventionEntry:
        """Return the convention with this name."""
        return next(entry for entry in self.conventions if entry.name == name)


def read(extra: Iterable[Convention] = (), only: str | None = None) -> Catalogue:
    """Read the catalogue of the conventions of receval, the default one first, and of `extra` ones; `only` with this metric, if given."""
    names = sorted(builtin_names(), key=lambda name: (name != DEFAULT, name.lower()))
    found = {convention.name: convention for convention in (*map(load, names), *extra)}
    default = found[DEFAULT]
    order = {family: index for index, family in enumerate(FAMILIES)}  # those of packages and files come last
    choices = tuple(_axis(name, axis, default.axes[name]) for name, axis in AXES.items())
    return Catalogue(
        protocol=tuple(choice for choice in choices if choice.name in PROTOCOL),
        formula=tuple(choice for choice in choices if choice.name not in PROTOCOL),
        metrics=tuple(
            _metric(metric, default, tuple(found.values()))
            for metric in sorted(METRICS.values(), key=lambda metric: order.get(metric.family, len(order)))
            if only in (None, metric.name)
        ),
        conventions=tuple(_convention(convention, default) for convention in found.values()),
    )


def has_metric(convention: Convention, metric: str) -> bool:
    """Return whether the library of a convention has the metric; the default convention has all."""
    return convention.name == DEFAULT or metric in convention.metrics


def _metric(metric: Metric, default: Convention, conventions: tuple[Convention, ...]) -> MetricEntry:
    summary, formula, text, edge_cases = _sections_of(metric)
    own, params = default.axes_of(metric.name), defaults(metric, default)
    lines = equation(metric, params)
    return MetricEntry(
        name=metric.name,
        aliases=metric.aliases,
        family=metric.family,
        summary=summary,
        formula=formula or "\n".join(map(plain, lines)),
        tex=lines,
        text=text,
        edge_cases=edge_cases,
        terms={plain(symbol): _IN_LATEX.sub(lambda found: plain(found[1]), text) for symbol, text in meanings(metric, lines).items()},
        reference=metric.reference,
        bounds=metric.bounds,
        higher_is_better=at(params, metric.higher_is_better),
        needs=_needs(metric, own),
        takes_cutoff=metric.cut,
        average=metric.average,
        combines=metric.combines,
        parameters=(
            *(_axis(name, AXES[axis], own[axis]) for name, axis in metric.axes.items()),
            *(_number(name, number) for name, number in metric.numbers.items()),
            *(
                ChoiceEntry(name, None, "formula", text.means, _allowed(metric, text), {}, text.default or "")
                for name, text in metric.texts.items()
            ),
        ),
        conventions=tuple(convention.name for convention in conventions if has_metric(convention, metric.name)),
        settings=tuple(_setting(metric, convention, default) for convention in conventions),
        origin=metric.origin,
    )


def _allowed(metric: Metric, text: Text) -> str:
    """Return which texts a parameter takes, in words."""
    if text.shown:
        return "items.COLUMN, rows.COLUMN or none"
    if text.words:
        return f"{', '.join(text.words)}, items.COLUMN or rows.COLUMN"
    if text.key:
        return "items.COLUMN" if OF_LISTED in at({"column": ""}, metric.needs) else "items.COLUMN or rows.COLUMN"
    return "none" if text.default == "" else "a name"


def defaults(metric: Metric, convention: Convention) -> dict[str, Scalar]:
    """Return the parameters of a metric under a convention, if none is given."""
    own = convention.axes_of(metric.name)
    numbers = {name: number.default for name, number in metric.numbers.items() if number.default is not None}
    return (
        {name: own[axis] for name, axis in metric.axes.items()}
        | numbers
        | {name: text.default or "" for name, text in metric.texts.items()}
    )


@cache
def _named() -> Mapping[str, str]:
    """Return the symbols that texts may name, as they are written there."""
    return {symbol: plain(symbol) for symbol in GLOSSARY if "_" in symbol}


def meanings(metric: Metric, lines: Iterable[str]) -> dict[str, str]:
    """Return the symbols in LaTeX of the lines of an equation, and those that texts on the metric name, with their meanings."""
    formula = " ".join(line.partition(" = ")[2] or line for line in lines)
    texts = " ".join(paragraph for paragraphs in _sections_of(metric)[2:] for paragraph in paragraphs)
    own = {number.symbol: f"the parameter `{name}`" for name, number in metric.numbers.items() if number.symbol}
    used = (*symbols(formula), *(symbol for symbol, name in _named().items() if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", texts)))
    known = {symbol: own.get(symbol) or GLOSSARY[symbol] for symbol in used if symbol in own or symbol in GLOSSARY}
    choices = (meaning for axis in metric.axes.values() for meaning in AXES[axis].meanings.values())
    known |= {"R": "$|T_u|$, the number of relevant items"} if re.search(r"\bR\b", " ".join((texts, *choices))) else {}
    return known | ({r"[\ldots]": "1 if the condition is true, else 0"} if "[" in formula else {})


def _needs(metric: Metric, own: Mapping[str, Scalar]) -> tuple[str, ...]:
    """Return the inputs that the metric needs with its defaults; a column that must be named is `a column of …`."""
    given = {name: own[axis] for name, axis in metric.axes.items()}
    given |= {name: (text.words[0] if text.words else "") if text.key else text.default or "COLUMN" for name, text in metric.texts.items()}
    needed = (need for need in sorted(at(given, metric.needs)) if not need.endswith("?"))
    named = (_NEEDS.get(need, f"data.{need}").removesuffix(".COLUMN") for need in needed)
    return tuple(f"a column of {need}" if need in ("data.items", "data.users") else need for need in named)


def _setting(metric: Metric, convention: Convention, default: Convention) -> SettingEntry:
    given, usual = convention.axes_of(metric.name), default.axes_of(metric.name)
    return SettingEntry(
        convention=convention.name,
        has_metric=has_metric(convention, metric.name),
        own={name: given[axis] for name, axis in metric.axes.items() if given[axis] != usual[axis]},
        protocol={axis: given[axis] for axis in PROTOCOL if given[axis] != usual[axis]},
        alone={axis: given[axis] for axis in PROTOCOL if given[axis] != convention.axes[axis]},
    )


def _convention(convention: Convention, default: Convention) -> ConventionEntry:
    return ConventionEntry(
        name=convention.name,
        library=convention.library,
        version=convention.version,
        source=convention.source,
        about=convention.about,
        notes=convention.notes,
        metrics=tuple(name for name in METRICS if has_metric(convention, name)),
        axes={name: convention.axes[name] for name in AXES},
        differs={name: convention.axes[name] for name in AXES if convention.axes[name] != default.axes[name]},
        for_metric={name: dict(axes) for name, axes in convention.metrics.items() if axes},
        spellings=dict(convention.spellings),
        sets=dict(convention.sets),
        parameters={
            name: rewrite if isinstance(rewrite, str) else {format_value(value): dict(meaning) for value, meaning in rewrite.items()}
            for name, rewrite in convention.parameters.items()
        },
    )


def _axis(name: str, axis: Axis, default: Scalar) -> ChoiceEntry:
    allowed = ", ".join(axis.values) if axis.values else "a number above 1"
    return ChoiceEntry(name, axis.name, axis.part, axis.decides, allowed, dict(axis.meanings), default)


def _number(name: str, number: Number) -> ChoiceEntry:
    allowed = "a number above 0" if number.least == 1e-6 else f"a number from {number.least:g} to {number.most:g}"
    return ChoiceEntry(name, None, "formula", number.means, allowed, {}, "" if number.default is None else number.default)


def format_value(value: Scalar | None) -> str:
    """Return a value as it is written in measure strings and convention files."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and math.isinf(value):
        return "no limit"
    return f"{value:g}" if isinstance(value, float) else str(value)


def formula_text(metric: Metric, params: Mapping[str, Scalar]) -> str:
    """Return the formula of a metric as text, line by line: that in LaTeX, else that of its docstring."""
    return "\n".join(map(plain, equation(metric, params))) or _sections_of(metric)[1]


def documented(metric: Metric) -> str:
    """Return the docstring of a metric with its formula under the defaults, below the first sentence."""
    summary, *rest = inspect.cleandoc(metric.doc).split("\n\n")
    return "\n\n".join((summary, *([formula_text(metric, defaults(metric, load(DEFAULT)))] if metric.tex else []), *rest))


def _sections_of(metric: Metric) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    return sections(metric.doc, has_formula=not metric.tex)


def sections(doc: str, has_formula: bool = True) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """Split a docstring into summary, formula (the second paragraph, if it has an equals sign), text and edge cases."""
    summary, *rest = _paragraphs(doc) or ("",)
    formula = rest.pop(0) if has_formula and rest and "=" in rest[0] else ""
    text: list[str] = []
    edge_cases: list[str] = []
    for paragraph in rest:
        before, marked, after = paragraph.partition("Edge cases: ")
        if before.strip():
            (edge_cases if edge_cases else text).append(before.strip())
        if marked:
            edge_cases.append(after.strip())
    return summary, formula, tuple(text), tuple(edge_cases)


def meaning_of(doc: str) -> str:
    """Return the summary in a docstring without its advice on when to use the metric, which a report of results does not need."""
    return _ADVICE.sub(".", sections(doc)[0])


def _paragraphs(doc: str) -> tuple[str, ...]:
    """Return the paragraphs, each on one line unless some of its lines are indented."""
    found = re.split(r"\n\s*\n", inspect.cleandoc(doc))
    return tuple(block if "\n " in block else " ".join(block.split()) for block in found if block.strip())
