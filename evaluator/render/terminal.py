"""The table on the screen: models × metric@k, or metric@k × models where that is what fits. Nothing is ever cut off."""

from __future__ import annotations

from typing import TextIO

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..result import Result
from .text import arrow, best, shown


def show(result: Result, file: TextIO) -> None:
    """Print the result to `file`, with colour and frames only where it is a terminal that has them."""
    console = Console(file=file, highlight=False)
    arrows = _encodes(file, "↑")
    table = _by_model(result, console.is_terminal and arrows, arrows)
    if console.measure(table).minimum > console.width or len(result.labels()) > 8:
        table = _by_measure(result, console.is_terminal and arrows, arrows)
    wide = max(console.width, console.measure(table).maximum, *(len(note) for note in result.notes()))
    if wide > console.width or not console.is_terminal:  # rich keeps a given width only together with a height
        console = Console(file=file, highlight=False, width=wide, height=100)
    console.print(table)
    for note in result.notes():
        console.print(Text(note, style="dim"), soft_wrap=True)
    if best(result):
        console.print(Text("* best of the models", style="dim"))


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


def _by_measure(result: Result, fancy: bool, arrows: bool) -> Table:
    table = _table(fancy)
    table.add_column("measure", no_wrap=True)
    for model in result.models:
        table.add_column(Text(model), justify="right", no_wrap=True)
    rows, marked = result.by_model(), best(result)
    for label in result.labels():
        cells = [_cell(shown(rows[model].get(label)), (model, label) in marked) for model in result.models]
        table.add_row(_headed(result, label, arrows), *cells)
    table.add_section()
    table.add_row("users", *(f"{result.counts[model].averaged:,}" for model in result.models))
    return table


def _headed(result: Result, label: str, arrows: bool) -> Text:
    return Text(f"{label} {arrow(result, label)}" if arrows else label)


def _cell(value: str, is_best: bool) -> Text:
    return Text(f"{value}*", style="bold green") if is_best else Text(f"{value} ")


def _encodes(file: TextIO, text: str) -> bool:
    try:
        text.encode(file.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
