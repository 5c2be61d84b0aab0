"""A result and a comparison for a paper: tables alone, or a whole document with definitions of measures, data and findings.

Values of all users, of groups, of folds and runs have one row per model and one column per measure, with marks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ..config.run_sections import LatexStyle
from ..conventions import AXES
from ..metrics import METRICS
from ..metrics.catalogue import format_value
from ..results.comparison import Comparison, conclusions, family_size
from ..results.measure_definition import MeasureDefinition, axes_read_by, params_of
from ..results.notes import uneven_lists_text
from ..results.result import FEW_USERS, Result, Row, counts_lists
from ..results.row import own_threshold, shortened
from ..results.signature import signature_lines
from ..stats.difference import Conclusion
from ..syntax.formula import is_formula
from .best_values import Place, best_values, highest_printed, how_concluded, how_tested
from .differences import LETTERS, groups_table, groups_text, joined_table, letters_table, only_tested, shows_pairs, subtitle, title
from .document import ARROWS, Alert, Block, Cell, Column, Document, Heading, Mark, Paragraph, Points, Section, Table
from .file_tables import tables_of_files
from .findings import alerts
from .formulas import definitions
from .group_tables import Cross, cross_tables_with_users
from .methods import citations, method_names, methods_of
from .numbers import users_of_folds, users_range
from .values import Formats, repeated_rows, spread_of_repeats

PLAIN: Final = LatexStyle()
_MOST_ROWS: Final = 40
"""Number of folds and runs of all models in a table; of more, only the means over runs are in it."""
_MOST_SENTENCES: Final = 3
_MODEL: Final = Column("", "name")
_GAINS: Final = ("ndcg_gain", "rbp_gain")
"""The axes of gains that depend on the grade of an item, which is 1 unless the relevance is graded."""
_BINARY: Final = "gain 1 (binary relevance)"
_PHRASES: Final = {
    "ndcg_gain": "an item of grade g has gain %s",
    "ndcg_discount": "the gain at rank r is divided by %s",
    "ndcg_log_base": "logarithms have base %s",
    "ndcg_ideal": "the ideal list has %s",
    "precision_denominator": "divided by %s",
    "recall_denominator": "divided by %s",
    "map_denominator": "the precisions are divided by %s",
    "coverage_form": "%s in the lists",
    "coverage_of": "the catalogue has %s",
    "coverage_outside": "recommended items outside the catalogue %s",
}
"""Axis → the words around its value in the note of a table; for others what the axis decides, and its value."""
_UNSAID: Final = {"ndcg_ties": "list_order", "map_ties": "list_order", "auc_unlisted": "wrong"}
"""Axis → the usual value, which the note of a table leaves out."""
_BETTER: Final = "\u2020"
_WORSE: Final = "\u2021"
Lines = Mapping[tuple[str, ...], Mapping[str, Row]]
"""The first cells of each row, and its values by label."""


class TableMarks(Struct, frozen=True):
    """The marked values, the superscripts of values, and `notes` on their meanings."""

    marks: Mapping[Place, Mark] = field(default_factory=dict)
    raised: Mapping[Place, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


_UNMARKED: Final = TableMarks()


def result_tables(result: Result, comparison: Comparison | None = None, style: LatexStyle = PLAIN) -> Document:
    """Return the tables of a result and of its groups, for the user's own document; with a comparison also that of differences."""
    return (*_result_tables(result, comparison, style), *_group_tables(result, style.digits), *_compared(comparison, style))


def comparison_tables(comparison: Comparison, style: LatexStyle = PLAIN, everything: bool = False, relative: bool = False) -> Document:
    """Return the tables of a comparison alone.

    With `everything`, measures that are not tested have rows; with `relative`, differences also have a column in percent.
    """
    shown = comparison if everything else only_tested(comparison)
    return tuple(_compared(shown, style, with_results=False, relative=relative))


def paper_document(
    result: Result,
    comparison: Comparison | None = None,
    style: LatexStyle = PLAIN,
    title: str = "Evaluation of recommendations",
    sentences: Sequence[str] = (),
) -> Document:
    """Return a whole document: conclusions (`sentences`, or those of the comparison), values, data, definitions, findings."""
    sentences = sentences or (conclusions(comparison, with_groups=True) if comparison is not None else ())
    # Examples of findings may contain user ids.
    found = [replace(alert, examples=(), details=()) for alert in alerts(result.findings) if isinstance(alert, Alert)]
    parts: dict[str, Iterable[Block]] = {
        "Summary": _summary(result, sentences),
        "Results": _result_tables(result, comparison, style),
        "Comparison": _compared(comparison, style),
        "Groups, folds and runs": (*_repeats_tables(result, style.digits), *_group_tables(result, style.digits)),
        "Data": tables_of_files(result),
        "Definitions": definitions(result),
        "Signatures": [Points(tuple(f"`{line}`" for line in signature_lines(result).values()))],
        "Health checks": found or ([Paragraph("No findings.")] if result.examined and not result.findings else []),
    }
    sections = (Section(name.partition(",")[0].lower().replace(" ", "-"), name, tuple(blocks)) for name, blocks in parts.items())
    return (Heading(title), *(section for section in sections if section.blocks))


def _summary(result: Result, sentences: Sequence[str]) -> Iterator[Block]:
    n, labels = len(result.models) - len(result.yardsticks), len(result.labels())
    beside = f" and the reference lists {' and '.join(result.yardsticks)}" if result.yardsticks else ""
    version = f" with receval {result.versions['receval']}" if "receval" in result.versions else ""
    yield Paragraph(f"{n} model{'' if n == 1 else 's'}{beside}, {labels} measure{'' if labels == 1 else 's'}, evaluated{version}.")
    yield from (Points(tuple(texts)) for texts in (sentences, result.notes()) if texts)


# Tables


def _result_tables(result: Result, comparison: Comparison | None, style: LatexStyle) -> Iterator[Table]:
    """Yield the values over all users, reference lists last, and the share of the best possible value of each model."""
    formats = Formats.from_rows(result.rows, style.digits)
    marks = marks_of(result, formats, style, comparison)
    by_model = result.by_model()
    models = [model for model in result.models if model not in result.yardsticks]
    notes = tuple(f"{name}: {words}." for name, definition in result.definitions.items() if (words := _settings_in_words(definition)))
    notes += ("R is the number of relevant items of the user.",) if re.search(r"\bR\b", " ".join(notes)) else ()
    notes += citations(conclusion.test for conclusion in result.conclusions if conclusion.is_tested and style.best == "bold")
    notes += tuple(signature_lines(result).values()) if style.signatures else ()
    lines: Lines = {(model,): by_model[model] for model in (*models, *result.yardsticks)}
    table = _table((_MODEL,), lines, partial(_cell, formats=formats, marks=marks), result.higher_is_better)
    turned = _with_measures_as_rows if style.rows == "measures" else _unchanged
    yield turned(replace(table, caption=_caption(result, marks), id="results", apart=len(result.yardsticks), notes=notes))
    computed = {row.label for model in models for row in by_model[model].values() if row.achieved is not None}
    lines = {(model,): {label: row for label, row in by_model[model].items() if label in computed} for model in models}
    if computed:
        yield turned(replace(_table((_MODEL,), lines, _share, {}), caption="Percentage of the best possible value.", id="achieved"))


def _unchanged(table: Table) -> Table:
    return table


def _with_measures_as_rows(table: Table) -> Table:
    """Return a table with a row for each measure; a cut-off that was below its metric is named with it."""
    named = []
    for column in table.columns:
        metric, _, aggregate = column.group.partition(" ")
        named.append(replace(column, title=f"{metric}{column.title} {aggregate}".rstrip() if metric else column.title, group=""))
    return replace(table, columns=tuple(named)).transposed()


def _settings_in_words(definition: MeasureDefinition) -> str:
    """Return the settings of a measure for readers of a paper: what each decides, and its value in words."""
    metric = METRICS.get(definition.metric)
    if metric is None:
        return ""
    texts = []
    read = axes_read_by(definition)
    for axis in (axis for axis in metric.axes.values() if axis in read):
        value = str(definition.axes[axis])
        if _UNSAID.get(axis) == value:
            continue
        meaning = AXES[axis].meanings.get(value, format_value(definition.axes[axis]))
        is_one = axis in _GAINS and not definition.graded and value != "exp2_plus1"
        texts.append(_BINARY if is_one else _PHRASES[axis] % meaning if axis in _PHRASES else f"{AXES[axis].decides}: {meaning}")
    means = {name: number.means for name, number in metric.numbers.items()} | {name: text.means for name, text in metric.texts.items()}
    params = params_of(metric, definition)
    without_effect = {name for name, number in metric.numbers.items() if number.default == params.get(name) in (0, math.inf)}
    given = (name for name in means if name not in without_effect and params[name] != "" and name in definition.params)
    texts += [f"{means[name]}: {format_value(params[name])}" for name in given]
    return "; ".join(texts).replace("`", "")


def _compared(comparison: Comparison | None, style: LatexStyle, *, with_results: bool = True, relative: bool = False) -> Iterator[Table]:
    """Yield the differences; for all pairs of many models the letters, which are shorter, unless they are in the results."""
    if comparison is None:
        return
    if shows_pairs(comparison):
        yield joined_table(comparison, relative)
    elif style.marks != "letters" or not with_results:
        caption = f"Comparison of {title(comparison)}. {subtitle(comparison)}. {LETTERS}."
        yield replace(replace(letters_table(comparison, style.digits), corner="").transposed(), caption=caption, notes=comparison.notes)
    if comparison.by_group:
        table = groups_table(comparison, relative)
        caption = f"{table.caption}: {title(comparison)}. {groups_text(comparison)}"
        yield replace(table, caption=caption, id="comparison-groups", rules=_changes([row[0].text for row in table.rows]))


def _group_tables(result: Result, digits: int | None) -> Iterator[Table]:
    """Yield a table for each grouping: one row per model below the name of each group; cross tables for a combination of two."""
    for place, by in enumerate(dict.fromkeys(row.by for row in result.by_group), 1):
        rows = [row for row in result.by_group if row.by == by]
        cross = Cross.from_groups(by or "", dict.fromkeys(row.group or "" for row in rows if row.n_users))
        cell = partial(_cell, formats=Formats.from_rows(rows, digits))
        if cross is not None and cross.down:
            for number, made in enumerate(cross_tables_with_users(cross, [row for row in rows if row.n_users], cell), 1):
                yield replace(made, id=f"groups-{place}-{number}")
            continue
        lines: dict[tuple[str, ...], dict[str, Row]] = {}
        rules: dict[int, str] = {}
        for group in dict.fromkeys(row.group or "" for row in rows):
            some = [row for row in rows if (row.group or "") == group]
            rules[len(lines)] = f"{group}, {users_range(row.n_users for row in some)}{' over all folds' if result.folds else ''}"
            for row in (row for model in result.models for row in some if row.model == model):
                lines.setdefault((group, row.model), {})[row.label] = row
        notes = (f"Values of groups with fewer than {FEW_USERS} users are very uncertain.",) if any(row.few_users for row in rows) else ()
        table = _table((_MODEL,), lines, cell, result.higher_is_better)
        means = f" Mean ± {spread_of_repeats(result)}." if result.repeated else ""
        yield replace(table, caption=f"Results by {by}.{means}", id=f"groups-{place}", rules=rules, notes=notes)


def _repeats_tables(result: Result, digits: int | None) -> Iterator[Table]:
    """Yield the values of each model by fold and run, with the means below; nothing without folds or runs."""
    over_all, kinds = repeated_rows(result)
    if not over_all:
        return
    means = [row for row in result.rows if row.repeats is not None]
    left_out = ""
    if len(over_all) > _MOST_ROWS * len({row.label for row in over_all}) and any(row.run is None for row in over_all):
        over_all, kinds = [row for row in over_all if row.run is None], [kind for kind in kinds if kind != "run"]
        left_out = " The tables of results have the values of each run."
    lines: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in (row for model in result.models for row in (*over_all, *means) if row.model == model):
        names = (getattr(row, kind) for kind in kinds)
        lines.setdefault((row.model, *("mean" if name is None else name for name in names)), {})[row.label] = row
    keys = (Column("model", "name"), *(Column(kind, "key") for kind in kinds))
    table = _table(keys, lines, partial(_cell, formats=Formats.from_rows((*over_all, *result.rows), digits)), result.higher_is_better)
    caption = f"Results by {' and '.join(kinds)}. Means ± sample {spread_of_repeats(result)}.{left_out}"
    yield replace(table, caption=caption, id="repeats", rules=_changes([key[0] for key in lines]))


def _changes(names: Sequence[str]) -> dict[int, str]:
    """Return rules without a heading at the rows where the name changes."""
    return {place: "" for place in range(1, len(names)) if names[place] != names[place - 1]}


def _table(keys: Sequence[Column], lines: Lines, cell: Callable[[Row], Cell], directions: Mapping[str, bool | None]) -> Table:
    """Return a table of `lines`; the last of their first cells are below `keys`."""
    labels = list(dict.fromkeys(label for values in lines.values() for label in values))
    heads = _heads({label: next(line[label] for line in lines.values() if label in line) for label in labels})
    columns = (Column(title, "value", directions.get(label), group) for label, (group, title) in zip(labels, heads, strict=True))
    rows = tuple(
        (*map(Cell, key[-len(keys) :]), *(cell(values[label]) if label in values else Cell() for label in labels))
        for key, values in lines.items()
    )
    return Table((*keys, *columns), rows)


def _heads(rows: Mapping[str, Row]) -> Iterator[tuple[str, str]]:
    """Yield the group and the head of the column of each label: a metric with several cut-offs is a group with cut-offs as heads."""
    metrics = {label: (row.metric, "" if row.aggregate == "mean" else row.aggregate) for label, row in rows.items()}
    several = {metric for metric in metrics.values() if list(metrics.values()).count(metric) > 1}
    for label, row in rows.items():
        if metrics[label] not in several or is_formula(row.metric) or "@" not in label:
            yield "", label
        else:
            yield row.metric + (f" ({row.aggregate})" if label != row.measure else ""), f"@{'none' if row.k is None else row.k}"


def _cell(row: Row, formats: Formats, marks: TableMarks = _UNMARKED) -> Cell:
    place, cell = (row.model, row.label), formats.cell(row)
    return replace(cell, text=cell.text or "–", mark=marks.marks.get(place, ""), note=marks.raised.get(place, ""))


def _share(row: Row) -> Cell:
    return Cell("–" if row.achieved is None else f"{100 * row.achieved:.1f}", value=row.achieved)


def _caption(result: Result, marks: TableMarks) -> str:
    """Return the users, the convention, the rule of relevance (unless there are many), and the meanings of the marks."""
    averaged = [row for row in result.rows if row.aggregate != "formula" and row.model not in result.yardsticks]
    # The users of values of whole models, such as coverage, are those with a list: no user is averaged.
    over = [row.n_users for row in averaged if row.aggregate != "system"] or [row.n_users for row in averaged]
    distinct = [n for row in result.rows if row.model not in result.yardsticks and (n := result.distinct_users(row)) is not None]
    texts = [f"Results over {users_range(over) or 'no users'}."]
    if result.folds:
        texts = [f"Results over {users_of_folds(distinct, len(result.folds), over) or 'no users'}."]
    if result.repeated:
        texts.append(f"Mean ± {spread_of_repeats(result)}.")
    if not result.folds and not result.repeated:
        models = [model for model in result.models if model not in result.yardsticks and counts_lists(result, model)]
        own = {model: result.counts[model] for model in models if model in result.counts}
        texts += filter(None, (uneven_lists_text(own, key=""),))
    protocols = dict.fromkeys(row.protocol for row in result.rows if row.protocol is not None)
    conventions = list(dict.fromkeys(protocol.convention for protocol in protocols))
    relevance = list(dict.fromkeys(protocol.relevance for protocol in protocols if protocol.relevance))
    if len(relevance) == len(conventions) == 1:
        is_own = bool(own_threshold(relevance[0], result.threshold))
        texts.append(f"Convention {conventions[0]}: {relevance[0]} is relevant{' (threshold of this evaluation)' if is_own else ''}.")
    elif conventions:
        texts.append(f"Convention{'' if len(conventions) == 1 else 's'} {', '.join(conventions)}.")
        texts += [f"Relevant: {rule}." for rule in relevance] if len(relevance) <= _MOST_SENTENCES else []
    directions = {better for better in result.higher_is_better.values() if better is not None}
    words = (f"{ARROWS[better]} {'higher' if better else 'lower'} is better" for better in sorted(directions, reverse=True))
    meaning = "; ".join((*words, *marks.notes))
    return " ".join((*texts, *([f"{meaning[:1].upper()}{meaning[1:]}."] if meaning else [])))


# Marks


def marks_of(result: Result, formats: Formats, style: LatexStyle, comparison: Comparison | None = None) -> TableMarks:
    """Return the marks of a result, which all forms share, and those that a `comparison` adds."""
    values = best_values(result, formats)
    tested = [conclusion for conclusion in result.conclusions if conclusion.is_tested]
    labels = {conclusion.measure for conclusion in tested}
    untested = {place for place in values.untested if place[1] not in labels}
    best = values.tested | untested
    marks: dict[Place, Mark] = {}
    notes: list[tuple[str, str]] = []
    if style.second == "underline":
        apart = values.apart | {(row.model, row.label) for row in result.rows if row.model in values.others}
        marks |= dict.fromkeys(_second(result, formats, best, apart), "second")
        before = "those in bold" if style.best == "bold" else "the best ones"
        notes += [(f"underlined: the next value after {before}", "")] if marks else []
    if style.best == "bold" and best:
        marks |= {place: "untested" if place in untested else "best" for place in best}
        notes.insert(0, _about_best(untested, tested))
    raised, meaning = _raised(style, comparison)
    notes += [meaning] if raised else []
    notes += [(f"no mark: {values.about_others}", "")] if values.others else []
    # A test that several notes share is given after the last of them.
    last = {test: place for place, (_, test) in enumerate(notes)}
    texts = (f"{note} ({test})" if test and last[test] == place else note for place, (note, test) in enumerate(notes))
    return TableMarks(marks, raised, tuple(texts))


def _about_best(untested: Iterable[Place], tested: Sequence[Conclusion]) -> tuple[str, str]:
    """Return the meaning of bold, and its test."""
    if not tested:
        return "bold: the best value, not tested", ""
    labels = len({label for _, label in untested})
    rest = f"; for {labels} measure{'' if labels == 1 else 's'} without a test only the best value" if labels else ""
    models = sorted({model for conclusion in tested for model in conclusion.untested})
    alone = f"; {shortened(models)}: not tested against the best" if models else ""
    return f"bold: the best value and all that are not clearly different from it{rest}{alone}", how_concluded(tested)


def _second(result: Result, formats: Formats, best: frozenset[Place], apart: frozenset[Place]) -> Iterator[Place]:
    """Yield, for three or more models, the best of the values that are not marked, and those that print equal to it.

    Values `apart` are left out: their users differ from those of the best ones.
    """
    for label in {label for _, label in best}:
        rows = (row for row in result.rows if row.label == label and row.model not in result.yardsticks)
        values = {row.model: row.value for row in rows if row.value is not None}
        left = {model: value for model, value in values.items() if (model, label) not in best | apart}
        yield from highest_printed(label, left, result.higher_is_better[label], formats, least=1) if len(values) > 2 else ()


def _raised(style: LatexStyle, comparison: Comparison | None) -> tuple[dict[Place, str], tuple[str, str]]:
    """Return the superscripts of values, their meaning, and the test."""
    if comparison is None or style.marks == "none":
        return {}, ("", "")
    settings = comparison.settings
    family = family_size(comparison.differences)
    methods = method_names(methods_of(comparison.differences, settings), comparison.cluster)
    test = how_tested(methods, settings.correction, family, settings.alpha)
    if style.marks == "letters":
        by_label = comparison.letters.items()
        letters = {(model, label): text for label, of_models in by_label for model, text in of_models.items()}
        return letters, ("models that share a letter are not clearly different", test)
    signs: dict[str | None, str] = {"better": _BETTER, "worse": _WORSE}
    judged = [
        difference for difference in comparison.differences if difference.subject.base == comparison.base and difference.verdict in signs
    ]
    meaning = f"{_BETTER} better and {_WORSE} worse than {comparison.base}"
    return {(difference.subject.model, difference.subject.measure): signs[difference.verdict] for difference in judged}, (meaning, test)
