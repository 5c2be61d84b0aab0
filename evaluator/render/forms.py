"""An output in the form of its row: bytes and text as they are, documents and plain values as the form renders them."""

from __future__ import annotations

from typing import Any, TextIO

from ..outputs import OutputForm
from .encoding import as_json
from .markdown import as_markdown
from .screen import show
from .terminal import PlainText


def rendered(row: OutputForm, subject: Any, file: TextIO | None = None, **options: Any) -> bytes:
    """The bytes of an output; a table is fitted to a `file`, or is plain text."""
    made = row.make(subject, **options)
    if isinstance(made, bytes):
        return made
    if row.form == "table":
        file = file or PlainText()
        return (made if isinstance(made, str) else show(made, file)).encode(file.encoding or "utf-8", "backslashreplace")
    if isinstance(made, str):
        return made.encode()
    if row.form == "json":
        return as_json(made)
    if not row.form.startswith("latex"):
        return as_markdown(made).encode()
    from .latex import as_latex  # only here: few outputs are for papers

    return as_latex(made).encode()
