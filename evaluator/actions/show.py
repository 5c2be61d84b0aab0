"""Documents and texts of results, findings and gates for the screen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TextIO

from msgspec import Struct

from ..checks import Finding
from ..config import Loaded
from ..documents import findings, gates
from ..documents import screens as selections
from ..documents.document import Code, Document, Heading, Sentences, Table
from ..documents.report import CHARTS
from ..documents.screens import matching, selected
from ..documents.signatures import reproduced as reproduced
from ..render.screen import show
from ..results.result import Result
from ..results.signature import signature_lines
from ..results.spellings import without_aggregate
from ..support.extras import install_command
from ..support.secrets import conceal, hidden_in_outputs
from ..syntax.measure_strings import measures_of

_ALL_FINDINGS = "receval run -v"


class Looks(Struct, frozen=True):
    """Appearance of the table of a result: its measures, the measure that sorts its models, decimals, and models as rows or columns."""

    columns: tuple[str, ...] = ()
    sort: str | None = None
    digits: int | None = None
    models_as_rows: bool | None = None

    def refuse_unknown(self, loaded: Loaded) -> None:
        """Raise `ConfigError` if a named measure is not in the config, before anything is computed."""
        evaluation = loaded.config.evaluation
        if any(definition.has_subvalues for definition in evaluation.definitions):  # its values are known only after the run
            return
        from ..evaluation.plan import definitions_of  # only here: a gate shows folders too

        definitions = definitions_of(evaluation.definitions) if self.columns or self.sort else {}
        for measure in (*measures_of(self.columns), *([self.sort] if self.sort else [])):
            matching(without_aggregate(measure)[0] if measure not in evaluation.labels else measure, evaluation.labels, definitions)

    def apply(self, result: Result) -> Result:
        """Return the result with only the measures to show, and its models in the order to show."""
        return selected(result, measures_of(self.columns), self.sort)


def result_document(
    result: Result, looks: Looks | None = None, verbose: bool = False, sentences: Sequence[str] = (), bare: bool = False
) -> Document:
    """Return a result as `receval run` prints it, with its closing sentences; only its tables if `bare`."""
    looks = looks or Looks()
    table: dict[str, Any] = {"digits": looks.digits, "models_as_rows": looks.models_as_rows, "command": _ALL_FINDINGS}
    document = selections.screen(looks.apply(result), whole=result, verbose=verbose, closing=sentences, **table)
    return tuple(block for block in document if not bare or isinstance(block, Heading | Table))


def result_markdown(result: Result, looks: Looks | None = None, sentences: Sequence[str] = (), signature: bool = False) -> Document:
    """Return a result as `receval run --format md` prints it: measures and closing sentences of the table, and `signature`s if wanted."""
    shown = (looks or Looks()).apply(result)
    signatures = (Code(signatures_text(shown).rstrip()),) if signature else ()
    return (*selections.markdown(shown, sentences), *signatures)


def signatures_text(result: Result) -> str:
    """Return the signatures of the measures of a result, one per line, which no screen may break."""
    return "".join(f"{line}\n" for line in conceal(signature_lines(result), result.variables or {}).values())


def check_document(result: Result) -> Document:
    """Return the findings of the health checks of a result, those of a check over folds and runs as one, and how many checks ran."""
    said = tuple(filter(None, (findings.summary(result), findings.skipped(result))))
    return (*findings.alerts(result.findings, whole=True), Sentences(said, small=False))


def findings_text(found: Sequence[Finding], file: TextIO, *, verbose: bool = True) -> str:
    """Return findings as text; unless `verbose`, only a few, and the command that shows the others."""
    return show(conceal(findings.alerts(found, "" if verbose else _ALL_FINDINGS, whole=verbose), hidden_in_outputs(), keys=True), file)


def gates_text(result: Result, file: TextIO) -> str:
    """Return the gates of a result as text; empty without gates."""
    return show(conceal(gates.document(result.gates, summary=False), hidden_in_outputs(), keys=True), file) if result.gates else ""


def missing_charts() -> str:
    """Return the sentence on charts that pages lack, with the command that installs the extra; empty if all can be drawn."""
    from ..render.drawing import can_draw  # only here: it imports readers of XML

    names = ", ".join(name for name in CHARTS if name != "differences")
    why = f"because the extra report is not installed: {install_command('report')}"
    return "" if can_draw() else f"the page has charts of values and differences only, without {names}, {why}"
