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
        yield Target(f"output.dir: {configured}" if is_configured else f"-o {folder}/", folder, output.FOLDER_FILES.__contains__)


def save(result: receval.Result, loaded: receval.Loaded, files: Mapping[Path, str], folders: Iterable[Path], stage: Stage) -> None:
    """Write the result to files in their formats and into folders, all or nothing; a link stays, and what it leads to is written.

    Of an earlier run's files in the folders nothing stays that this run does not write.
    """
    content = {destination(path): output.FORMATS[form](result) for path, form in files.items()}
    stale: list[Path] = []
    for folder in folders:
        written = {name: renderer(result) for name, renderer in output.FILES.items()}
        if loaded.config.output.per_user:
            written[output.PER_USER] = output.per_user(result)
        written[output.MANIFEST] = output.as_manifest(result, written)
        content |= {folder / name: body for name, body in written.items()}
        stale += [
            folder / name for name in output.FOLDER_FILES - written.keys() if name in output.outputs_of_manifest(folder / output.MANIFEST)
        ]
    stage.commit(content, gone=stale)
