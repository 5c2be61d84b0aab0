"""JSON Schema of the JSON that receval writes, from the types of its records.

A key that is not always written has the default `UNSET`, or belongs to a class that leaves out defaults; all others are required.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Final, Literal, get_args, get_type_hints

from msgspec import UNSET, Meta, Struct, UnsetType, defstruct
from msgspec.inspect import Field, StructType, Type, type_info
from msgspec.json import schema_components
from msgspec.structs import asdict, fields

from ..checks import Finding
from ..results import comparison as comparisons
from ..results import gate_plan, series, slices
from ..results.catalogue_bounds import CatalogueBounds, OrderOfModels
from ..results.description import Description
from ..results.gates import Gate
from ..results.measure_definition import MeasureDefinition
from ..results.result import FORMAT_VERSION, Counts, Input, TruthFingerprint
from ..results.row import RECORD, Candidates, Ledger, Protocol, Row
from ..results.tables import LedgerRow, ValueRow
from ..stats.difference import FIELDS, Conclusion, Difference, Settings, Subject
from .result_data import GATES_VERSION


def _record(name: str, doc: str, types: Mapping[str, Any]) -> type[Struct]:
    """Return a class with these fields; a field whose type includes `UnsetType` may be missing."""
    own = [(key, kind, UNSET) if UnsetType in get_args(kind) else (key, kind) for key, kind in types.items()]
    return defstruct(name, own, namespace={"__doc__": doc}, kw_only=True)


def _version(number: int) -> Any:
    return Annotated[int, Meta(extra_json_schema={"const": number})]


def _value_class() -> type[Struct]:
    """Return the class of a value in `results.json`: a row with its ledger and its protocol, which some rows lack."""
    types = {**{name: kind | None for record in (Ledger, Protocol) for name, kind in get_type_hints(record).items()}, **get_type_hints(Row)}
    types |= {name: kind for name, kind in get_type_hints(ValueRow).items() if name not in types}
    types["few_users"] = bool | None
    return _record("Value", "One value, with the users that count for it and its settings.", {name: types[name] for name in RECORD})


def _difference_class() -> type[Struct]:
    types = get_type_hints(Subject) | get_type_hints(Difference)
    names = ("measure", "k", "aggregate", "by", "group", "base", "model", "higher_is_better", *FIELDS)
    return _record("Difference", "One measure of two models; see docs/compare.md.", {name: types[name] for name in names})


class Checks(Struct, frozen=True):
    """The health checks that ran, and the reason for each that did not."""

    examined: bool
    made: list[str]
    not_made: dict[str, str]


class OutputFile(Struct, frozen=True):
    """One file of a folder of results."""

    path: str
    bytes: int
    sha256: str


class Losers(Struct, frozen=True):
    """The users with the largest losses."""

    model: str
    measure: str
    users: list[dict[str, Any]]


class Condition(Struct, frozen=True):
    """A group of users that a slice consists of."""

    by: str
    group: str


_Finding = _record("Finding", "What a check found.", {
    **{name: kind for name, kind in get_type_hints(Finding).items() if name not in ("details", "cures")},
    "share": float, "details": dict[str, Any] | UnsetType, "cures": list[str] | UnsetType,
})  # fmt: skip
_Model = _record("Model", "One model and its users.", {
    "model": str, "users": Counts, "candidates": Candidates | UnsetType, "bounds": CatalogueBounds | UnsetType, "lists": str | UnsetType,
})  # fmt: skip
_Gates: Any = list[Gate] | UnsetType
_CHECKED: Final[dict[str, Any]] = {"checks": Checks, "findings": list[_Finding], "gates": _Gates}  # type: ignore[valid-type]
_SOURCES: Final[dict[str, Any]] = {"inputs": list[Input], "config": dict[str, Any], "versions": dict[str, str]}
_Slice = _record("Slice", "One tested slice of users.", {
    "conditions": list[Condition], **{name: kind for name, kind in get_type_hints(slices.UserSlice).items() if name in slices.FIELDS},
    "sentence": str,
})  # fmt: skip
_Search = _record("Search", "The slices of one measure.", {**get_type_hints(slices.SliceSearch), "slices": list[_Slice]})  # type: ignore[valid-type]
_Slices = _record("Slices", "A search for slices of users.", {
    "format_version": _version(slices.FORMAT_VERSION), "features": list[str], "depth": int, "family": int, "confirmed": int,
    "correction": Literal["bonferroni"], "level": float, "seed": int, "searches": list[_Search], "notes": list[str],  # type: ignore[valid-type]
})  # fmt: skip


def _results() -> type[Struct]:
    return _record("Results", "results.json: the values of a run and what they depend on.", {
        "format_version": _version(FORMAT_VERSION), "run_id": str, "results": list[_value_class()],  # type: ignore[misc]
        "ledger": list[LedgerRow], "models": list[_Model], "yardsticks": list[str],  # type: ignore[valid-type]
        "definitions": dict[str, MeasureDefinition], "signatures": dict[str, str],
        "catalogue_orders": list[OrderOfModels] | UnsetType, "truth": dict[str, TruthFingerprint], "user_groups": list[str], **_CHECKED,
        "conclusions": list[Conclusion], "headline": list[str], "notes": list[str], "remarks": list[str], **_SOURCES,
    })  # fmt: skip


def _comparison() -> type[Struct]:
    differences: Any = list[_difference_class()]  # type: ignore[misc]
    return _record("Comparison", "A comparison of models, as receval compare writes it.", {
        "format_version": _version(comparisons.FORMAT_VERSION), "base": str | None, "models": list[str], "paired": bool,
        "judged": list[str], "settings": Settings, "methods": dict[str, str], "conclusions": list[str], "comparisons": differences,
        "by_group": differences, "letters": dict[str, dict[str, str]], "losers": list[Losers] | UnsetType,
        "slices": _Slices | UnsetType, "notes": list[str],
    })  # fmt: skip


def _history() -> type[Struct]:
    names = ("run", "value", "low", "high", "n_users", "accepted", "paired")
    types = get_type_hints(series.Point)
    point = _record("Point", "The value of a line in one run, and its difference from the run that was accepted last.", {
        **{name: types[name] for name in names}, "loss": bool, "difference": _difference_class() | None,
    })  # fmt: skip
    line = _record("Line", "One measure of a model in runs that can be compared.", {
        **{name: get_type_hints(series.Line)[name] for name in ("model", "measure", "higher_is_better", "series")}, "changes": list[str],
        "accepted": str, "first_loss": str | None, "last_good": str | None, "points": list[point],  # type: ignore[valid-type]
    })  # fmt: skip
    return _record("History", "Models over many runs, as receval history writes them.", {
        "format_version": _version(series.FORMAT_VERSION), "order": series.Order, "settings": Settings, "family": int,
        "runs": list[series.Run], "lines": list[line], "changes": list[str], "conclusions": list[str],  # type: ignore[valid-type]
        "notes": list[str],
    })  # fmt: skip


def _leaderboard() -> type[Struct]:
    value = _record("Entry", "The value of a model in a measure; models that share a letter are not clearly different.", {
        "value": float | None, "low": float | None, "high": float | None, "n_users": int, "letters": str | None,
    })  # fmt: skip
    model = _record("Place", "A model, the best first in the first measure that was judged.", {
        "rank": int, "name": str, "model": str, "run": str, "run_id": str, "values": dict[str, value],  # type: ignore[valid-type]
    })  # fmt: skip
    return _record("Leaderboard", "All models of many results, as receval leaderboard writes them.", {
        "format_version": _version(series.FORMAT_VERSION), "measures": list[str], "judged": list[str], "settings": Settings,
        "models": list[model], "notes": list[str],  # type: ignore[valid-type]
    })  # fmt: skip


def _gates() -> type[Struct]:
    types = {"format_version": _version(GATES_VERSION), "failed": bool, "summary": str, "gates": _Gates}
    return _record("Gates", "The verdicts of gates, as receval gate writes them.", types)


def _plan() -> type[Struct]:
    types = {"format_version": _version(gate_plan.FORMAT_VERSION), **get_type_hints(gate_plan.GatePlan), "rules": list[gate_plan.RulePlan]}
    return _record("Plan", "The plan of gates, as receval gate --plan writes it.", types)


def _manifest() -> type[Struct]:
    return _record("Manifest", "manifest.json: the inputs, the config and the files of a folder of results.", {
        "format_version": _version(FORMAT_VERSION), "run_id": str, **_SOURCES, "description": Description | UnsetType, **_CHECKED,
        "outputs": list[OutputFile], "sha256": str, "objects": str | UnsetType,  # only in a store
    })  # fmt: skip


_WRITTEN: Final[dict[str, Callable[[], type[Struct]]]] = {
    "results": _results,
    "comparison": _comparison,
    "gates": _gates,
    "plan": _plan,
    "history": _history,
    "leaderboard": _leaderboard,
    "manifest": _manifest,
}
SCHEMAS: Final = ("config", *_WRITTEN)
"""The names of all schemas."""


def json_schema_of(name: str) -> str:
    """Return the JSON Schema of a config, or of one kind of JSON that receval writes."""
    if name == "config":
        from ..config import json_schema

        return json_schema()
    written = _WRITTEN[name]()
    (root,), parts = schema_components([written], ref_template="#/$defs/{name}")
    for struct in _classes(type_info(written), set()):
        parts[struct.__name__]["required"] = [
            field.encode_name
            for field in fields(struct)
            if field.default is not UNSET and (field.required or not struct.__struct_config__.omit_defaults)
        ]
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"receval {name}", **root, "$defs": parts}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _classes(part: Any, seen: set[type[Struct]]) -> Iterator[type[Struct]]:
    """Yield the classes that a type consists of, each once."""
    if isinstance(part, list | tuple):
        for element in part:
            yield from _classes(element, seen)
    elif isinstance(part, StructType) and part.cls in seen:
        return
    elif isinstance(part, Type | Field):
        if isinstance(part, StructType):
            seen.add(part.cls)
            yield part.cls
        yield from _classes([*asdict(part).values()], seen)
