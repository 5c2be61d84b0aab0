"""The files of a run, as the manifest of its results lists them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from .. import load
from ..results.result import Input, InputFile
from ..support.secrets import mask_values
from ..syntax.short_names import is_address
from .inputs import Inputs


def describe(
    inputs: Inputs, n_rows: Mapping[str, int], fingerprints: load.Fingerprints, folder: Path, variables: Mapping[str, str]
) -> tuple[Input, ...]:
    """Return the inputs of the manifest: for each source its paths as the config writes them, sizes, hashes and number of rows."""

    def described(file: load.SourceFile, source: load.Source) -> InputFile:
        digest, size = fingerprints.hash_and_size(file.path)
        return InputFile(mask_values(configured_path(file, source, folder), variables), size, digest)

    return tuple(
        Input(
            source.role,
            n_rows[source.role],
            tuple(described(file, source) for file in source.originals),
            mask_values(source.reading, variables),
            **source.converted,
        )
        for source in inputs.all()
        if source is not inputs.test or not source.may_be_empty  # a config without a test set
    )


def configured_path(file: load.SourceFile, source: load.Source, folder: Path) -> str:
    """Return the path of a file as the config writes it, which does not depend on where the `folder` of the config is."""
    if file.is_piped:
        return source.given[0]
    is_elsewhere = not isinstance(file.path, Path) or is_address(file.name)
    if is_elsewhere or any(os.path.isabs(os.path.expanduser(configured)) for configured in source.given):
        return file.name
    return os.path.relpath(file.name, folder)
