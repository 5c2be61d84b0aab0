"""The ledger of looks in the folder of a baseline: which runs were compared with it."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ..support.errors import DataError
from .overwriting import Target
from .places import origin_of
from .stage import Stage, alone

LOOKS: Final = "looks.json"
FORMAT_VERSION: Final = 1


def has_ledger(folder: Path) -> bool:
    """Return whether a folder of results on this machine has a ledger; one in a store never has."""
    return origin_of(folder) == folder and os.path.lexists(folder / LOOKS)


def open_ledger(folder: Path) -> None:
    """Write an empty ledger into a folder of results, unless it has one."""
    if not has_ledger(folder):
        _write(folder, {})


def add_looks(folder: Path, baseline: str, runs: Sequence[str]) -> int:
    """Add runs that were compared with a baseline to the ledger in its folder, all by their `run_id`; return the place of the last one.

    A run that is in the ledger is not added again, so the same comparison is the same look. Another baseline in the folder has a count of
    its own. Several processes may do this at once.

    Raises `OutputError` if it cannot be written, `DataError` if it is not a ledger.
    """
    if os.path.islink(folder / LOOKS) or not os.path.isfile(folder / LOOKS):
        raise _damaged(folder)
    try:
        with alone(folder / LOOKS):
            looks = _read(folder)
            seen = looks.setdefault(baseline, [])
            new = [run for run in dict.fromkeys(runs) if run not in seen]
            if new:
                seen += new
                _write(folder, looks)
            return max((seen.index(run) + 1 for run in runs), default=0)
    except OSError as error:  # it cannot be opened to lock it
        raise DataError(f"{folder / LOOKS}: cannot be read: {error.strerror}") from None


def _read(folder: Path) -> dict[str, list[str]]:
    try:
        with open(folder / LOOKS, encoding="utf-8") as file:
            content: Any = json.load(file)
        if content["format_version"] != FORMAT_VERSION:
            raise _damaged(folder)
        return {str(baseline): [str(run) for run in runs] for baseline, runs in content["looks"].items()}
    except OSError as error:
        raise DataError(f"{folder / LOOKS}: cannot be read: {error.strerror}") from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise _damaged(folder) from None


def _damaged(folder: Path) -> DataError:
    hint = "move it elsewhere, and open a new one: receval baseline set --looks"
    return DataError(f"{folder / LOOKS}: this is not a ledger of looks that this version can read", hint)


def _write(folder: Path, looks: dict[str, list[str]]) -> None:
    content = json.dumps({"format_version": FORMAT_VERSION, "looks": looks}, indent=1) + "\n"
    path = folder / LOOKS
    with Stage([Target(str(path), path)], ()) as stage:
        stage.commit({path: content.encode()})
