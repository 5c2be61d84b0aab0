"""How ids are compared: as integers if every file stores them as integers, otherwise as the text that is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import narwhals as nw

from ..engine.base import Engine, Kind
from ..errors import DataError
from .source import Source


class IdsAreText(Exception):
    """A file that seemed to hold integer ids holds others too; everything must be read again with that column as text."""

    def __init__(self, columns: Iterable[str]) -> None:
        super().__init__(", ".join(columns))
        self.columns = tuple(columns)


def common_kinds(sources: Iterable[Source]) -> dict[str, Kind]:
    """The kind of the user and item ids over all sources: text as soon as one file stores them so."""
    kinds: dict[str, Kind] = {}
    for source in sources:
        for column in ("user", "item"):
            if column in source.columns:
                kind = source.scan.kinds[column]
                kinds[column] = "text" if "text" in (kind, kinds.get(column)) else "integer"
    return kinds


def as_text(kinds: Mapping[str, Kind], columns: Iterable[str]) -> dict[str, Kind]:
    """`kinds` with the ids in `columns` read as text."""
    return {column: "text" if column in columns else kind for column, kind in kinds.items()}


def remarks(sources: Iterable[Source]) -> tuple[str, ...]:
    """A sentence for each kind of id that some files store as integers and others as text."""
    found = []
    for column in ("user", "item"):
        having = [source for source in sources if column in source.columns]
        texts = [source.role for source in having if source.stored[column] == "text"]
        if 0 < len(texts) < len(having):
            found.append(f"{column.capitalize()} ids are compared as text, in text order where scores tie, because {texts[0]} holds text.")
    return tuple(found)


def common_or_refuse(engine: Engine, test: Source, lists: Source) -> None:
    """Return if the test file and the lists have users and items in common; `DataError` with examples if not."""
    for column in ("user", "item"):
        of_test = engine.scan(test.scan).select(column).drop_nulls().unique(column)
        of_lists = engine.scan(lists.scan).select(column).drop_nulls().unique(column)
        (common,) = engine.settle([of_test.join(of_lists, on=column, how="semi").select(nw.len().alias("n"))])
        if engine.collect(common)["n"].item() == 0:
            raise DataError(
                f"no {column} in common: {_examples(engine, test, column)}; {_examples(engine, lists, column)}",
                f"ids are compared as they are written: check the type, leading zeros and spaces, or map another column as {column}",
            )


def _examples(engine: Engine, source: Source, column: str) -> str:
    (some,) = engine.settle([engine.scan(source.scan).select(column).drop_nulls().unique(column).sort(column).head(3)])
    shown = ", ".join(repr(value) for value in sorted(engine.collect(some)[column].to_list()))
    kind = "integers" if source.stored[column] == "integer" else "text"
    return f"{source.role} ({source.scan.names[column]!r}, {kind}) has {shown}"
