"""Which files reports go to. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import click
import receval
from receval.config.reporting import ENDINGS, form_of
from receval.output.disk import destination, is_plain

_OF_RESULTS: Final = ("latex", "latex-document")
"""Forms of files that a run writes without a report."""
_PAGES: Final = frozenset(ENDINGS.values()) - {"md", *_OF_RESULTS}
"""Forms of reports; the Markdown of -o is that of the values alone."""


def targets(outputs: Sequence[str], templated: bool) -> dict[Path, str]:
    """The files to write with their forms; with a template every file has the form `template`."""
    files: dict[Path, str] = {}
    for output in outputs:
        path = Path(output).expanduser()
        named = bool(output.strip()) and not output.endswith("/") and not os.path.isdir(path)
        if templated and named:
            files[path] = "template"
        elif named and path.suffix.lower() in ENDINGS:
            files[path] = form_of(path)
        else:
            raise click.UsageError(f"-o {output}: end a report in {', '.join(ENDINGS)}")
    return files


def configured(loaded: receval.Loaded) -> dict[Path, str]:
    """The reports that a config names, with their forms."""
    paths = (loaded.folder / Path(name).expanduser() for name in loaded.config.report.files)
    return {path: form_of(path) for path in paths}


def divided(files: Mapping[Path, str], wanted: Mapping[Path, str]) -> tuple[dict[Path, str], dict[Path, str]]:
    """The files of a run and the reports that its config wants: those that are made of the result alone, and reports, with their forms."""
    pages = {path: form for path, form in files.items() if form in _PAGES}
    pages |= {path: form for path, form in wanted.items() if form not in _OF_RESULTS}
    others = {path: form for path, form in (*files.items(), *wanted.items()) if path not in pages}
    return others, pages


def folders(files: Iterable[Path]) -> list[Path]:
    """The folders that are written to."""
    return [destination(path).parent for path in files if is_plain(path)]
