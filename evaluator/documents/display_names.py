"""Other names for measures and models in texts for papers: `report.names` of the config."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from ..results.result import Result
from ..results.spellings import close_label
from ..support.errors import ConfigError
from ..syntax.formula import is_formula
from .document import Alert, Block, Cell, Column, Document, Figure, Heading, Paragraph, Points, Section, Sentences, Status, Table, Terms

_QUOTED: Final = re.compile(r"(`[^`]*`)")
_END: Final = r"(?![\w-]|[./@]\w)"
_END_OF_METRIC: Final = r"(?![\w-]|[./]\w)"
"""A metric may be followed by its cut-off."""
_SHOWN: Final = ("title", "description", "values", "domain", "sort")
"""The keys of a chart whose texts may be names: `values` are the rows of its data, `domain` and `sort` the models in their order."""


def names_of(results: Iterable[Result]) -> dict[str, str]:
    """Return the other names that the configs of results give; raise `ConfigError` for one that no result has."""
    names: dict[str, str] = {}
    for result in results:
        given = (result.config.get("report") or {}).get("names") or {}
        refuse_unknown_names(given, result.models, result.labels(), result.definitions)
        names |= given
    return names


def refuse_unknown_names(given: Iterable[str], models: Iterable[str], labels: Iterable[str], metrics: Iterable[str]) -> None:
    """Raise `ConfigError` for a key of `report.names` that is no model, measure or metric."""
    known = tuple(dict.fromkeys((*models, *labels, *metrics)))
    for name in given:
        if name not in known:
            raise ConfigError(f"report.names: there is no model or measure {name[:80]!r}", close_label(name, known))


def with_names(document: Document, names: Mapping[str, str]) -> Document:
    """Return a document with other names for measures and models; the data of its tables keep theirs."""
    if not names:
        return document
    renamed = renaming(names)
    return tuple(_block(block, names, renamed) for block in document)


def names_of_formulas(results: Iterable[Result]) -> dict[str, str]:
    """Return the names that the configs of results give to formulas, which the terminal shows too."""
    every = list(results)
    has_formula = any(is_formula(label) for result in every for label in result.labels())
    return {label: name for label, name in names_of(every).items() if is_formula(label)} if has_formula else {}


def note_on_formulas(names: Mapping[str, str]) -> Document:
    """Return a sentence for each formula that has a name."""
    return (Sentences(tuple(f"{name} is {formula}." for formula, name in names.items())),) if names else ()


def renaming(names: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that replaces names in a text, but not in code."""
    longest_first = sorted((name for name in names if len(name) > 1), key=len, reverse=True)  # a is a word, too
    of_names = "|".join(f"{re.escape(name)}{_END if '@' in name else _END_OF_METRIC}" for name in longest_first)
    pattern = re.compile(rf"(?<![\w@/.-])(?:{of_names})" if of_names else "(?!)")

    def renamed(text: str) -> str:
        if text in names:
            return names[text]
        parts = _QUOTED.split(text)
        return "".join(part if part.startswith("`") else pattern.sub(lambda found: names[found[0]], part) for part in parts)

    return renamed if names else str


def _block(block: Block, names: Mapping[str, str], renamed: Callable[[str], str]) -> Block:
    match block:
        case Heading() | Paragraph():
            return replace(block, text=renamed(block.text))
        case Points() | Sentences():
            return replace(block, texts=tuple(map(renamed, block.texts)))
        case Status(lines):
            return Status(tuple((level, renamed(text)) for level, text in lines))
        case Alert():
            return replace(block, head=renamed(block.head), text=renamed(block.text))
        case Terms(rows):
            return replace(block, rows=tuple((renamed(term), renamed(text)) for term, text in rows))
        case Section(_, title, blocks):
            return replace(block, title=renamed(title), blocks=tuple(_block(part, names, renamed) for part in blocks))
        case Table():
            return _table(block, names, renamed)
        case Figure():
            narrow = None if block.narrow is None else _spec(block.narrow, renamed)
            panels = (
                replace(panel, title=renamed(panel.title), rows=tuple((renamed(name), cell) for name, cell in panel.rows))
                for panel in block.panels
            )
            return replace(block, caption=renamed(block.caption), spec=_spec(block.spec, renamed), narrow=narrow, panels=tuple(panels))
        case _:
            return block


def _spec(value: Any, renamed: Callable[[str], str], *, is_shown: bool = False) -> Any:
    """Return a part of the specification of a chart with other names in the texts that it shows, and in the rows of its data."""
    if isinstance(value, str):
        return renamed(value) if is_shown else value
    if isinstance(value, list):
        return [_spec(part, renamed, is_shown=is_shown) for part in value]
    if isinstance(value, Mapping):
        return {key: part if key == "config" else _spec(part, renamed, is_shown=is_shown or key in _SHOWN) for key, part in value.items()}
    return value


def _table(table: Table, names: Mapping[str, str], renamed: Callable[[str], str]) -> Table:
    """Return a table with other names; cut-offs below the head of their metric have heads of their own if one has another name."""
    apart = {column.group for column in table.columns if column.group and f"{column.group}{column.title}" in names}

    def column(shown_column: Column) -> Column:
        title = f"{shown_column.group}{shown_column.title}" if shown_column.group in apart else shown_column.title
        return replace(shown_column, title=renamed(title), group="" if shown_column.group in apart else renamed(shown_column.group))

    def cell(one: Cell, of: Column) -> Cell:
        return one if of.is_number else replace(one, text=renamed(one.text), note=renamed(one.note))

    return replace(
        table,
        columns=tuple(map(column, table.columns)),
        rows=tuple(tuple(map(cell, row, table.columns)) for row in table.rows),
        caption=renamed(table.caption),
        rules={place: renamed(text) for place, text in table.rules.items()},
        notes=tuple(map(renamed, table.notes)),
        corner=renamed(table.corner),
        other=None if table.other is None else _table(table.other, names, renamed),
    )
