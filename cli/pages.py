"""What commands print of documents. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping

from receval.content.catalogue import plain
from receval.document import Block
from receval.render.encoding import as_json
from receval.render.markdown import as_markdown
from receval.render.screen import show

from .output import emit, on_screen


def emit_document(document: Iterable[Block], form: str) -> None:
    """Write a document as text for this terminal (`table`) or as Markdown (`md`)."""
    if form == "md":
        emit(as_markdown(document).encode())
    else:
        emit(on_screen(show(document, sys.stdout)), drawn=True)


def print_page(document: Iterable[Block], content: Mapping[str, object], form: str) -> None:
    """Write a page, or as JSON the content that it shows."""
    if form == "json":
        emit(as_json(plain(content)))
    else:
        emit_document(document, form)
