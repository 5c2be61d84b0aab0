"""The table on the screen: models × metric@k, or metric@k × models where that is what fits. Nothing is ever cut off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from io import StringIO
from typing import Final, Literal, TextIO

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..results.result import Result
from . import blocks, findings, groups, repeats
from .blocks import encodes
from .cells import shown
from .text import achieved, arrow, best

_FEW_MEASURES: Final = 8


def show(result: Result, file: TextIO, verbose: bool = False) -> str:
    """The result as text for `file`, with colour and frames only where that is a terminal that has them.

    Errors and warnings of the health checks stand above the table, if `verbose` notes too. Models that do not fit beside each other
    on a terminal follow in further tables.
    """
    screen = Console(file=file)
    arrows = encodes(file, "↑")
    fancy = screen.is_terminal and encodes(file, "╭")
    tables = [_by_model(result, fancy, arrows)]
    if len(result.labels()) > _FEW_MEASURES or _width(tables[0]) > screen.width:
        tables = [_by_measure(result, models, fancy, arrows) for models in _side_by_side(result, screen, fancy, arrows)]
    text = StringIO()
    wide = max(screen.width, *(_width(table) for table in tables), *(len(note) for note in result.notes()))
    # Given a width alone, rich does not keep to it everywhere; given a height too, it does.
    console = Console(file=text, width=wide, height=100, force_terminal=screen.is_terminal, color_system=_colours(screen), highlight=False)
    console.print(*tables, sep="\n")
    if any(row.achieved is not None for row in result.rows):
        reached = [model for model in result.models if model != "(oracle)"]
        fitting = _fitting(reached, screen, lambda models: _achieved(result, models, fancy))
        console.print(*(_achieved(result, models, fancy) for models in fitting), sep="\n")
    if result.by_group or result.repeated:
        text.write(f"{blocks.show([*repeats.page(result), *groups.page(result)], file)}\n")
    below = (*result.notes(), *(["* best of the models"] if best(result) else []), *([findings.summary(result)] if result.examined else []))
    for line in below:
        console.print(Text(line, style="dim"), width=screen.width if screen.is_terminal else None, soft_wrap=not screen.is_terminal)
    above = findings.show([finding for finding in result.findings if verbose or finding.severity != "info"], file)
    return above + (text.getvalue() if encodes(file, "±") else text.getvalue().replace("±", "+-"))


def _side_by_side(result: Result, screen: Console, fancy: bool, arrows: bool) -> list[tuple[str, ...]]:
    """The models in groups whose tables fit the screen."""
    return _fitting(result.models, screen, lambda models: _by_measure(result, models, fancy, arrows))


def _fitting(models: Sequence[str], screen: Console, table: Callable[[tuple[str, ...]], Table]) -> list[tuple[str, ...]]:
    """`models` in groups of which a `table` fits the screen; all in one where the output is no terminal."""
    if not screen.is_terminal:
        return [tuple(models)]
    groups: list[tuple[str, ...]] = [()]
    for model in models:
        wider = (*groups[-1], model)
        if groups[-1] and _width(table(wider)) > screen.width:
            groups.append((model,))
        else:
            groups[-1] = wider
    return groups


def _width(table: Table) -> int:
    """How wide a table is if nothing is cut."""
    unbounded = Console(width=100_000, height=100)
    return unbounded.measure(table).maximum


def _colours(screen: Console) -> Literal["auto"] | None:
    return "auto" if screen.is_terminal and screen.color_system else None


def _table(fancy: bool) -> Table:
    return Table(box=ROUNDED if fancy else SIMPLE_HEAD, safe_box=not fancy, header_style="bold")


def _by_model(result: Result, fancy: bool, arrows: bool) -> Table:
    table = _table(fancy)
    table.add_column("model", no_wrap=True)
    for label in result.labels():
        table.add_column(_headed(result, label, arrows), justify="right", no_wrap=True)
    table.add_column("users", justify="right", no_wrap=True)
    rows, marked = result.by_model(), best(result)
    for model in result.models:
        cells = [_cell(shown(rows[model].get(label)), (model, label) in marked) for label in result.labels()]
        table.add_row(Text(model), *cells, f"{result.counts[model].averaged:,}")
    return table


def _by_measure(result: Result, models: tuple[str, ...], fancy: bool, arrows: bool) -> Table:
    table = _table(fancy)
    table.add_column("measure", no_wrap=True)
    for model in models:
        table.add_column(Text(model), justify="right", no_wrap=True)
    rows, marked = result.by_model(), best(result)
    for label in result.labels():
        cells = [_cell(shown(rows[model].get(label)), (model, label) in marked) for model in models]
        table.add_row(_headed(result, label, arrows), *cells)
    table.add_section()
    table.add_row("users", *(f"{result.counts[model].averaged:,}" for model in models))
    return table


def _achieved(result: Result, models: Sequence[str], fancy: bool) -> Table:
    """What share of the best possible value each model reaches."""
    table = _table(fancy)
    table.add_column("percent of achievable", no_wrap=True)
    for model in models:
        table.add_column(Text(model), justify="right", no_wrap=True)
    for label, cells in achieved(result, models):
        table.add_row(Text(label), *cells)
    return table


def _headed(result: Result, label: str, arrows: bool) -> Text:
    return Text(f"{label}{arrow(result, label)}" if arrows else label)


def _cell(value: str, is_best: bool) -> Text:
    return Text(f"{value}*", style="bold green") if is_best else Text(f"{value} ")
