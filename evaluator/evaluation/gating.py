"""A config's gates, or those of a stored result: the baseline is found, and the result judged."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from ..config import Loaded, gates_of
from ..config.comparing import Compare
from ..config.gating import GateBaseline, Gates
from ..errors import ConfigError, DataError
from ..gates.bases import SET_ONE
from ..gates.demands import Baseline, Bases, Demands
from ..gates.judging import judge
from ..output.reading_back import load
from ..results.result import Result


def bases_of(gates: Gates, folder: Path, models: Collection[str] | None = None) -> Bases:
    """Find what a config's models are compared with, and read it if it is a folder, seen from `folder`; nothing if no rule compares.

    `models` are those that the config names, if it does. `DataError` if a folder is damaged, or is not there and this is an error.
    """
    comparing = [rule for rule in gates.rules if rule.compares and rule.against is None]
    anchors: dict[str, Baseline] = {}
    for rule in comparing:
        given = GateBaseline(path=rule.anchor) if rule.anchor else None if rule.anchor is False else gates.anchor
        if given is not None and (rule.anchor or "") not in anchors:
            anchors[rule.anchor or ""] = replace(_found(given, folder, models, is_anchor=True), is_anchor=True)
    return Bases(_found(gates.baseline, folder, models) if gates.baseline is not None and comparing else None, anchors)


def bases_of_config(loaded: Loaded) -> Bases:
    """What the models of a config are compared with: looked for before any work, so that what is missing is found now."""
    named = loaded.config.data.named_models
    return bases_of(loaded.config.gates, loaded.folder, None if named is None else tuple(named))


def base_folders(loaded: Loaded) -> Iterator[Path]:
    """The folders of the baseline and the anchors of a config, whether they are there or not."""
    gates, named = loaded.config.gates, loaded.config.data.named_models
    paths = [given.path for given in (gates.baseline, gates.anchor) if given is not None]
    for path in (*paths, *(rule.anchor for rule in gates.rules if rule.anchor)):
        if not (named is not None and path in named):
            yield loaded.folder / Path(path.rpartition("=")[2]).expanduser()


def judged(loaded: Loaded, result: Result, bases: Bases) -> Result:
    """The result with the gates of its config; see `judge` for what is refused."""
    return with_gates(result, loaded.config.gates, loaded.config.compare, bases)


def judged_again(result: Result, options: Mapping[str, Any] = MappingProxyType({})) -> Result:
    """A stored result with gates: those of its config, changed by what `options` say; paths are seen from here."""
    gates, compare = gates_of(result.config, options)
    if not gates.rules:
        raise ConfigError("there is no rule to judge", "give one with --rule 'nDCG@10 max_loss 2%', or evaluate with gates in the config")
    return with_gates(result, gates, compare, bases_of(gates, Path(), result.models))


def with_gates(result: Result, gates: Gates, compare: Compare, bases: Bases) -> Result:
    """The result with its gates as they were judged."""
    return replace(result, gates=judge(result, Demands.of(gates, compare, bases)).gates) if gates.rules else result


def _found(given: GateBaseline, folder: Path, models: Collection[str] | None, *, is_anchor: bool = False) -> Baseline:
    """A baseline or an anchor, read if it is a folder."""
    label, equals, path = given.path.rpartition("=")
    place = folder / Path(path).expanduser()
    noun = "anchor" if is_anchor else "baseline"
    is_model = not equals and given.path in (models or ())
    if not is_model and os.path.isdir(place):
        return Baseline(label or place.resolve().name, load(place), given.model, if_missing=given.if_missing)
    if is_model or (models is None and not equals and "/" not in path):
        if given.model is not None:
            raise ConfigError(f"gates.{noun}.model is a model of a folder of results, but {path} is a model of this run", "leave model out")
        return Baseline(given.path, if_missing=given.if_missing)  # the name of a model that is known after the run
    if os.path.lexists(place) and not os.path.islink(place):
        raise DataError(f"the {noun} {path} is a file, not a folder of results", "make a folder with receval run -o DIR/")
    reason = f"there is no {noun} {path}"
    if given.if_missing == "error":
        raise DataError(reason, SET_ONE.format(key=f"gates.{noun}"))
    return Baseline(label or Path(path).name, missing=reason, if_missing=given.if_missing)
