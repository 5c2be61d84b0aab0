"""A config's gates, or those of a stored result: the baseline is found, and the result judged."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from ..config import Loaded, gates_of
from ..config.comparing import Compare
from ..config.gating import GateBaseline, Gates
from ..errors import ConfigError, DataError
from ..gates.demands import Baseline, Demands
from ..gates.judging import judge
from ..output.reading_back import load
from ..results.result import Result


def baseline_of(gates: Gates, folder: Path, models: Collection[str] | None = None) -> Baseline | None:
    """Find what a config's models are compared with, and read it if it is a folder, seen from `folder`; `None` if nothing compares.

    `models` are those that the config names, if it does. `DataError` if the folder is damaged, or is not there and this is an error.
    """
    if gates.baseline is None or not any(rule.compares and rule.against is None for rule in gates.rules):
        return None
    given = gates.baseline
    label, equals, path = given.path.rpartition("=")
    place = folder / Path(path).expanduser()
    if not equals and given.path in (models or ()):
        return Baseline(given.path, if_missing=given.if_missing)
    if os.path.isdir(place):
        return Baseline(label or place.resolve().name, load(place), if_missing=given.if_missing)
    if models is None and not equals and "/" not in path:
        return Baseline(given.path, if_missing=given.if_missing)  # the name of a model that is known after the run
    return _missing(given, label or Path(path).name, path)


def baseline_of_config(loaded: Loaded) -> Baseline | None:
    """The baseline of a config: looked for before any work, so that one that is not there is found now."""
    named = loaded.config.data.recommendations
    return baseline_of(loaded.config.gates, loaded.folder, tuple(named) if isinstance(named, dict) else None)


def baseline_folder(loaded: Loaded) -> Path | None:
    """The folder of the baseline of a config, whether it is there or not; `None` if that is a model, or none is needed."""
    given, named = loaded.config.gates.baseline, loaded.config.data.recommendations
    if given is None or (isinstance(named, dict) and given.path in named):
        return None
    return loaded.folder / Path(given.path.rpartition("=")[2]).expanduser()


def judged(loaded: Loaded, result: Result, baseline: Baseline | None) -> Result:
    """The result with the gates of its config; see `judge` for what is refused."""
    return with_gates(result, loaded.config.gates, loaded.config.compare, baseline)


def judged_again(result: Result, options: Mapping[str, Any] = MappingProxyType({})) -> Result:
    """A stored result with gates: those of its config, changed by what `options` say; paths are seen from here."""
    gates, compare = gates_of(result.config, options)
    if not gates.rules:
        raise ConfigError("there is no rule to judge", "give one with --rule 'nDCG@10 max_loss 2%', or evaluate with gates in the config")
    return with_gates(result, gates, compare, baseline_of(gates, Path(), result.models))


def with_gates(result: Result, gates: Gates, compare: Compare, baseline: Baseline | None) -> Result:
    """The result with its gates as they were judged."""
    return replace(result, gates=judge(result, Demands.of(gates, compare, baseline)).gates) if gates.rules else result


def _missing(given: GateBaseline, name: str, path: str) -> Baseline:
    reason = f"there is no baseline {path}"
    if given.if_missing == "error":
        raise DataError(reason, "make one with receval baseline set DIR, or say what its absence means: gates.baseline.if_missing")
    return Baseline(name, missing=reason, if_missing=given.if_missing)
