"""Make the card of a folder of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..config.stored_sections import with_overrides
from ..results.result import Result
from ..storage.own_inputs import inputs_of_folders
from ..storage.result_folder import load
from ..storage.stage import Stage
from .compare import choose
from .targets import PathLike, targets_of

SECTIONS: Final = ("card", "report")
"""The sections of the config of a stored result that a card reads."""


class WrittenCard(Struct, frozen=True, eq=False):
    """The result of a card, and the files that were written."""

    result: Result
    files: tuple[Path, ...]


def card_of_folder(
    folder: PathLike, files: Sequence[PathLike] = (), overrides: Sequence[str] = (), models: Sequence[str] = ()
) -> WrittenCard:
    """Write the card of a folder of results into files, whose endings set their forms; `overrides` change what the author states.

    With `models`, names or patterns, the card has only these and those that they are compared with. Raises `DataError` if it is no folder
    of results, `ConfigError` for a wrong override or an unknown model.
    """
    targets = targets_of(files, "card", noun="card")
    with Stage(targets.written(), inputs_of_folders([str(folder)])) as stage:
        result = choose({"": load(Path(folder))}, models)[""]
        result = replace(result, config=with_overrides(result.config, overrides)) if overrides else result
        stage.commit(targets.rendered(result))
    return WrittenCard(result, tuple(targets.files))


def with_statements(result: Result, statements: Mapping[str, Any]) -> Result:
    """Return a result whose config states more fields; raise `ConfigError` for an unknown field or a wrong value."""
    if not statements:
        return result
    config = {**result.config, "card": {**(result.config.get("card") or {}), **statements}}
    return replace(result, config=with_overrides(config, ()))
