"""A result on the screen: what the checks found, the table of models and measures, and below it what to know of the numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TextIO

from msgspec import Struct
from msgspec.structs import replace
from rich.text import Text

from ..names.aggregate_names import interval_level
from ..names.yardstick_names import ORACLE
from ..render.terminal import Screen
from ..results.result import Result, Row
from . import blocks, findings, groups, repeats
from .best_values import UNTESTED, BestValues, best_values
from .cells import Formats
from .table_layout import BEST, Head, NumberCell, Sheet, laid_out
from .text import achieved, arrow

_USERS: Final = "users"
_MANY: Final = 4
"""From so many tables on a sentence says how to see less."""


class Display(Struct, frozen=True):
    """How the table is to look; what is `None` is decided by the numbers and the width of the screen."""

    models_as_rows: bool | None = None
    digits: int | None = None


def show(
    result: Result,
    file: TextIO,
    verbose: bool = False,
    display: Display | None = None,
    *,
    command: str = "",
    sentences: Sequence[str] = (),
) -> str:
    """The result as text for `file`, with colour and frames only where that is a terminal that has them.

    Errors and warnings of the health checks stand above the table, if `verbose` all findings, otherwise a few of them, and the others are
    counted beside the `command` that shows them. Values are marked by what is concluded of the result. `sentences` stand right below the
    table. What is wider than the screen is split into several tables.
    """
    display = display or Display()
    screen = Screen.of(file)
    formats = Formats.of(result.rows, display.digits)
    marked = best_values(result, formats)
    sheets = [*_tables(result, display, formats, marked, screen), *_shares(result, display, screen)]
    more = [*repeats.page(result, display.digits), *groups.page(result, display.digits)]
    united = set(_intervals(result).values())
    notes = replace(result, rows=tuple(row for row in result.rows if row.label not in united)).notes()
    below = [*_legend(result, sheets, marked, screen), *notes]
    below += [findings.summary(result)] if result.examined else []
    found = [finding for finding in result.findings if verbose or finding.severity != "info"]
    parts = (
        findings.show(found, file, command="" if verbose else command) + "\n" * bool(found and screen.framed),
        ("\n" * screen.framed).join(screen.draw([sheet.drawn(screen)]) for sheet in sheets),
        _paragraphs(sentences, screen) + "\n" * bool(sentences),
        blocks.show(more, file) + "\n" if more else "",
        _paragraphs(below, screen, "dim"),
    )
    return "".join(parts)


def _paragraphs(sentences: Iterable[str], screen: Screen, style: str = "") -> str:
    return screen.draw(line for sentence in sentences for line in screen.paragraph(Text(screen.visible(sentence), style=style)))


def _tables(result: Result, display: Display, formats: Formats, marked: BestValues, screen: Screen) -> Sequence[Sheet]:
    """The values: rows are measures, or models if there are more or if the width asks for it; intervals stand in the cells if they fit."""
    intervals = _intervals(result)
    sheet = _sheet(result, intervals, formats, marked, screen)
    longer = _sheet(result, {}, formats, marked, screen) if intervals else None
    return _laid_out(sheet, "model", display, screen, longer)


def _sheet(result: Result, intervals: Mapping[str, str], formats: Formats, marked: BestValues, screen: Screen) -> Sheet:
    """Measures by models, intervals beside their means where `intervals` names them, and below them the number of users."""
    labels = [label for label in result.labels() if label not in intervals.values()]
    models = tuple(Head(model, screen.visible(model)) for model in result.models)
    measures = (*(Head(label, screen.visible(label), _arrow(result, label, screen)) for label in labels), Head(_USERS, _USERS))
    cells = {(_USERS, model): NumberCell(f"{result.counts[model].averaged:,}") for model in result.models}
    for model, rows in result.by_model().items():
        for label in labels:
            interval = rows.get(intervals.get(label, ""))
            cells[label, model] = _cell(rows.get(label), interval, formats, _sign(marked, (model, label)))
    return Sheet("measure", measures, models, cells, apart=1)


def _laid_out(sheet: Sheet, corner: str, display: Display, screen: Screen, longer: Sheet | None = None) -> Sequence[Sheet]:
    """A sheet of measures by models, or turned: as `display` says, as there is more of, or as suits the screen."""
    if display.models_as_rows is not None:
        turns = [display.models_as_rows]
    else:
        many_models = len(sheet.columns) > len(sheet.rows) - sheet.apart
        turns = [many_models, not many_models]
    forms, more = ([one.turned(corner) if turn else one for turn in turns] if one else [] for one in (sheet, longer))
    return laid_out(forms, screen, more)


def _intervals(result: Result) -> dict[str, str]:
    """The measures beside whose mean an interval stands, with the label of that: the first one asked for."""
    if any(row.repeats_std is not None for row in result.rows):
        return {}
    means = {row.measure for row in result.rows if row.aggregate == "mean"}
    found: dict[str, str] = {}
    for row in result.rows:
        if interval_level(row.aggregate) is not None and row.measure in means:
            found.setdefault(row.measure, row.label)
    return found


def _sign(marked: BestValues, place: tuple[str, str]) -> str:
    return BEST if place in marked.tested else UNTESTED if place in marked.untested else ""


def _cell(row: Row | None, interval: Row | None, formats: Formats, mark: str) -> NumberCell:
    if row is None:
        return NumberCell()
    spread = interval.value if interval else row.repeats_std
    return NumberCell(formats.text(row.label, row.value), formats.text(row.label, spread), mark)


def _arrow(result: Result, label: str, screen: Screen) -> str:
    return arrow(result, label) if screen.encodes("↑") else ""


def _shares(result: Result, display: Display, screen: Screen) -> Sequence[Sheet]:
    """What share of the best possible value each model reaches; nothing where that was not computed."""
    reached = [model for model in result.models if model != ORACLE]
    shares = dict(achieved(result, reached))
    if not shares:
        return []
    models = tuple(Head(model, screen.visible(model)) for model in reached)
    measures = tuple(Head(label, screen.visible(label)) for label in shares)
    cells = {(label, model): NumberCell(share) for label, some in shares.items() for model, share in zip(reached, some, strict=True)}
    corner = "percent of achievable"
    return _laid_out(Sheet(corner, measures, models, cells), corner, display, screen)


def _legend(result: Result, sheets: Sequence[Sheet], marked: BestValues, screen: Screen) -> Iterator[str]:
    """What the signs in the tables mean, and how to see less of them."""
    yield from marked.legend(BEST)
    united = _intervals(result).values() if any(cell.spread for sheet in sheets for cell in sheet.cells.values()) else ()
    levels = dict.fromkeys(interval_level(row.aggregate) for row in result.rows if row.label in united)
    for level in levels:
        yield f"± half the width of the {float(100 * (level or 0)):g} % confidence interval of the mean."
    if any(row.repeats_std is not None for row in result.rows):
        yield "± standard deviation over folds or runs."
    if any(head.shown != screen.visible(head.key) for sheet in sheets for head in (*sheet.rows, *sheet.columns)):
        yield "… stands for the middle of a name; --format csv has names whole."
    if len(sheets) >= _MANY:
        yield f"{len(sheets)} tables fit {screen.width} columns; --columns nDCG@10,Recall@10 shows some measures, --format csv has all."
