"""The base of a comparison, decided here for every command, page and table, so that all of them use the same model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from msgspec import Struct

from ..config.judgement import Compare, Gates
from ..config.run_sections import ReportConfig
from ..results.result import Result
from ..support.errors import ConfigError
from ..support.synonyms import did_you_mean

Section = TypeVar("Section", Compare, Gates, ReportConfig)


class Base(Struct, frozen=True):
    """The name of a model, or of one of several results; `is_default` if it is the first because nothing names another one."""

    name: str
    is_default: bool = False


def base_of(results: Mapping[str, Result], baseline: str | None = None) -> Base:
    """Decide which model of one result, or which of several results, the others are compared with.

    It is `baseline` if given; else `compare.baseline` of the config; else `gates.baseline`; else the one model that all margins of the
    gates compare with; else the first. Of several results, `compare.baseline` and `gates.baseline` name a folder, by its label or its
    last part.

    Raises `ConfigError` if `baseline` is given and nothing has this name.
    """
    if len(results) == 1:
        (result,) = results.values()
        if baseline is not None:
            return Base(known_name(baseline, result.models, "model"))
        named = _model_of_config(result)
        return Base(named) if named is not None else Base((own_models(result) or result.models)[0], is_default=True)
    if baseline is not None:
        return Base(known_name(baseline, tuple(results), "result"))
    labels = {label for result in results.values() for label in _label_of_config(result, results)}
    return Base(labels.pop()) if len(labels) == 1 else Base(next(iter(results)), is_default=True)


def own_models(result: Result) -> list[str]:
    """Return the models of a result without its reference lists."""
    return [model for model in result.models if model not in result.yardsticks]


def gates_folder(result: Result) -> str | None:
    """Return the folder that `gates.baseline` of the config names, as it is written there; `None` if it is a model or not set."""
    given = section_of(result, "gates", Gates).baseline
    return None if given is None or given.path in result.models else given.path


def _model_of_config(result: Result) -> str | None:
    """Return the model that the config of a result, or the base of its judged gates, names; `None` if there is none."""
    own = section_of(result, "compare", Compare).baseline
    if own in result.models:
        return own
    gates, models = section_of(result, "gates", Gates), own_models(result)
    baseline = None if gates.baseline is None or gates.baseline.path not in result.models else gates.baseline.path
    judged: set[str | None] = {gate.base for gate in result.gates if gate.base}
    used = judged or {rule.against or baseline for rule in gates.rules if rule.compares}
    if baseline is not None and (baseline in used or not used):
        return baseline
    only = next(iter(used)) if len(used) == 1 else None
    return only if only in models and len(models) > 1 else None


def _label_of_config(result: Result, labels: Mapping[str, Result]) -> list[str]:
    """Return the name among `labels` that the config of one of several results names as baseline, in a list; empty if none."""
    compare, gates = section_of(result, "compare", Compare), section_of(result, "gates", Gates)
    for path in (compare.baseline, None if gates.baseline is None else gates.baseline.path):
        label, _, folder = (path or "").rpartition("=")
        name = label or folder.rstrip("/").rpartition("/")[2]
        if name in labels:
            return [name]
    return []


def section_of(result: Result, name: str, kind: type[Section]) -> Section:
    """Return a section of the config that a result was made from; the defaults if this version cannot read it."""
    try:
        return kind.model_validate(result.config.get(name) or {})
    except ValueError:
        return kind()


def known_name(name: str, known: Sequence[str], kind: str) -> str:
    """Return `name` if it is known; raise `ConfigError` otherwise."""
    if name in known:
        return name
    hint = did_you_mean(name, known, f"there {'is' if len(known) == 1 else 'are'} {', '.join(known)}")
    raise ConfigError(f"the baseline is {name}, but no {kind} has this name", hint)
