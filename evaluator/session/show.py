"""An output in the form of its row: bytes as they are, text and documents as the form shows them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TextIO

from msgspec import Struct

from ..checks import Finding
from ..config import Loaded
from ..output import blocks, findings, gates, inputs_read, ledgers, terminal
from ..output.screen import PlainText
from ..output.selection import matching, measures_of, selected
from ..output.visible import without_links
from ..outputs import OutputForm
from ..results.result import Result

_ALL_FINDINGS = "receval run -v"


class Looks(Struct, frozen=True):
    """How the table of a result looks: the measures it shows, the measure that sorts its models, decimals, and what its rows are."""

    columns: tuple[str, ...] = ()
    sort: str | None = None
    digits: int | None = None
    models_as_rows: bool | None = None

    def refuse_unknown(self, loaded: Loaded) -> None:
        """`ConfigError` if a measure is named that the config does not ask for, before anything is computed."""
        evaluation = loaded.config.evaluation
        labels = [*(one.label for one in evaluation.definitions), *(one.formula.text for one in evaluation.composites)]
        if any(one.several for one in evaluation.definitions):  # which values it has turns out in the run
            return
        for measure in (*measures_of(self.columns), *([self.sort] if self.sort else [])):
            matching(measure.partition(" (")[0] if measure not in labels else measure, labels)

    def applied(self, result: Result) -> Result:
        """The measures to show, the models in the order to show them."""
        return selected(result, measures_of(self.columns), self.sort)


PLAIN: Final = Looks()


def rendered(row: OutputForm, subject: Any, file: TextIO | None = None, **options: Any) -> bytes:
    """The bytes of an output; a table is fitted to a `file`, or is plain text."""
    made = row.make(subject, file=file or PlainText(), **options)
    if isinstance(made, bytes):
        return made
    if row.form == "table":
        file = file or PlainText()
        return (made if isinstance(made, str) else blocks.show(made, file)).encode(file.encoding or "utf-8", "backslashreplace")
    return (made if isinstance(made, str) else without_links(blocks.as_markdown(made))).encode()


def result_text(result: Result, file: TextIO, looks: Looks = PLAIN, verbose: bool = False, sentences: Sequence[str] = ()) -> str:
    """The table of a result with its findings, closing sentences and gates; if `verbose` also who was counted, and what was read."""
    display = terminal.Display(looks.models_as_rows, looks.digits)
    text = terminal.show(looks.applied(result), file, verbose, display, command=_ALL_FINDINGS, sentences=sentences)
    more = f"\n{blocks.show([*ledgers.page(result), *inputs_read.page(result)], file)}" if verbose else ""
    return text + more + gates.below(result.gates, file)


def findings_text(found: Sequence[Finding], file: TextIO, *, verbose: bool = True) -> str:
    """Findings; unless `verbose` a few of them, and the command that shows the others."""
    return findings.show(found, file, command="" if verbose else _ALL_FINDINGS)


def failing_findings(result: Result, *, strict: bool = False) -> list[Finding]:
    """The findings that fail a run."""
    return [one for one in result.findings if one.severity == "error" or (strict and one.severity == "warn")]


def check_text(result: Result, file: TextIO) -> str:
    """What the health checks of a result found, and how many were made."""
    return f"{findings.show(result.findings, file)}{findings.summary(result)}\n"


def gates_text(result: Result, file: TextIO) -> str:
    """The gates of a result."""
    return gates.show(result.gates, file)
