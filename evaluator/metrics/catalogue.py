"""Catalogue of metrics, axes and conventions, read from the registry and the convention files; and formulas as equations."""

from __future__ import annotations

import inspect
import math
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Final

from msgspec import Struct

from ..conventions import AXES, PROTOCOL, Axis, Convention, builtin_names, load
from ..support.patterns import regex
from ..syntax.measure_strings import Scalar
from .notation import LETTERS
from .registry import METRICS, Metric, Number, Text, at
from .value import OF_LISTED, OF_RELEVANT

_NEXT: Final = r"\\"
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

    `tex` is the formula under the defaults in LaTeX, line by line, in the symbols of `notation`.
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
    choices = tuple(_axis(name, axis, default.axes[name]) for name, axis in AXES.items())
    return Catalogue(
        protocol=tuple(choice for choice in choices if choice.name in PROTOCOL),
        formula=tuple(choice for choice in choices if choice.name not in PROTOCOL),
        metrics=tuple(
            _metric(metric, default, tuple(found.values()))
            for metric in sorted(METRICS.values(), key=lambda metric: _index_of_family(metric.family))
            if only in (None, metric.name)
        ),
        conventions=tuple(_convention(convention, default) for convention in found.values()),
    )


def _index_of_family(family: str) -> int:
    """Return the position of a family in the list; those of packages and files come last."""
    return list(FAMILIES).index(family) if family in FAMILIES else len(FAMILIES)


def has_metric(convention: Convention, metric: str) -> bool:
    """Return whether the library of a convention has the metric; the default convention has all."""
    return convention.name == DEFAULT or metric in convention.metrics


def _metric(metric: Metric, default: Convention, conventions: tuple[Convention, ...]) -> MetricEntry:
    summary, formula, text, edge_cases = sections(metric.doc)
    own = default.axes_of(metric.name)
    given = {name: own[axis] for name, axis in metric.axes.items()}
    numbers = {name: number.default for name, number in metric.numbers.items() if number.default is not None}
    texts = {name: text.default or "" for name, text in metric.texts.items()}
    return MetricEntry(
        name=metric.name,
        aliases=metric.aliases,
        family=metric.family,
        summary=summary,
        formula=formula,
        tex=equation(metric, given | numbers | texts),
        text=text,
        edge_cases=edge_cases,
        terms=_terms(metric, " ".join((formula, *text, *edge_cases))),
        reference=metric.reference,
        bounds=metric.bounds,
        higher_is_better=at(given, metric.higher_is_better),
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


def _terms(metric: Metric, text: str) -> dict[str, str]:
    """Return the symbols and words of the family that a text uses, and those that their meanings use."""
    own: Mapping[str, str] = getattr(sys.modules.get(metric.define.__module__), "LETTERS", {})
    shared = {term: meaning for term, meaning in LETTERS.items() if term not in own}
    letters = {**shared, **own} if metric.origin == "receval" else {}
    used: set[str] = set()
    while found := {term for term in letters if term not in used and _uses(text, term)}:
        used |= found
        text = " ".join(letters[term] for term in found)
    return {term: meaning for term, meaning in letters.items() if term in used}


def _uses(text: str, term: str) -> bool:
    """Return whether a text has the term.

    The `h` of `h(r)` comes before a bracket, a symbol without brackets does not, and a word may do either.
    """
    name, bracket, _ = term.partition("(")
    is_word = name.isalpha() and len(name) > 1
    behind = r"\(" if bracket else r"(?!\w)" if is_word else r"(?![\w(])"
    return re.search(rf"(?<!\w){re.escape(name)}{behind}", text) is not None


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


def sections(doc: str) -> tuple[str, str, tuple[str, ...], tuple[str, ...]]:
    """Split a docstring into summary, formula, text and edge cases; a second paragraph with an equals sign is the formula."""
    summary, *rest = _paragraphs(doc) or ("",)
    formula = rest.pop(0) if rest and "=" in rest[0] else ""
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
