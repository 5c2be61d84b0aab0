"""Render an output in the form of its row in `outputs`: bytes and text unchanged; documents, plain values, rows and frames by the form.

Forms for machines give the same bytes for the same values, in full precision.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TextIO

from msgspec.json import format as with_indents

from ..documents.display_names import names_of, names_of_formulas, note_on_formulas, with_names
from ..documents.document import Document
from ..results.result import Result
from ..support.lazy import pl
from ..support.outputs import PARQUET, OutputForm
from ..support.secrets import conceal, hidden_in_outputs
from .markdown import as_markdown
from .screen import show
from .terminal import PlainText

_QUOTED: Final = re.compile(r"^(::[^,\"\r\n]*)(?=[,\n])", re.MULTILINE)
"""The first cell of a line of CSV that a runner of GitHub would take for a command: readers of CSV read it with quotes, too."""
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""The first characters of formulas in spreadsheet programs."""


def rendered(row: OutputForm, subject: Any, file: TextIO | None = None, **options: Any) -> bytes:
    """Return the bytes of an output; a table is fitted to a `file`, or is plain text."""
    hidden = _hidden(subject, options)
    if hidden:
        subject, options = conceal(subject, hidden, keys=True), conceal(options, hidden, keys=True)
    made = row.make(subject, **options)
    if isinstance(made, bytes):
        return made
    if row.form == "table":
        file = file or PlainText()
        return (made if isinstance(made, str) else show(_with_named_formulas(made, subject, options), file)).encode(
            file.encoding or "utf-8", "backslashreplace"
        )
    if isinstance(made, str):
        return made.encode()
    if row.form.endswith("csv"):
        is_safe = options.get("spreadsheet_safe") or (row.of in ("result", "users") and is_spreadsheet_safe(subject))
        return as_csv(made, spreadsheet_safe=bool(is_safe))
    if row.form in _ENCODERS:
        return _ENCODERS[row.form](made)
    made = with_names(made, names_of(_results(subject, options)))
    # Only here: few outputs are for papers or pages.
    if row.form.startswith("latex"):
        from .latex import Page, as_latex

        style = (subject.config.get("report") or {}).get("latex") or {} if row.of == "latex" else options.get("style", {})
        return as_latex(made, Page(style.get("width"), style.get("columns", 1))).encode()
    if row.form == "html":
        from .html import as_html

        return as_html(made, interactive=options.get("interactive", False)).encode()
    return as_markdown((*made, *note_on_formulas(names_of_formulas(_results(subject, options))))).encode()


def _with_named_formulas(made: Document, subject: Any, options: Mapping[str, Any]) -> Document:
    """Return a document for the terminal: formulas are too long for it, so their names replace them; measures keep the names to type."""
    names = names_of_formulas(_results(subject, options))
    return (*with_names(made, names), *note_on_formulas(names))


def _results(subject: Any, options: Mapping[str, Any]) -> Iterable[Result]:
    """Return the results that an output is about: a result, those of a report, or those that were compared."""
    if isinstance(subject, Result):
        return [subject]
    about = options["compared"] if options.get("compared") is not None else subject
    return getattr(about, "results", {}).values()


def _hidden(subject: Any, options: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the values from the environment that an output may not show: those of its results, or else all that are known."""
    variables = [result.variables for result in _results(subject, options)]
    known = [values for values in variables if values is not None]
    return {value: name for values in known for value, name in values.items()} if len(known) == len(variables) > 0 else hidden_in_outputs()


def is_spreadsheet_safe(result: Any) -> bool:
    """Return whether the config of a result asks to guard texts that a spreadsheet would run as formulas."""
    return bool((result.config.get("output") or {}).get("spreadsheet_safe"))


def as_json(content: Any, *, finite: bool = True) -> bytes:
    """Return `content` as JSON with one value per line; with `finite`, raise `ValueError` for a number that is not finite."""
    if not finite:
        return f"{json.dumps(content, indent=2, ensure_ascii=False)}\n".encode()
    # The same text in a third of the time: `json` is fast only without `indent`.
    return f"{with_indents(json.dumps(content, ensure_ascii=False, allow_nan=False), indent=2)}\n".encode()


def as_csv(rows: Iterable[Iterable[Any]] | pl.DataFrame, *, spreadsheet_safe: bool = False) -> bytes:
    """Return rows of cells, or a frame with the names of its columns, as CSV that all readers split in the same way.

    With `spreadsheet_safe`, a text that a spreadsheet would run as a formula begins with `'`.
    """
    if isinstance(rows, pl.DataFrame):
        texts = pl.selectors.string().map_elements(guard, pl.String) if spreadsheet_safe else pl.selectors.string()
        return _QUOTED.sub(r'"\1"', rows.with_columns(texts, pl.selectors.float().fill_nan(None)).write_csv()).encode()
    lines = _Lines()
    csv.writer(lines, lineterminator="\r\n").writerows((map(guard, row) for row in rows) if spreadsheet_safe else rows)
    return _QUOTED.sub(r'"\1"', "".join(lines)).encode()


class _Lines(list[str]):
    """Collect rows of a CSV writer and replace their CR LF by LF; CR LF makes the writer quote both characters in fields."""

    def write(self, line: str) -> None:
        self.append(f"{line.removesuffix(chr(13) + chr(10))}\n")


def guard(cell: Any) -> Any:
    """Return a cell unchanged, but with `'` before a text that is a formula in a spreadsheet; numbers are not."""
    if not isinstance(cell, str) or not cell.startswith(FORMULA):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def as_jsonl(rows: Iterable[Any] | pl.DataFrame) -> bytes:
    """Return a JSON object per row; undefined values are null."""
    if isinstance(rows, pl.DataFrame):
        return rows.with_columns(pl.selectors.float().fill_nan(None)).write_ndjson().encode()
    return "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows).encode()


def as_parquet(frame: pl.DataFrame) -> bytes:
    """Return rows as Parquet: equal rows give equal bytes, whatever the chunks of their frame."""
    file = io.BytesIO()
    frame.write_parquet(file, **PARQUET)
    return file.getvalue()


_ENCODERS: Final[Mapping[str, Callable[[Any], bytes]]] = {"json": as_json, "jsonl": as_jsonl, "parquet": as_parquet}
