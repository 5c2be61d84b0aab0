"""An output in the form of its row: bytes and text as they are; documents, plain values, rows and frames as the form renders them.

For machines: the same bytes for the same values, in full precision.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, TextIO

import polars as pl
import polars.selectors as cs

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
        from .latex import as_latex

        return as_latex(made).encode()
    if row.form == "html":
        from .html import as_html

        return as_html(made, interactive=options.get("interactive", False)).encode()
    return as_markdown(made).encode()


def is_spreadsheet_safe(result: Any) -> bool:
    """Return whether the config of a result wants texts guarded that a spreadsheet would take for formulas."""
    return bool((result.config.get("output") or {}).get("spreadsheet_safe"))


def as_json(content: Any, *, finite: bool = True) -> bytes:
    """Return `content` as JSON with every value on a line of its own; `ValueError` for a number that is not finite, if all must be."""
    return f"{indented(content) if finite else json.dumps(content, indent=2, ensure_ascii=False)}\n".encode()


def indented(value: Any, margin: str = "\n") -> str:
    """Return `value` as `json.dumps(value, indent=2)` writes it, in a third of its time, its lines beginning with `margin`.

    What holds no other list or object is encoded at once, with line breaks as its separators: only then is the encoder the fast one.
    `ValueError` for numbers that are not finite.
    """
    if not value or not isinstance(value, dict | list | tuple):
        return _encoder(", ").encode(value)
    inner = f"{margin}  "
    parts = value.values() if isinstance(value, dict) else value
    if any(isinstance(part, dict | list | tuple) for part in parts):
        texts = [indented(part, inner) for part in parts]
        if isinstance(value, dict):
            texts = [f"{_encoder(', ').encode(str(key))}: {text}" for key, text in zip(value, texts, strict=True)]
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        return f"{opening}{inner}{f',{inner}'.join(texts)}{margin}{closing}"
    flat = _encoder(f",{inner}").encode(value)
    return f"{flat[0]}{inner}{flat[1:-1]}{margin}{flat[-1]}"


@cache
def _encoder(separator: str) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(separator, ": "))


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


_ENCODERS: Final = {"json": as_json, "jsonl": as_jsonl, "parquet": as_parquet}
