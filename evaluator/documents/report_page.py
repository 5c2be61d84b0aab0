"""The report of models, part by part, and its short form for a pull request."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from ..results.comparison import conclusions, main_measure
from ..results.gates import Verdicts
from ..results.signature import signature_lines
from ..stats.concluding import decimals, percent, plain, users_text
from ..support import plugins
from . import catalogue_bounds, differences, findings, gates, slices
from . import document as doc
from .basic_charts import basic_values
from .definitions import changed_settings, meanings
from .figures import wanted_figures
from .formulas import formulas
from .group_tables import groups
from .merged_findings import merged
from .methods import citations
from .report import ReportContent
from .scales import nearby
from .values import ValuePoint, by_label, ledger, repeats, shares_table, spread_of_repeats, values_of_models

_MOST: Final = 3
"""Number of conclusions at the top; the others are with the differences."""
_CHARTS: Final = {
    "over_k": "Over the cut-offs",
    "precision_recall": "Precision and recall",
    "gamma_curve": "Under exposure",
    "distribution": "Spread over users",
    "trade_off": "Trade-off",
}
"""Chart with a separate section → its title."""
_WHISKERS: Final = (
    "± is half of the 95 % interval of a mean over users; the whiskers show this interval. A measure has one scale for all models. "
    "Overlapping intervals do not mean that there is no difference: see Differences for the paired tests."
)
_OUTSIDE: Final = "A grey triangle at the edge: the value is far from the others, outside of their scale."
_SEVERITIES: Final[Mapping[str, tuple[doc.Level, doc.Mark]]] = {
    "error": ("bad", "error"),
    "warn": ("doubtful", "warn"),
    "info": ("plain", ""),
}
"""Severity of a finding → level and mark."""
_INPUTS: Final = (
    doc.Column("input", "key"),
    doc.Column("file", "name"),
    doc.Column("rows of the input", "counts"),
    doc.Column("bytes", "counts"),
    doc.Column("hash"),
)
_SETTINGS: Final = (doc.Column("measure", "key"), doc.Column("convention"), doc.Column("settings"))
_DEFAULTS: Final = "All settings of all measures are the default (convention receval)."


class ReportPart(Struct, frozen=True):
    """A part of a report: the function that makes its sections, and their place in the short form.

    `make` takes the content of the report, and whether the short form is wanted.
    """

    make: Callable[[ReportContent, bool], Iterable[doc.Section]]
    short: Literal["shown", "folded up", "left out"]


def report(content: ReportContent) -> doc.Document:
    """Return the whole report: first the most important, then the sections."""
    return (*_opening(content), *(section for part in PARTS for section in part.make(content, False)))


def summary(content: ReportContent) -> doc.Document:
    """Return the short form, without charts; folded sections come last."""
    shown = (section for part in PARTS if part.short == "shown" for section in part.make(content, True))
    folded = (replace(section, folded=True) for part in PARTS if part.short == "folded up" for section in part.make(content, True))
    return (*_opening(content), *shown, *folded)


def markdown(content: ReportContent) -> doc.Document:
    """Return the short form with the formulas of the measures, for a file; a comment on a pull request has no room for them."""
    return (*summary(content), *_formulas(content, True))


def _opening(content: ReportContent) -> doc.Document:
    """Return the title, the date, if there is one, and the status."""
    return (doc.Heading(content.title), *([doc.Paragraph(f"Date: {content.date}")] if content.date else []), status(content))


# What a reader has to know first


def status(content: ReportContent) -> doc.Status:
    """Return the outcome of gates, the failed checks, and then the conclusions on the models."""
    return doc.Status((*_gate_lines(content), *_check_lines(content), *_model_lines(content)))


def _gate_lines(content: ReportContent) -> Iterator[tuple[doc.Level, str]]:
    """Yield the outcome of gates, if there are any."""
    if content.gates:
        verdicts = Verdicts(tuple(content.gates))
        passed = all(gate.outcome == "pass" for gate in content.gates)
        said = verdicts.summary()
        yield "bad" if verdicts.failed() else "good" if passed else "doubtful", f"{said[0].upper()}{said[1:]}."


def _check_lines(content: ReportContent) -> Iterator[tuple[doc.Level, str]]:
    """Yield the numbers of health checks with errors or warnings, by result if there are several."""
    for label, result in content.results.items():
        of = f" of {label}" if len(content.results) > 1 else ""
        for severity in ("error", "warn"):
            checks = [finding.check for finding, _ in merged(result.findings) if finding.severity == severity]
            if checks:
                word = f"{findings.WORDS[severity]}{'s' * (len(checks) != 1)}"
                is_strict = severity == "error" and any(finding.is_strict for finding in result.findings)
                counted = f"; {findings.STRICTLY}" if is_strict else ""
                found = f"The health checks{of} found {len(checks)} {word} ({', '.join(dict.fromkeys(checks))}){counted}."
                yield _SEVERITIES[severity][0], found


def _model_lines(content: ReportContent) -> Iterator[tuple[doc.Level, str]]:
    """Yield cautions on the data and the conclusions; without a comparison, the reason, and the main measure of each model."""
    yield from (
        ("doubtful", caution) for caution in dict.fromkeys(sentence for result in content.results.values() for sentence in result.cautions)
    )
    if content.comparison is not None:
        sentences = list(content.closing) or conclusions(content.comparison, with_groups=True)
        yield from (("plain", sentence) for sentence in sentences[:_MOST])
        if len(sentences) > _MOST:
            yield "plain", f"{len(sentences) - _MOST} more conclusions are under Differences."
        return
    if content.uncompared:
        lines = (line.strip() for line in content.uncompared.splitlines())
        yield "doubtful", f"The models are not compared: {'; '.join(lines)}."
    first = [point for point in content.points if point.label == main_measure(content.labels) and not point.is_reference]
    yield from (("plain", _point_sentence(point, content.formats.shown(point.row))) for point in first[:_MOST])


def _point_sentence(point: ValuePoint, value: str) -> str:
    if point.value is None:
        return f"{point.label} of {point.name} has no value."
    digits = decimals(point.half_width)
    ends = ""
    if point.low is not None and point.high is not None:
        ends = f" ({percent(0.95)} interval {plain(point.low, digits)} to {plain(point.high, digits)})"
    over = f" over {users_text(point.row.n_users)}" if point.row.n_users else ""
    return f"{point.label} of {point.name} is {value}{ends}{over}."


# Sections


def _gates(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    if content.gates:
        yield doc.Section("gates", "Gates", gates.document(content.gates, summary=False))


def _findings(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    """Yield errors and warnings in a table, and notes folded, if checks ran."""
    examined = {label: result for label, result in content.results.items() if result.examined}
    if not examined:
        return
    several = len(content.results) > 1
    sentences = {label: " ".join(filter(None, (findings.summary(result), findings.skipped(result)))) for label, result in examined.items()}
    said = (doc.Paragraph(f"{label}: {sentence}" if several else sentence) for label, sentence in sentences.items())
    grave = _findings_table("findings-table", "Errors and warnings", content, ("error", "warn"))
    notes = _findings_table("notes-table", "Notes", content, ("info",))
    folds = [doc.Section("", "1 note" if len(notes.rows) == 1 else f"{len(notes.rows)} notes", (notes,), folded=True)] if notes.rows else []
    yield doc.Section("findings", "Findings of the health checks", (*said, *([grave] if grave.rows else []), *folds))


def _findings_table(id: str, caption: str, content: ReportContent, severities: tuple[str, ...]) -> doc.Table:
    """Return a table of findings, by result if there are several, with examples if user ids may appear."""
    several, examples = len(content.results) > 1, content.show_users
    titles = ("check", *(["result"] if several else []), "severity", "what was found", "what to do", *(["for example"] if examples else []))
    rows = []
    for label, result in content.results.items():
        for finding, models in merged([finding for finding in result.findings if result.examined and finding.severity in severities]):
            level, mark = _SEVERITIES[finding.severity]
            severity = doc.Cell(f"{doc.NEWS[level]}{findings.WORDS[finding.severity]}", mark=mark)
            text = f"{findings.titled(finding, ', '.join(models))}{''.join(f' {line}.' for line in findings.bounds(finding))}"
            more = (
                doc.Cell(text),
                doc.Cell(" ".join((finding.advice, *finding.cures))),
                *([doc.Cell("; ".join(finding.examples))] if examples else []),
            )
            rows.append((doc.Cell(finding.check), *([doc.Cell(label)] if several else []), severity, *more))
    return doc.Table(tuple(map(doc.Column, titles)), tuple(rows), caption, id)


def _values(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    """Yield the values of all models and the meanings of marks; unless `short`, with intervals and shares of the best possible value."""
    legend = content.marked.legend()
    table = values_of_models(content.models, content.formats, content.marked.marks(), with_intervals=not short)
    if short:
        yield doc.Section("values", "Values", (table, doc.Sentences(tuple(legend))))
        return
    whiskers = [_WHISKERS] if any(point.low is not None for point in content.points) else []
    repeated = [result for result in content.results.values() if any(row.repeats_std is not None for row in result.rows)]
    whiskers += [f"± is the {' or the '.join(dict.fromkeys(map(spread_of_repeats, repeated)))}."] if repeated else []
    whiskers += [_OUTSIDE] if _has_far_values(content) else []
    said = map(doc.Paragraph, ("↑ higher is better, ↓ lower is better.", *legend, *whiskers))
    shares = shares_table(content.models)
    more = [replace(shares, id="achieved-table", caption="Percent of achievable")] if shares else []
    metrics = meanings({name: definition for result in content.results.values() for name, definition in result.definitions.items()})
    about = [metrics] if metrics is not None else []
    table = replace(table, id="values-table", caption="Values of all models")
    yield doc.Section("values", "Values", (*said, table, *basic_values(content), *more, *about))


def _catalogue_bounds(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    """Yield the bounds of each result with sampled candidates over the whole catalogue, if they were asked for."""
    for number, (label, result) in enumerate(content.results.items(), 1):
        of = f" of {label}" if len(content.results) > 1 else ""
        if blocks := catalogue_bounds.section(result, id=f"catalogue-bounds-table-{number}"):
            yield doc.Section(f"catalogue-bounds-{number}", f"{catalogue_bounds.TITLE}{of}", blocks)


def _has_far_values(content: ReportContent) -> bool:
    """Return whether a value of a measure is so far from the others that it is drawn outside their scale."""
    for points in by_label(content.points).values():
        drawn = [doc.Interval(point.value, point.low, point.high).ends for point in points.values() if point.is_drawn]
        if len(nearby([(min(ends), max(ends)) for ends in drawn])) < len(drawn):
            return True
    return False


def _differences(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    """Yield the differences; if `short`, without charts, and without the sentences of the status."""
    if content.comparison is None:
        return
    section = differences.section(
        content.comparison, () if short else wanted_figures("differences", content), signs=not short, relative=content.relative
    )
    said = {sentence for _, sentence in status(content).lines} if short else set()
    blocks = (
        doc.Points(tuple(text for text in block.texts if text not in said)) if isinstance(block, doc.Points) else block
        for block in section.blocks
    )
    yield replace(section, blocks=tuple(blocks))


def _charts(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    for kind, title in _CHARTS.items():
        figures = wanted_figures(kind, content)
        yield from [doc.Section(kind.replace("_", "-"), title, figures)] if figures else []


def _losers(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    """Yield the users with the largest losses, if requested."""
    if content.show_users and content.comparison is not None and content.comparison.losers:
        yield doc.Section("losers", "Users with the largest losses", differences.losers_tables(content.comparison))


def _groups(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    blocks = groups(content.models, with_intervals=not short)
    if blocks:
        section = _captioned("groups", "Groups", blocks)
        yield replace(section, blocks=(*(() if short else wanted_figures("groups", content)), *section.blocks))


def _users(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    """Yield, for each result, the values of its folds and runs, and the ledgers of users."""
    for number, (label, result) in enumerate(content.results.items(), 1):
        of = f" in {label}" if len(content.results) > 1 else ""
        repeated = repeats(result)
        yield from [_captioned(f"repeats-{number}", f"Folds and runs{of}", repeated)] if repeated else []
        yield _captioned(f"ledger-{number}", f"Users that were counted{of}", ledger(result))


def _done(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    """Yield what is needed to repeat the evaluation of each result, folded: inputs with their hashes, definitions, config, versions."""
    folds: list[doc.Section] = []
    for label, result in content.results.items():
        of, part = (f" of {label}", f"{label}-") if len(content.results) > 1 else ("", "")
        files = ((source, file) for source in result.inputs for file in source.files)
        inputs = ((source.role, file.path, f"{source.rows:,}", f"{file.bytes:,}", file.hash) for source, file in files)
        settings = []
        for name, definition in result.definitions.items():
            choices = {**definition.axes, **definition.params, "average": definition.average, "population": definition.population}
            settings.append((name, definition.convention, ", ".join(f"{choice}={value}" for choice, value in choices.items())))
        blocks: dict[str, doc.Block] = {
            "Notes on the values": doc.Points(
                (*result.notes(), *citations(conclusion.test for conclusion in result.conclusions if conclusion.is_tested))
            ),
            "Input files": doc.Table.from_texts(_INPUTS, inputs, "Input files", f"inputs-{part}table"),
        }
        if settings:
            changed = changed_settings(result)
            id = f"definitions-{part}table"
            blocks["Definitions"] = doc.Paragraph(_DEFAULTS) if changed is None else replace(changed, id=id)
        if settings and not short:
            blocks["All settings of each measure"] = doc.Table.from_texts(_SETTINGS, settings, "All settings", f"settings-{part}table")
        if not short:
            blocks["Signatures"] = doc.Code("\n".join(signature_lines(result).values()))
            blocks["Config"] = doc.Code(json.dumps(result.config, indent=1, ensure_ascii=False, default=str), "json")
        blocks["Versions"] = doc.Points(tuple(f"{name} {version}" for name, version in result.versions.items()))
        folds += [doc.Section("", f"{title}{of}", (block,), folded=True) for title, block in blocks.items()]
    yield doc.Section("done", "Settings and data", tuple(folds))


def _formulas(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    """Yield the formulas of the measures of each result, folded."""
    for number, (label, result) in enumerate(content.results.items(), 1):
        several = len(content.results) > 1
        blocks = tuple(formulas(result))
        id, of = (f"formulas-{number}", f" of {label}") if several else ("formulas", "")
        yield from [doc.Section(id, f"Formulas{of}", blocks, folded=True)] if blocks else []


def _announced(content: ReportContent, short: bool) -> Iterator[doc.Section]:
    """Yield the sections of installed packages, in the order of their names; raise `ConfigError` for one that fails."""
    for name in dict.fromkeys(entry.name for entry in plugins.entry_points_of("sections")):
        make = plugins.find("sections", name)
        section = plugins.guarded(f"the section {name}", make)(content)
        yield from [] if section is None else [section]


def _captioned(id: str, title: str, blocks: doc.Document) -> doc.Section:
    """Return a section in which headings become captions of the tables below them; a heading of level 3 follows the one above it."""
    caption = above = title
    kept: list[doc.Block] = []
    for block in blocks:
        if isinstance(block, doc.Heading):
            above = above if block.level > 2 else block.text
            caption = block.text if block.level < 3 else f"{above}: {block.text}"
        else:
            kept.append(replace(block, id=block.id or f"{id}-{len(kept)}", caption=caption) if isinstance(block, doc.Table) else block)
    return doc.Section(id, title, tuple(kept))


def _slices(content: ReportContent, short: bool) -> Iterable[doc.Section]:
    return () if content.slices is None else (slices.section(content.slices),)


PARTS: tuple[ReportPart, ...] = (
    ReportPart(_gates, "shown"),
    ReportPart(_values, "shown"),
    ReportPart(_catalogue_bounds, "shown"),
    ReportPart(_differences, "shown"),
    ReportPart(_slices, "shown"),
    ReportPart(_charts, "left out"),
    ReportPart(_losers, "shown"),
    ReportPart(_groups, "folded up"),
    ReportPart(_findings, "folded up"),
    ReportPart(_users, "left out"),
    ReportPart(_announced, "shown"),
    ReportPart(_formulas, "left out"),
    ReportPart(_done, "folded up"),
)
"""The parts of a report, in the order of the page."""
