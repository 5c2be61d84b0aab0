"""Judge the gates of a config, find and open their baselines, and set a baseline."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from ..config import Loaded, gates_of
from ..config import measures_of_rules as measures_of_rules
from ..config.judgement import Compare, GateBaseline, Gates
from ..config.masking import masked_path
from ..gates.demands import OF_EARLIER_VERSION, USUAL_BASELINE, Baseline, Bases, Demands, how_to_set, side_of
from ..gates.judging import judge
from ..results.chosen_models import with_chosen_models
from ..results.gates import Verdicts
from ..results.result import Result
from ..results.row import shortened
from ..storage.own_inputs import inputs_of_result
from ..storage.places import NO_OPTIONS, Storage, place_of
from ..storage.result_folder import copy_results
from ..storage.result_folder import load as load
from ..support.errors import ArgumentError, ConfigError, DataError, OutputError
from ..syntax.short_names import is_in_store, one_address
from ..tables.prepared import GroupBy
from .targets import PathLike


class BaselineSet(Struct, frozen=True):
    """The folder of a baseline, the reasons why it was not updated, and, if only some models were chosen, a sentence on them."""

    target: str
    reasons: tuple[str, ...] = ()
    chosen: str = ""


def set_baseline(
    folder: str, target: str | None = None, *, models: Sequence[str] = (), force: bool = False, looks: bool = False
) -> BaselineSet:
    """Copy a folder of results, or only some `models` of it, to the folder of the baseline, if there is no reason not to, or by `force`.

    The default of `target` is the baseline that the config of the results names. Reasons are failed gates and checks, and results that
    would replace a baseline of other models. With `looks` the folder gets a ledger of looks.
    """
    source = place_of(folder)
    whole = load(source)
    result = with_bases(folder, whole, models)
    given = gates_of(result.config, {})[0].baseline
    named = given is not None and given.path not in result.models
    own = given.path.rpartition("=")[2] if given is not None and named else USUAL_BASELINE
    target = own if target is None else target
    place = Path(target).expanduser()
    chosen = given is not None and given.model is not None and os.path.realpath(Path(own).expanduser()) == os.path.realpath(place)
    if is_in_store(target) and is_in_store(folder) and one_address(target) == one_address(folder):
        raise OutputError(f"{masked_path(target)} is the folder itself", "choose another place with --to")
    if looks and is_in_store(target):
        raise ArgumentError("a baseline in a store has no ledger of looks", option="--looks: a baseline in a store has no ledger of looks")
    verdicts = Verdicts(result.gates)
    problems = {
        verdicts.summary(): verdicts.failed(),
        "its config has gates that were not judged": result.config.get("gates", {}).get("rules") and not result.gates,
        "a health check of level error failed": result.failed(),
        (replaced := "" if chosen else _other_models_sentence(result, target)): replaced,
    }
    reasons = () if force else tuple(reason for reason, holds in problems.items() if holds)
    if not reasons:
        only = None if result is whole else lambda read: with_bases(folder, read, models)
        copy_results(source, place, inputs_of_result(whole), force=force, only=only)
        if looks:
            from ..storage.looks import open_ledger  # only here: runs with gates import this file, too

            open_ledger(place)
    return BaselineSet(target, reasons, "" if result is whole else result.remarks[0])


def with_bases(label: str, result: Result, models: Sequence[str], options: Mapping[str, Any] = MappingProxyType({})) -> Result:
    """Return a result with the chosen models, and those that they are compared with; `options` replace keys of its gates."""
    if not models:
        return result
    gates, compare = gates_of(result.config, options)
    named = (*gates.bases, compare.baseline, *(rule.against for rule in gates.rules))
    return with_chosen_models({label: result}, models, [base for base in named if base in result.models])[label]


def _other_models_sentence(result: Result, target: str) -> str:
    """Return a sentence if results have no model of the baseline that they would replace; else an empty text."""
    try:
        models = load(target).models
    except DataError:  # there is no baseline, or a damaged one
        return ""
    if not models or {*models} & {*result.models}:
        return ""
    return f"{target} has other models ({shortened(models)}, not {shortened(result.models)})"


def gate_options(
    rules: Sequence[Any] = (),
    baseline: PathLike | None = None,
    baseline_model: str | None = None,
    anchor: PathLike | None = None,
    if_missing: str | None = None,
    **others: Any,
) -> dict[str, Any]:
    """Return the arguments of a call on gates as keys of the section `gates`, without those that are not given."""
    given = {name: value for name, value in {"rules": list(rules), **others}.items() if value not in (None, (), [])}
    policy = {"if_missing": if_missing} if if_missing else {}
    if baseline is not None:
        given["baseline"] = {"path": os.fspath(baseline)} | ({"model": baseline_model} if baseline_model else {}) | policy
    if anchor is not None:
        given["anchor"] = {"path": os.fspath(anchor)} | policy
    return given


def judge_of_config(loaded: Loaded, *, strict: bool = False) -> Callable[[Result], Result]:
    """Find the baselines of a config before any work; return a function that adds the judged gates to a result.

    With `strict` gates that would only warn fail.
    """
    gates, named = loaded.config.gates, loaded.config.data.named_models
    bases = bases_of(gates, loaded.folder, named, loaded.config.output.storage)
    return lambda result: with_gates(result, gates, loaded.config.compare, bases, strict=strict)


def bases_of(gates: Gates, folder: Path, models: Collection[str] | None = None, storage: Storage = NO_OPTIONS) -> Bases:
    """Find the baseline and anchors of gates, and read those that are folders, relative to `folder`; nothing if no rule compares.

    `models` are those that the config names, if it does; `storage` are options to reach a store. Raises `DataError` if a folder is damaged,
    or missing with `if_missing: error`.
    """
    comparing = [rule for rule in gates.rules if rule.compares and rule.against is None]
    anchors: dict[str, Baseline] = {}
    for rule in comparing:
        given = GateBaseline(path=rule.anchor) if rule.anchor else None if rule.anchor is False else gates.anchor
        if given is not None and (rule.anchor or "") not in anchors:
            anchors[rule.anchor or ""] = replace(_find_base(given, folder, models, "anchor", storage), is_anchor=True)
    base = _find_base(gates.baseline, folder, models, "baseline", storage) if gates.baseline is not None and comparing else None
    return Bases(base, anchors)


def with_gates(result: Result, gates: Gates, compare: Compare, bases: Bases, *, strict: bool = False) -> Result:
    """Return the result with its judged gates; see `judge` for its errors."""
    if not gates.rules:
        return result
    stored = result.config.get("gates", {})
    notes = (OF_EARLIER_VERSION,) if gates.fail == "shown_beyond" and stored.get("rules") and "fail" not in stored else ()
    return replace(result, gates=judge(result, Demands.from_config(gates, compare, bases, strict=strict, notes=notes)).gates)


def features_of_rules(loaded: Loaded) -> tuple[GroupBy, ...]:
    """Return the groupings of users that rules on slices search: those that they name, and all if one names none; see `features_of`."""
    gates = loaded.config.gates
    rules = [rule for rule in gates.rules if rule.slices is not None]
    if not rules:
        return ()
    named = tuple(gates.searched())
    if all(rule.by for rule in rules):
        return named
    from ..evaluation.features import features_of  # only here: few rules search all slices

    every = features_of(loaded)
    return tuple(dict.fromkeys((*every, *named)))


def _find_base(given: GateBaseline, folder: Path, models: Collection[str] | None, noun: str, storage: Storage) -> Baseline:
    """Return a baseline or an anchor, read if it is a folder."""
    label, equals, path = given.path.rpartition("=")
    place = place_of(path, folder, storage)
    is_model = not equals and given.path in (models or ())
    if not is_model and os.path.isdir(place):
        result = load(place)
        base = Baseline(label or place.resolve().name, result, given.model, if_missing=given.if_missing, is_anchor=noun == "anchor")
        if given.model is not None:
            side_of(base, given.model, result)  # raises an error if the baseline does not have the model
        return base
    if is_model or (models is None and not equals and "/" not in path):
        if given.model is not None:
            raise ConfigError(f"gates.{noun}.model is for result folders, but {path} is a model of this run", "remove the key model")
        return Baseline(given.path, if_missing=given.if_missing)  # a model whose name is known only after the run
    if os.path.lexists(place) and not os.path.islink(place):
        raise DataError(f"the {noun} {path} is a file, not a result folder", "create a result folder with receval run -o DIR/")
    reason = f"there is no {noun} {path}"
    if given.if_missing == "error":
        raise DataError(f"there is no {noun} {place}", how_to_set(place, f"gates.{noun}"))
    return Baseline(label or Path(path).name, missing=reason, if_missing=given.if_missing)
