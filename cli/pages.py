"""What commands print of pages. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from receval.document import Document
from receval.output import blocks
from receval.output.catalogue import as_json
from receval.render.markdown import as_markdown, without_links
from receval.render.screen import show

from .output import emit, on_screen


def emit_page(page: blocks.Page, form: str) -> None:
    """Write a page as text for this terminal (`table`) or as Markdown (`md`)."""
    if form == "md":
        emit(without_links(blocks.as_markdown(page)).encode())
    else:
        emit(on_screen(blocks.show(page, sys.stdout)), drawn=True)


def emit_document(document: Document, form: str) -> None:
    """Write a document as text for this terminal (`table`) or as Markdown (`md`)."""
    if form == "md":
        emit(as_markdown(document).encode())
    else:
        emit(on_screen(show(document, sys.stdout)), drawn=True)


def print_page(page: blocks.Page, content: Mapping[str, object], form: str) -> None:
    """Write a page, or as JSON the content that it shows."""
    if form == "json":
        emit(as_json(content))
    else:
        emit_page(page, form)
