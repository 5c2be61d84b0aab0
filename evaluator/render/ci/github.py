"""Texts that GitHub shows of a job: annotations, which are lines of output, and the summary of a step, which is a file."""

from __future__ import annotations

import os
from typing import Final

from ...content.report import ReportContent
from ...errors import OutputError
from ..report import cut
from .cases import Case, cases

_MOST: Final = 10
"""Of one step GitHub shows so many annotations of a kind."""
_MOST_BYTES: Final = 900_000
"""A summary of more than 1 MiB is dropped as a whole."""


def as_annotations(content: ReportContent) -> str:
    """Return a line for each gate and check that did not pass, at most ten errors and ten warnings, each at the config that it is about."""
    path = content.source if content.source.endswith((".yaml", ".yml")) else None
    every = list(cases(content))
    failed = [case for case in every if case.outcome in ("fail", "skipped")]
    warned = [case for case in every if case.outcome == "warn"]
    return "".join((*_of_kind("error", failed, path), *_of_kind("warning", warned, path)))


def append_summary(file: str, summary: str) -> None:
    """Add a summary to the file that GitHub names, cut at the end of a row where it would be too long."""
    try:
        before = os.path.getsize(file) if os.path.exists(file) else 0
        with open(file, "a", encoding="utf-8") as target:
            target.write(cut(summary, _MOST_BYTES - before))
    except OSError as error:
        raise OutputError(f"cannot write the step summary to {file}: {error.strerror}", "--ci none writes none") from None


def _of_kind(kind: str, some: list[Case], path: str | None) -> list[str]:
    shown = some if len(some) <= _MOST else some[: _MOST - 1]
    lines = [_command(kind, f"{case.id} {case.model}".strip(), case.sentence or case.name, path) for case in shown]
    if len(some) > len(shown):
        lines.append(_command(kind, "receval", f"{len(some) - len(shown)} more are in the step summary", path))
    return lines


def _command(kind: str, title: str, message: str, path: str | None) -> str:
    where = f"file={_escaped(path, of_property=True)}," if path else ""
    return f"::{kind} {where}title={_escaped(title, of_property=True)}::{_escaped(message)}\n"


def _escaped(text: str, *, of_property: bool = False) -> str:
    for sign in "%\r\n" + (":," if of_property else ""):
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text
