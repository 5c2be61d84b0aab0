"""What commands print of documents. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from receval.content.catalogue import plain
from receval.document import Document
from receval.render.markdown import as_markdown
from receval.render.screen import show

from .output import emit, on_screen


def emit_page(page: Document, form: str) -> None:
    """Write a page as text for this terminal (`table`) or as Markdown (`md`)."""
    if form == "md":
        emit(as_markdown(page).encode())
    else:
        emit(on_screen(show(page, sys.stdout)), drawn=True)


def print_page(page: Document, content: Mapping[str, object], form: str) -> None:
    """Write a page, or as JSON the content that it shows."""
    if form == "json":
        emit((json.dumps(plain(content), ensure_ascii=False, indent=2) + "\n").encode())
    else:
        emit_page(page, form)
