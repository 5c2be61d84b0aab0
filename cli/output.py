"""Print results to standard output, completely or with an error; messages go to standard error."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

import click
import receval
from receval.support.outputs import OutputForm, output_form
from receval.support.quoting import escaped, sentence


def emit(content: bytes, *, drawn: bool = False) -> None:
    """Write to standard output; raise `OutputError` if it cannot be written (see `streams`).

    Content that is not `drawn` for people may have control characters: a terminal shows them escaped, a pipe or file gets them unchanged.
    """
    if not drawn and sys.stdout.isatty():
        content = "".join(letter if letter in "\n\t" else escaped(letter) for letter in content.decode()).encode()
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
    sys.stdout.buffer.flush()


def show(row: OutputForm | None, value: Any, **options: Any) -> None:
    """Write a value to standard output, in the form of a row of `outputs`."""
    from receval.render.forms import rendered

    assert row is not None, "forms were checked to be known"
    emit(rendered(row, value, sys.stdout, **options), drawn=row.form == "table")


def tell(findings: Sequence[Any], *, verbose: bool = True) -> None:
    """Show findings on standard error; unless `verbose`, only a few, and the command that shows all."""
    from receval.actions.show import findings_text

    click.echo(findings_text(findings, sys.stderr, verbose=verbose), err=True, nl=False)


def tell_cautions(result: receval.Result, *, quiet: bool) -> None:
    """Print cautions on the data to standard error, unless `quiet`."""
    for caution in () if quiet else result.cautions:
        say(f"warning: {caution}")


def tell_gates(result: receval.Result) -> None:
    """Show gates on standard error."""
    from receval.actions.show import gates_text

    click.echo(gates_text(result, sys.stderr), err=True, nl=False)


def tell_tracked(tracked: Any, *, quiet: bool = False) -> None:
    """Print the place of a tracked result, or the failure of a tracker, to standard error."""
    if tracked.problem:
        say(f"warning: not tracked: {tracked.problem}")
    elif not quiet:
        say(f"tracked with {tracked.name}: {tracked.went}")


def say(text: str) -> None:
    """Print a sentence to standard error."""
    click.echo(f"receval: {sentence(text)}", err=True)


def say_verdicts(judged: Any, *, quiet: bool) -> None:
    """Print the outcome of gates and health checks to standard error, and how often their baseline was compared with.

    If `quiet`, only gates that fail the run or are inconclusive, each in one line, or that none was judged, and the checks that fail.
    """
    failing = ("fail", "warn") if judged.strict else ("fail",)
    for gate in judged.result.gates if quiet else ():
        if gate.consequence in failing or gate.outcome == "inconclusive":
            say(gate.sentence)
    if judged.result.gates and (not quiet or judged.verdicts.none_judged or judged.verdicts.failed(judged.strict)):
        say(judged.gate_summary)
    if judged.check_summary:
        say(judged.check_summary)
    for look in judged.looks:
        say(look)


def say_written(written: Sequence[Path], documents: bool | None) -> None:
    """Say on standard error what was written, and the command that shows a folder of results.

    `documents` is true if each file in LaTeX is a whole document, and `None` if a template decides what it is.
    """
    if written:
        from receval.actions.targets import address_of, shown

        folders = [shlex.quote(shown(path)) for path in written if os.path.isdir(path) or (address_of(path) and not path.suffix)]
        after = f"; next: receval report {folders[0]} -o report.html" if folders else ""
        say(f"wrote {', '.join(_with_kind(path, documents) for path in written)}{after}")


def _with_kind(path: Path, documents: bool | None) -> str:
    """Return an output as it is named, a file in LaTeX with what it has, tables or a document."""
    from receval.actions.targets import shown
    from receval.support.outputs import file_form

    row = file_form(path, "latex")
    if row is None or documents is None:
        return shown(path)
    is_document = documents or row.form == "latex-document"
    return f"{shown(path)} ({'a whole document' if is_document else 'tables for your document; -o report.tex writes a whole one'})"


def say_without_charts(written: Iterable[object], row: OutputForm | None = None, *, quiet: bool) -> None:
    """Say on standard error that pages have no charts if the extra that draws them is missing, and how to get it; not if `quiet`."""
    is_page = row is not None and row.form == "html"
    if not quiet and (is_page or any(str(path).lower().endswith((".html", ".htm")) for path in written)):
        from receval.actions.show import missing_charts

        if missing := missing_charts():
            say(f"warning: {missing}")


def warn(loaded: receval.Loaded) -> None:
    """Print the warnings on a config to standard error, and the convention if another program could have written it."""
    for warning in loaded.warnings:
        say(f"warning: {warning}")
    for note in loaded.notes:
        say(note)
    if loaded.doubt:
        say(loaded.doubt)


_CI_FILES: Final = {
    "gitlab": {"gl-code-quality-report.json": "code-quality", "receval-junit.xml": "junit"},
    "github-comment": {"receval-comment.md": "github-comment"},
}
"""System → its files and their forms: those under `artifacts: reports` of a GitLab job, and the comment of the GitHub action."""


def ci_files(system: str) -> dict[Path, OutputForm]:
    """Return the files to write for a system, with their forms."""
    files = _CI_FILES.get(system, {})
    return {Path(name): row for name, form in files.items() if (row := output_form(form, "report")) is not None}


def publish(content: Any, system: str) -> None:
    """On GitHub, append the report to the summary of the step, and print annotations of failures to standard error."""
    if system == "github":
        from receval.actions.report import publish_on_github

        publish_on_github(content, os.environ.get("GITHUB_STEP_SUMMARY"), partial(click.echo, err=True, nl=False))
