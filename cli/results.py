"""The files of -o and output.dir.

Imported by a command that runs: it needs Polars.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import receval
from receval import output
from receval.output.disk import Stage, destination
from receval.output.own_inputs import Target


def targets(loaded: receval.Loaded, files: Iterable[Path], folders: Iterable[Path]) -> Iterator[Target]:
    """The files and folders as targets, named as the command line and the config write them."""
    yield from (Target(f"-o {file}", file) for file in files)
    configured = loaded.config.output.dir
    for folder in folders:
        is_configured = configured is not None and folder == loaded.folder / configured
        yield Target(f"output.dir: {configured}" if is_configured else f"-o {folder}/", folder, output.is_output_file)


def save(
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
    renderers = output.PER_USER if per_user else output.FORMATS
    content: dict[Path, bytes | Path] = {destination(path): renderers[form](result) for path, form in files.items()}
    content |= reports
    stale: list[Path] = []
    for folder in folders:
        written: dict[str, bytes | Path] = {name: renderer(result) for name, renderer in output.FILES.items()}
        written |= {f"per_user.{form}": output.PER_USER[form](result) for form in formats}
        written |= output.enriched_files(result)
        written[output.MANIFEST] = output.as_manifest(result, written)
        content |= {folder / name: body for name, body in written.items()}
        before = output.outputs_of_manifest(folder / output.MANIFEST)
        stale += [folder / name for name in sorted(before - written.keys()) if output.is_output_file(name)]
    stage.commit(content, gone=stale)
