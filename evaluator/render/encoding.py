"""Plain values as JSON, CSV and Parquet: the same bytes for the same values, in full precision."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable
from functools import cache
from typing import Any, Final

import polars as pl

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What begins a formula to spreadsheet programs."""


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


class _Lines:
    """Takes rows that end in CR LF, at which both are quoted in fields, and keeps them with LF."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def write(self, line: str) -> None:
        self.lines.append(f"{line.removesuffix(chr(13) + chr(10))}\n")


def as_csv(rows: Iterable[Iterable[Any]], *, spreadsheet_safe: bool = False) -> bytes:
    """Return rows of cells as CSV that every reader splits where we did.

    With `spreadsheet_safe` a text that a spreadsheet would take for a formula has `'` in front.
    """
    lines = _Lines()
    guarded = (map(guard, row) for row in rows) if spreadsheet_safe else rows
    csv.writer(lines, lineterminator="\r\n").writerows(guarded)
    return "".join(lines.lines).encode()


def guard(cell: Any) -> Any:
    """Return a cell as it is, but for a text that is a formula to a spreadsheet; a number is none."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) and not _is_number(cell) else cell


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def as_parquet(frame: pl.DataFrame) -> bytes:
    """Return rows as Parquet."""
    file = io.BytesIO()
    frame.write_parquet(file)
    return file.getvalue()
