"""The catalogue of metrics, conventions and axes, as pages for people and as plain values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from msgspec import json

from ..checks import NEEDS, Check
from ..metrics import METRICS
from ..metrics.catalogue import DEFAULT, FAMILIES, Catalogue, ChoiceEntry, ConventionEntry, MetricEntry, format_value
from ..syntax.measure_strings import Scalar
from .document import Block, Cell, Code, Equation, Heading, Links, Paragraph, Points, Table, Terms, text_columns

_PARTS: Final = {"lists": "How a list is read", "truth": "What is relevant", "users": "Who counts", "value": "What a value is"}
_HERE: Final = "for this metric only"


def listing(metrics: Iterable[MetricEntry]) -> list[Block]:
    """Return a table for every family: a row per metric, with its better direction, its summary and what it needs."""
    by_family: dict[str, list[tuple[Cell, ...]]] = {}
    for entry in metrics:
        needs = f" Needs {' and '.join(entry.needs)}." if entry.needs else ""
        row = (Cell(entry.name, direction=entry.higher_is_better), Cell(f"{entry.summary}{needs}"))
        by_family.setdefault(entry.family, []).append(row)
    blocks: list[Block] = []
    for family, rows in by_family.items():
        columns = text_columns("metric", "meaning", wraps=("meaning",))
        blocks += [Heading(FAMILIES.get(family, "Added"), 2), Table(columns, tuple(rows))]
    hint = "`receval metrics NAME` explains one: formula, parameters, edge cases, conventions. --convention NAME lists those of a library."
    return [*blocks, Paragraph(hint)]


def metric(entry: MetricEntry, level: int = 1, under: str | None = None, axes: Sequence[ChoiceEntry] = ()) -> list[Block]:
    """Return one metric in full, with the settings of the convention `under`, explained by `axes`."""
    blocks: list[Block] = [Heading(entry.name, level), Paragraph(entry.summary)]
    blocks += [Code(entry.formula)] if entry.formula else []
    blocks += [Terms(tuple(entry.terms.items()))] if entry.terms else []
    blocks += [Equation(entry.tex)] if entry.tex else []
    blocks += [Paragraph(text) for text in entry.text]
    blocks += [Paragraph(f"Edge cases: {text}") for text in entry.edge_cases]
    blocks.append(Terms(tuple(fact for fact in _facts(entry) if fact[1]), code=False))
    blocks += map(_choice, entry.parameters)
    blocks.append(Heading("Settings of each convention", level + 1))
    blocks += _settings(entry)
    if under and under != DEFAULT:
        blocks.append(Heading(f"Under the convention {under}", level + 1))
        setting = next(setting for setting in entry.settings if setting.convention == under)
        if not setting.own and not setting.protocol:
            return [*blocks, Paragraph(f"All settings are those of {DEFAULT}.")]
        if not setting.has_metric:
            blocks.append(Paragraph("The library does not have the metric; the other settings of the convention apply."))
        blocks.append(_explained({**setting.own, **setting.protocol}, (*entry.parameters, *axes)))
    return blocks


def axes(choices: Sequence[ChoiceEntry], level: int = 1) -> list[Block]:
    """Return the axes that every metric takes."""
    blocks: list[Block] = [
        Heading("Settings of every metric", level),
        Paragraph(
            "A convention gives each of these settings a value, for all metrics or for one. A measure string can override them by name: "
            "`MAP(missing_lists=drop,tie_order=file)@10`. Every metric also takes `threshold` with a number, the lowest rating of a "
            "relevant item, and `convention`: `nDCG(convention=elliot)@10`."
        ),
    ]
    for part, title in _PARTS.items():
        blocks += [Heading(title, level + 1), *(_choice(choice) for choice in choices if choice.part == part)]
    return blocks


def conventions(entries: Iterable[ConventionEntry]) -> list[Block]:
    """Return a table with a row per convention."""
    rows = tuple((entry.name, entry.library, entry.version, entry.about) for entry in entries)
    heads = ("convention", "library", "version", "about")
    return [Table.from_texts(text_columns(*heads, wraps=heads[1:]), rows)]


def convention(entry: ConventionEntry, choices: Sequence[ChoiceEntry], level: int = 1) -> list[Block]:
    """Return one convention in full; `choices` explains its axes."""
    facts = (("library", f"{entry.library} {entry.version}".strip()), ("source", entry.source), ("metrics", ", ".join(entry.metrics)))
    blocks: list[Block] = [Heading(entry.name, level), Paragraph(entry.about)]
    blocks.append(Terms(tuple(fact for fact in facts if fact[1]), code=False))
    blocks += [Paragraph("Notes:"), Points(entry.notes)] if entry.notes else []
    differs = entry.axes if entry.name == DEFAULT else entry.differs
    blocks += [_explained(differs, choices)] if differs else []
    if entry.name != DEFAULT:
        same = {axis: value for axis, value in entry.axes.items() if axis not in differs}
        blocks.append(Paragraph(f"Same as {DEFAULT}: {_pairs(same)}."))
    rewrites = {
        name: meaning
        if isinstance(meaning, str)
        else "; ".join(f"{value}: {_pairs(given) or 'no change'}" for value, given in meaning.items())
        for name, meaning in entry.parameters.items()
    }
    for title, effect, table in (
        ("for one metric", "sets", {name: _pairs(given) for name, given in entry.for_metric.items()}),
        ("name in the library", "is read as", entry.spellings),
        ("parameter in the library", "is read as", rewrites),
        ("set of metrics", "is read as", {name: ", ".join(names) for name, names in entry.sets.items()}),
    ):
        heads = (title, effect)
        blocks += [Table.from_texts(text_columns(*heads, wraps=(effect,), code=heads), table.items())] if table else []
    return blocks


def check(entry: Check) -> list[Block]:
    """Return one health check: what it detects, its severity and needs, what to do, and its limits."""
    needs = " and ".join(NEEDS[need] for need in entry.needs) or "only the test file and the lists"
    facts = (("severity", f"`{entry.severity}`, unless the config says otherwise"), ("needs", needs), ("what to do", entry.advice))
    blocks: list[Block] = [Heading(f"{entry.id}: {entry.finds}"), Terms(facts, code=False)]
    limits = ((name, f"{limit.means}; by default {limit_text(limit.default)}") for name, limit in entry.limits.items())
    return [*blocks, *([Terms(tuple(limits), "Its limits:")] if entry.limits else [])]


def limit_text(number: float | None) -> str:
    """Return the limit of a check as text."""
    return "(none)" if number is None else f"{number:g}"


def everything(catalogue: Catalogue) -> list[Block]:
    """Return the whole catalogue."""
    blocks: list[Block] = [
        Heading("Metrics"),
        Paragraph(
            "All metrics, the settings of all metrics, and the settings of each convention. `receval metrics NAME` prints one of them."
        ),
        Links("Metrics", tuple(entry.name for entry in catalogue.metrics)),
        Links("Conventions", tuple(entry.name for entry in catalogue.conventions)),
    ]
    families = dict.fromkeys(entry.family for entry in catalogue.metrics)
    for entry in (entry for family in families for entry in catalogue.metrics if entry.family == family):
        blocks += metric(entry, 2)
    blocks += axes(catalogue.protocol, 2)
    blocks += [Heading("Conventions", 2), *conventions(catalogue.conventions)]
    for agreed in catalogue.conventions:
        blocks += convention(agreed, (*catalogue.protocol, *catalogue.formula), 3)
    return blocks


def bounds(entry: MetricEntry) -> str:
    """Return the least and the largest value as text."""
    least, most = (("∞" if value > 0 else "-∞") if math.isinf(value) else f"{value:g}" for value in entry.bounds)
    return f"{least} to {most}"


def _facts(entry: MetricEntry) -> Iterable[tuple[str, str]]:
    yield "also called", ", ".join(entry.aliases)
    yield "family", entry.family
    better = {True: ", higher is better", False: ", lower is better", None: ""}[entry.higher_is_better]
    yield "bounds", f"{bounds(entry)}{better}"
    yield "cut-off", "top_k, or @k; @none reads the whole list" if entry.takes_cutoff else "none: it uses the whole list"
    yield "combines", " and ".join(entry.combines) + (", or any two" if entry.combines else "")
    yield "needs", " and ".join(entry.needs) or "only the test file and the lists"
    of_model = entry.name in METRICS and METRICS[entry.name].per_model
    average = {"mean": "the mean (macro)", "micro": "pooled (micro)"}.get(entry.average, entry.average)
    yield "over users", "one value of the whole model" if of_model else average
    yield "conventions", ", ".join(entry.conventions)
    yield "reference", entry.reference
    yield "added by", "" if entry.origin == "receval" else entry.origin


def _choice(choice: ChoiceEntry) -> Block:
    named = f" (axis `{choice.axis}`)" if choice.axis and choice.axis != choice.name else ""
    if not choice.values and choice.default == "":
        allowed = f", {choice.allowed}" if choice.allowed not in ("none", "a name") else ""
        return Paragraph(f"`{choice.name}`{named}: {choice.decides}{allowed}.")
    if not choice.values:
        default = format_value(choice.default)
        unset = "optional" if choice.allowed == "none" else "required"
        return Paragraph(f"`{choice.name}`{named}: {choice.decides}; {f'{choice.allowed}, by default {default}' if default else unset}.")
    rows = ((value, f"{means} (default)" if value == choice.default else means) for value, means in choice.values.items())
    return Terms(tuple(rows), f"`{choice.name}`{named}: {choice.decides}")


def _settings(entry: MetricEntry) -> list[Block]:
    """Return a row for each convention that differs; in brackets those whose library lacks the metric."""
    own = tuple(choice for choice in entry.parameters if choice.axis)
    rows = [(DEFAULT, *(format_value(choice.default) for choice in own), "")]
    same = []
    for setting in entry.settings:
        if setting.own or (setting.has_metric and setting.alone):
            name = setting.convention if setting.has_metric else f"({setting.convention})"
            given = (format_value(setting.own[choice.name]) if choice.name in setting.own else "" for choice in own)
            rows.append((name, *given, _pairs(setting.alone)))
        elif setting.has_metric and setting.convention != DEFAULT:
            same.append(setting.convention)
    if not any(row[-1] for row in rows):
        rows = [row[:-1] for row in rows]
    blocks: list[Block] = []
    if len(rows) > 1:
        headers = ("convention", *(choice.name for choice in own), _HERE)[: len(rows[0])]
        blocks.append(Table.from_texts(text_columns(*headers, wraps=(_HERE,)), rows))
        if any(row[0].startswith("(") for row in rows):
            blocks.append(Paragraph("In brackets: the library does not have the metric."))
    blocks += [Paragraph(f"Same formula as {DEFAULT}: {', '.join(same)}.")] if same else []
    blocks += [Paragraph(f"Only {DEFAULT} has this metric.")] if not same and len(rows) == 1 else []
    return blocks


def _explained(given: Mapping[str, Scalar], choices: Sequence[ChoiceEntry]) -> Table:
    known = {choice.name: choice for choice in reversed(choices)}
    rows = []
    for name, value in given.items():
        meaning = known[name].values.get(str(value))
        rows.append((name, format_value(value), f"{known[name].decides}: {meaning}" if meaning else known[name].decides))
    return Table.from_texts(text_columns("axis", "value", "meaning", wraps=("meaning",), code=("axis", "value")), rows)


def _pairs(given: Mapping[str, Scalar]) -> str:
    return ", ".join(f"{axis}={format_value(value)}" for axis, value in given.items())


def plain(content: Mapping[str, object]) -> Any:
    """Return records as plain values, in the order of their fields; a bound or default without limit is `None`."""
    return json.decode(json.encode(content))
