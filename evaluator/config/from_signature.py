"""Signatures of measures → the section `evaluation` of a config that computes them again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from .. import conventions, metrics
from ..conventions import AXES, PROTOCOL, Convention
from ..conventions.axis import Relevance
from ..metrics import Load
from ..results.row import listed, shortened
from ..results.signature import LEVEL, OF_PROTOCOL, PROGRAM, THRESHOLD, WEIGHTS, Signature, acts_as, meant, read_signature
from ..support.lazy import metadata
from ..syntax import formula
from ..syntax.formula import Formula, is_formula
from ..syntax.measure_strings import MetricSpec, Scalar, parse
from .odd_data import POLICIES

KEPT: Final = ("by", "yardsticks", "value_columns", "candidates")
"""The keys of a section that a signature does not replace: they change no value."""
_RELEVANCE: Final = ("relevance_rule", "threshold", "grades")
_OF_PARTS: Final = ("lists", "truth")
"""The parts of the protocol that measures in another one have, too."""


class Rebuilt(Struct, frozen=True):
    """A section `evaluation`, and sentences on the differences between the signatures and this version or its convention."""

    evaluation: Mapping[str, Any]
    notes: tuple[str, ...] = ()


class Shared(Struct, frozen=True):
    """The settings that the section gives to all of its measures."""

    threshold: float | None = None
    graded: bool = False
    policy: Mapping[str, str] = {}
    weights: str = ""
    aggregates: tuple[str, ...] = ()


def evaluation_of(lines: Iterable[str], before: Mapping[str, Any], load: Load = conventions.load) -> Rebuilt:
    """Return the section that computes the measures of signatures, under the convention of the section that was there `before`.

    Raises `ValueError` for a line that is no signature, or that this version cannot compute.
    """
    given = [read_signature(line) for line in dict.fromkeys(line.strip() for text in lines for line in text.splitlines()) if line]
    if not given:
        raise ValueError(f"give a signature: {PROGRAM}:VERSION|MEASURE|SETTING=VALUE|…")
    for signature in given:
        _refuse_unknown(signature)
    specs = [_in_full(signature) for signature in given]
    leaves = [leaf for spec in specs for leaf in (spec.measures if isinstance(spec, Formula) else (spec,))]
    named = before.get("convention") or next(_with_all_settings(leaves), conventions.DEFAULT)
    base = load(str(named))
    shared = _shared(leaves, base)
    written = [_written(signature, spec, base, shared, load) for signature, spec in zip(given, specs, strict=True)]
    section: dict[str, Any] = {"convention": str(named), "metrics": list(dict.fromkeys(written))}
    if shared.threshold is not None or shared.graded:
        threshold = {} if shared.threshold is None else {"threshold": shared.threshold}
        section["relevance"] = threshold | ({"graded": True} if shared.graded else {})
    section |= {"policy": dict(shared.policy)} if shared.policy else {}
    section |= {"weights": {"users": shared.weights}} if shared.weights else {}
    section |= {"aggregates": list(shared.aggregates)} if shared.aggregates else {}
    kept = {key: before[key] for key in KEPT if key in before}
    return Rebuilt({**section, **kept}, tuple(_notes(given, leaves, base, is_own="convention" in before)))


def _refuse_unknown(one: Signature) -> None:
    """Raise `ValueError` for a signature whose measure cannot be read, or has an unknown metric."""
    try:
        spec = _in_full(one)
        for leaf in _every(spec.measures if isinstance(spec, Formula) else (spec,)):
            metrics.find(leaf.name)
    except ValueError as error:
        raise ValueError(f"the signature of {one.measure}: {error}{_other_version(one.version, '; it is of')}") from None


def _in_full(one: Signature) -> MetricSpec | Formula:
    """Return the measure of a signature with every setting as a parameter; raise `ValueError` if it cannot be read."""
    pairs = ",".join(f"{name}={value}" for name, value in one.settings.items() if value)
    settings = dict(parse(f"M({pairs})").params)
    if is_formula(one.measure):
        return formula.read(one.measure).with_measures(lambda spec: _with(spec, settings))
    return _with(parse(one.measure), settings)


def _with(spec: MetricSpec, settings: Mapping[str, Scalar]) -> MetricSpec:
    """Return a measure with more settings, which the measures that it combines get if they have no others."""
    own = {**settings, **dict(spec.params)}
    passed = {name: value for name, value in own.items() if name == THRESHOLD or (name in PROTOCOL and AXES[name].part in _OF_PARTS)}
    return replace(spec, params=tuple(own.items()), components=tuple(_with(part, passed) for part in spec.components))


def _every(specs: Iterable[MetricSpec]) -> Iterator[MetricSpec]:
    """Yield measures, and those that they combine."""
    for spec in specs:
        yield spec
        yield from _every(spec.components)


def _shared(leaves: Sequence[MetricSpec], base: Convention) -> Shared:
    """Return the settings that all measures share, or that only a config has."""
    every = [dict(spec.params) for spec in _every(leaves)]
    params = [dict(spec.params) for spec in leaves]
    levels = {float(settings[LEVEL]) for settings in every if LEVEL in settings}
    thresholds = {float(settings[THRESHOLD]) for settings in every if THRESHOLD in settings}
    needed = levels | {float(str(dict(spec.params)[THRESHOLD])) for spec in _every(leaves) if _is_of_config(spec)}
    if len(needed) > 1:
        raise ValueError(f"the signatures need different thresholds of the config, {listed(sorted(map(str, needed)))}: run them one by one")
    rules = (spec for spec in _every(leaves) if "relevance_rule" in dict(spec.params))
    follow = all(base.axes_of(metrics.find(spec.name).name)["threshold"] == "ignored" for spec in rules)
    agreed = thresholds if len(thresholds) == 1 and follow else set()
    averages = [str(parameter["average"]) for parameter in params if "average" in parameter]
    named = any(average not in AXES["average"].values for average in averages)
    policy: dict[str, str] = {}
    for axis in POLICIES:
        values = {(spec.name, str(dict(spec.params)[axis])) for spec in leaves if axis in dict(spec.params)}
        chosen = {value for _, value in values}
        if len(chosen) == 1 and any(base.axes_of(metrics.find(name).name)[axis] != value for name, value in values):
            policy[axis] = chosen.pop()
    return Shared(
        next(iter(needed or agreed), None),
        any(settings.get("grades") == "ratings" for settings in every),
        policy,
        next((str(parameter[WEIGHTS]) for parameter in params if WEIGHTS in parameter), ""),
        tuple(dict.fromkeys("mean" if average == "weighted" else average for average in averages)) if named else (),
    )


def _is_of_config(spec: MetricSpec) -> bool:
    """Return whether only a config can give the threshold of relevance of a measure: it has another parameter of this name."""
    return THRESHOLD in dict(spec.params) and "threshold" in metrics.find(spec.name).numbers


def _written(one: Signature, spec: MetricSpec | Formula, base: Convention, shared: Shared, load: Load) -> str:
    """Return the measure of a signature as a config has it, with the settings that differ from the convention and the shared ones."""

    def printed(leaf: MetricSpec) -> MetricSpec:
        relevance = Relevance(shared.threshold, shared.graded)
        resolved = metrics.resolve(_for_config(leaf, base, shared), base, load, relevance, shared.policy, {}, shared.weights)
        return resolved.printed_spec

    try:
        return str(spec.with_measures(printed)) if isinstance(spec, Formula) else str(printed(spec))
    except ValueError as error:
        raise ValueError(f"the signature of {one.measure}: {error}{_other_version(one.version, '; it is of')}") from None


def _for_config(spec: MetricSpec, base: Convention, shared: Shared) -> MetricSpec:
    """Return a measure without the parameters that the section has, or that say the same under the convention."""
    entry = metrics.find(spec.name)
    usual, params = base.axes_of(entry.name), dict(spec.params)
    for name in (WEIGHTS, LEVEL, THRESHOLD, "relevance_rule"):
        params.pop(name, None)
    for name in [name for name in params if name.startswith(OF_PROTOCOL)]:
        axis, value = name.removeprefix(OF_PROTOCOL), params.pop(name)
        if usual[axis] != value:
            raise ValueError(f"only a convention can set {axis} to {value} for {entry.name}: give --convention NAME")
    params |= _relevance(spec, usual, shared)
    grades, is_graded = params.pop("grades", None), {"configured": shared.graded, "ratings": True, "ones": False}[str(usual["grades"])]
    if grades is not None and (grades == "ratings") != is_graded:
        params["grades"] = grades
        is_graded = grades == "ratings"
    for name, value in [*params.items()]:
        axis = entry.axes.get(name, name)
        if axis in AXES and axis not in _RELEVANCE and acts_as(value, meant(entry, axis, usual), axis, is_graded):
            del params[name]
    if shared.aggregates or params.get("average") == "weighted":
        params.pop("average", None)
    parts = tuple(_for_config(part, base, shared) for part in spec.components)
    return replace(spec, params=tuple(params.items()), components=parts)


def _relevance(spec: MetricSpec, usual: Mapping[str, Scalar], shared: Shared) -> dict[str, Scalar]:
    """Return the parameters of a measure on what is relevant, where the section says something else."""
    params = dict(spec.params)
    threshold, rule, applies = params.get(THRESHOLD), params.get("relevance_rule"), usual["threshold"] == "applies"
    if LEVEL in params:
        return {"threshold": "ignored"}
    if threshold is not None:
        return {} if _is_of_config(spec) or (threshold == shared.threshold and applies) else {"threshold": threshold}
    if rule is None or (rule == usual["relevance_rule"] and (shared.threshold is None or not applies)):
        return {}
    if "threshold" in metrics.find(spec.name).numbers:
        raise ValueError("it has no relevance.threshold, which others have: run them one by one")
    return {"threshold": "ignored"} if rule == usual["relevance_rule"] else {"relevance_rule": rule}


# What is said


def _notes(given: Sequence[Signature], leaves: Sequence[MetricSpec], base: Convention, *, is_own: bool) -> Iterator[str]:
    """Yield sentences on another version, on settings that differ from the convention, and on a convention that has them."""
    for found in dict.fromkeys(signature.version for signature in given):
        if said := _other_version(found, "The signature is of"):
            yield f"{said}: definitions may have changed between them."
    changed = dict.fromkeys(f"{name}={value}" for spec in leaves for name, value in _changed(spec, base))
    if changed:
        of = [*_with_all_settings(leaves)]
        are = f" They are those of the convention{'' if len(of) == 1 else 's'} {shortened(of)}." if of else ""
        n = len(changed)
        yield f"The signature differs from the convention {base.name} in {n} setting{'' if n == 1 else 's'}: {shortened(changed)}.{are}"
    elif base.name != conventions.DEFAULT and not is_own:
        yield f"The settings are those of the convention {base.name}, which is used."


def _with_all_settings(leaves: Sequence[MetricSpec]) -> Iterator[str]:
    """Yield the built-in conventions that have all settings of measures, the default one first."""
    for name in sorted(conventions.builtin_names(), key=lambda name: name != conventions.DEFAULT):
        if not any(_changed(spec, conventions.load(name)) for spec in leaves):
            yield name


def _other_version(found: str, words: str) -> str:
    """Return the two versions if the signature is of another one; else an empty text."""
    return f"{words} {PROGRAM} {found}, this is {PROGRAM} {metadata.version(PROGRAM)}" if found != metadata.version(PROGRAM) else ""


def _changed(spec: MetricSpec, convention: Convention) -> list[tuple[str, Scalar]]:
    """Return the settings of a measure that a convention has otherwise; all of them if its library lacks the metric."""
    entry = metrics.find(spec.name)
    usual, lacks = convention.axes_of(entry.name), bool(convention.library) and entry.name not in convention.metrics
    is_graded, found = dict(spec.params).get("grades") == "ratings", []
    for name, value in spec.params:
        axis = entry.axes.get(name, name)
        if axis in AXES and axis not in _RELEVANCE:
            found += [] if acts_as(value, meant(entry, axis, usual), axis, is_graded) and not lacks else [(name, value)]
    return found + [pair for part in spec.components for pair in _changed(part, convention)]
