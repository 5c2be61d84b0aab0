"""An output in the form of its row: bytes and text as they are; documents, plain values, rows and frames as the form renders them.

For machines: the same bytes for the same values, in full precision.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TextIO

import polars as pl
import polars.selectors as cs
from msgspec.json import format as with_indents

from ..outputs import OutputForm
from .markdown import as_markdown
from .screen import show
from .terminal import PlainText

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What begins a formula to spreadsheet programs."""


def rendered(row: OutputForm, subject: Any, file: TextIO | None = None, **options: Any) -> bytes:
    """Return the bytes of an output; a table is fitted to a `file`, or is plain text."""
    made = row.make(subject, **options)
    if isinstance(made, bytes):
        return made
    if row.form == "table":
        file = file or PlainText()
        return (made if isinstance(made, str) else show(made, file)).encode(file.encoding or "utf-8", "backslashreplace")
    if isinstance(made, str):
        return made.encode()
    if row.form.endswith("csv"):
        is_safe = options.get("spreadsheet_safe") or (row.of in ("result", "users") and is_spreadsheet_safe(subject))
        return as_csv(made, spreadsheet_safe=bool(is_safe))
    if row.form in _ENCODERS:
        return _ENCODERS[row.form](made)
    # Only here: few outputs are for papers or pages.
    if row.form.startswith("latex"):
        from .latex import WIDTH, Page, as_latex

        style = (subject.config.get("report") or {}).get("latex") or {} if row.of == "latex" else {}
        return as_latex(made, Page(style.get("width") or WIDTH, style.get("columns", 1))).encode()
    if row.form == "html":
        from .html import as_html

        return as_html(made, interactive=options.get("interactive", False)).encode()
    return as_markdown(made).encode()


def is_spreadsheet_safe(result: Any) -> bool:
    """Return whether the config of a result wants texts guarded that a spreadsheet would take for formulas."""
    return bool((result.config.get("output") or {}).get("spreadsheet_safe"))


def as_json(content: Any, *, finite: bool = True) -> bytes:
    """Return `content` as JSON with every value on a line of its own; `ValueError` for a number that is not finite, if all must be."""
    if not finite:
        return f"{json.dumps(content, indent=2, ensure_ascii=False)}\n".encode()
    # The same text in a third of the time: `json` is fast without `indent` only.
    return f"{with_indents(json.dumps(content, ensure_ascii=False, allow_nan=False), indent=2)}\n".encode()


def as_csv(rows: Iterable[Iterable[Any]] | pl.DataFrame, *, spreadsheet_safe: bool = False) -> bytes:
    """Return rows of cells, or a frame below the names of its columns, as CSV that every reader splits where we did.

    With `spreadsheet_safe` a text that a spreadsheet would take for a formula has `'` in front.
    """
    if isinstance(rows, pl.DataFrame):
        texts = cs.string().map_elements(guard, pl.String) if spreadsheet_safe else cs.string()
        return rows.with_columns(texts, cs.float().fill_nan(None)).write_csv().encode()
    lines = _Lines()
    csv.writer(lines, lineterminator="\r\n").writerows((map(guard, row) for row in rows) if spreadsheet_safe else rows)
    return "".join(lines).encode()


class _Lines(list[str]):
    """Take rows that end in CR LF, at which both are quoted in fields, and keep them with LF."""

    def write(self, line: str) -> None:
        self.append(f"{line.removesuffix(chr(13) + chr(10))}\n")


def guard(cell: Any) -> Any:
    """Return a cell as it is, but for a text that is a formula to a spreadsheet; a number is none."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def as_jsonl(rows: Iterable[Any] | pl.DataFrame) -> bytes:
    """Return a JSON object per row; null for what is not defined."""
    if isinstance(rows, pl.DataFrame):
        return rows.with_columns(cs.float().fill_nan(None)).write_ndjson().encode()
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows).encode()


def as_parquet(frame: pl.DataFrame) -> bytes:
    """Return rows as Parquet."""
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()


_ENCODERS: Final[Mapping[str, Callable[[Any], bytes]]] = {"json": as_json, "jsonl": as_jsonl, "parquet": as_parquet}
