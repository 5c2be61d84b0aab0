"""The files of -o and output.dir.

Imported by a command that runs: it needs Polars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

import receval
from receval import output
from receval.output import result_folder
from receval.output.disk import Stage, destination
from receval.output.own_inputs import Target

_COMPARING = frozenset({"latex", "latex-document"})


def targets(loaded: receval.Loaded, files: Iterable[Path], folders: Iterable[Path]) -> Iterator[Target]:
    """The files and folders as targets, named as the command line and the config write them."""
    yield from (Target(f"-o {file}", file) for file in files)
    configured = loaded.config.output.dir
    for folder in folders:
        is_configured = configured is not None and folder == loaded.folder / configured
        yield Target(f"output.dir: {configured}" if is_configured else f"-o {folder}/", folder, output.is_output_file)


def renderer_of(loaded: receval.Loaded, form: str, per_user: bool) -> Callable[[receval.Result], bytes]:
    """Return what makes the bytes of a format: of results, or with `per_user` of the values of users where a format has them."""
    if per_user and form in output.PER_USER:
        return output.PER_USER[form]
    if form in _COMPARING:
        return partial(_as_latex, loaded, form == "latex-document" or loaded.config.report.latex.document)
    renderer = output.renderer(form)
    assert renderer is not None, "formats were checked to be known"
    return renderer


def _as_latex(loaded: receval.Loaded, is_document: bool, result: receval.Result) -> bytes:
    from receval.evaluation.reporting import as_latex  # only here: most results are not compared

    return as_latex(result, loaded.config, is_document=is_document)


def compares(files: Mapping[Path, str], form: str | None) -> bool:
    """Whether any format that is asked for compares the models, which takes the values of users."""
    return not _COMPARING.isdisjoint((*files.values(), form))


def describes(loaded: receval.Loaded, files: Mapping[Path, str]) -> bool:
    """Whether any file is a document that says what the data hold."""
    forms = set(files.values())
    return "latex-document" in forms or ("latex" in forms and loaded.config.report.latex.document)


def save(
    loaded: receval.Loaded,
    result: receval.Result,
    formats: Iterable[str],
    files: Mapping[Path, str],
    folders: Iterable[Path],
    stage: Stage,
    per_user: bool,
    reports: Mapping[Path, bytes | Path],
) -> None:
    """Write the result to files in their formats and into folders, all or nothing; a link stays, and what it leads to is written.

    Folders have the values of users in each of `formats`; with `per_user` files have them in the place of the result. Of an earlier run's
    files in the folders nothing stays that this run does not write. `reports` are files that were made already.
    """
    content: dict[Path, bytes | Path] = {destination(path): renderer_of(loaded, form, per_user)(result) for path, form in files.items()}
    content |= reports
    stale: list[Path] = []
    for folder in folders:
        written = result_folder.contents(result, formats)
        content |= {folder / name: body for name, body in written.items()}
        stale += result_folder.stale(folder, written)
    stage.commit(content, gone=stale)
