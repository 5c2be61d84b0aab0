"""What commands tell the machine that they run on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import click
from receval.outputs import OutputForm, of_form

_GITLAB_FILES: Final = {"gl-code-quality-report.json": "code-quality", "receval-junit.xml": "junit"}
"""What a job of GitLab names under `artifacts: reports`, and its forms."""


def system(asked: str) -> str:
    """`github`, `gitlab` or `none`. GitHub is known by its variable; GitLab has to be asked for, since its job names the files."""
    if asked == "auto":
        return "github" if os.environ.get("GITHUB_ACTIONS") == "true" else "none"
    return asked


def files(system: str) -> dict[Path, OutputForm]:
    """The files that are written for a system, with their forms."""
    if system != "gitlab":
        return {}
    return {Path(name): row for name, form in _GITLAB_FILES.items() if (row := of_form(form, "report")) is not None}


def publish(content: Any, system: str) -> None:
    """On GitHub, add the report to the summary of the step, and say on standard error what failed, where GitHub looks for it."""
    if system == "github":
        from receval.session.report import add_summary, github_annotations

        click.echo(github_annotations(content), err=True, nl=False)
        file = os.environ.get("GITHUB_STEP_SUMMARY")
        if file:
            add_summary(content, file)
