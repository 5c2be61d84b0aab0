"""How ids are compared: as integers if every file stores them as integers, otherwise as the text that is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .columns import IDS
from .scan import Kind
from .source import Source


class IdsAreText(Exception):
    """A file that seemed to hold integer ids holds others too; everything must be read again with these ids as text.

    `columns` says whose ids: `user`, `item` or both.
    """

    def __init__(self, columns: Iterable[str]) -> None:
        self.columns = tuple(dict.fromkeys(IDS[column] for column in columns))
        super().__init__(", ".join(self.columns))


def common_kinds(sources: Iterable[Source]) -> dict[str, Kind]:
    """The kind of every column of ids over all sources: text as soon as one file stores such ids so."""
    stored = [(column, source.scan.kinds[column]) for source in sources for column in IDS if column in source.columns]
    texts = {IDS[column] for column, kind in stored if kind == "text"}
    return {column: "text" if IDS[column] in texts else "integer" for column, _ in stored}


def as_text(kinds: Mapping[str, Kind], columns: Iterable[str]) -> dict[str, Kind]:
    """`kinds` with the ids of `columns` read as text, wherever they stand."""
    texts = {IDS[column] for column in columns}
    return {column: "text" if IDS[column] in texts else kind for column, kind in kinds.items()}


def remarks(sources: Iterable[Source]) -> tuple[str, ...]:
    """A sentence for each doubt about a source, and for each kind of id that some files store as integers and others as text."""
    sources = list(sources)
    stored = [(IDS[column], source.stored[column], source.role) for source in sources for column in IDS if column in source.columns]
    sentences = [doubt for source in sources for doubt in source.scan.doubts]
    for whose in ("user", "item"):
        having = [(kind, role) for ids, kind, role in stored if ids == whose]
        texts = [role for kind, role in having if kind == "text"]
        if 0 < len(texts) < len(having):
            sentences.append(
                f"{whose.capitalize()} ids are compared as text, in text order where scores tie, because {texts[0]} holds text."
            )
    return tuple(sentences)
