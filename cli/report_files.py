"""Which files reports go to. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

import click
import receval
from receval.config.reporting import ENDINGS
from receval.output.disk import destination, is_plain

REPORT_ENDINGS: Final = {ending: form for ending, form in ENDINGS.items() if form != "md"}
"""The endings of files of a run that are reports; its Markdown is that of the values alone."""


def targets(outputs: Sequence[str], templated: bool) -> dict[Path, str]:
    """The files to write with their forms; with a template every file has the form `template`."""
    files: dict[Path, str] = {}
    for output in outputs:
        path = Path(output).expanduser()
        named = bool(output.strip()) and not output.endswith("/") and not path.is_dir()
        if templated and named:
            files[path] = "template"
        elif named and path.suffix.lower() in ENDINGS:
            files[path] = ENDINGS[path.suffix.lower()]
        else:
            raise click.UsageError(f"-o {output}: end a report in {', '.join(ENDINGS)}")
    return files


def taken_from(files: dict[Path, str]) -> dict[Path, str]:
    """Those of the files of a run that are reports, which are taken out of `files`."""
    return {path: files.pop(path) for path, form in list(files.items()) if form in REPORT_ENDINGS.values()}


def configured(loaded: receval.Loaded) -> dict[Path, str]:
    """The reports that a config names, with their forms."""
    paths = (loaded.folder / Path(name).expanduser() for name in loaded.config.report.files)
    return {path: ENDINGS[path.suffix.lower()] for path in paths}


def folders(files: Iterable[Path]) -> list[Path]:
    """The folders that are written to."""
    return [destination(path).parent for path in files if is_plain(path)]
