"""How ids are compared: as integers if every file stores them as integers, otherwise as the text that is written."""

from __future__ import annotations

from collections.abc import Iterable

from .columns import IDS
from .scan import Kind
from .source import Source


def common_kinds(sources: Iterable[Source]) -> dict[str, Kind]:
    """The kind of every column of ids over all sources: text as soon as one file stores such ids so."""
    stored = [(column, source.scan.kinds[column]) for source in sources for column in IDS if column in source.columns]
    texts = {IDS[column] for column, kind in stored if kind == "text"}
    return {column: "text" if IDS[column] in texts else "integer" for column, _ in stored}


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
