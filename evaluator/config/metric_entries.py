"""The spellings of a metric in the config → measure specs.

nDCG                                     every cut-off of top_k
nDCG(gain=linear)@10                     a measure string
{name: F1, beta: 0.5, k: [5, 10]}        a mapping with parameters
{name: F1, params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}}
{name: EucDistance, params: {metric_names: [nDCG, EPC], points: [1, 1]}}
MAP: {cutoff: {type: int, values: [1, 5, 10], range: {start: 20, end: 100, step: 20}}}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..names.measure_strings import UNSET, Cutoff, MetricSpec, Scalar, cutoff, parse

_CUTOFFS: Final = ("k", "cutoff")
_PARTS: Final = ((("metric_name_1", "metric_1"), 0), (("metric_name_2", "metric_2"), 1))
_GRID: Final = {"type", "values", "range"}
_LONGEST_GRID: Final = 1_000
_WORDS = re.compile(r"[\w-]+( [\w-]+)+")


def read_entry(entry: Any) -> tuple[MetricSpec, ...]:
    """The specs that one entry of `metrics` or `complex_metrics` stands for; `ValueError` if it cannot be read."""
    if isinstance(entry, str):
        return (parse(entry),)
    if isinstance(entry, MetricSpec):
        return (entry,)
    if not isinstance(entry, Mapping):
        raise ValueError(f"a metric is a name, a measure string or a mapping, not {entry!r}")
    if "name" in entry:
        return _named(str(entry["name"]), {key: value for key, value in entry.items() if key != "name"})
    if len(entry) != 1:
        raise ValueError("a metric mapping needs the key 'name', or a single key that is the metric's name")
    ((name, body),) = entry.items()
    if body is None:
        body = {}
    if not isinstance(body, Mapping):
        raise ValueError(f"'{name}' needs a mapping of parameters, such as {{k: [5, 10]}}, not {body!r}")
    return _named(str(name), dict(body))


def read_cutoffs(value: Any) -> tuple[int | None, ...]:
    """Cut-offs from one value, a list, or a grid `{type, values, range}`; `ValueError` if it cannot be read."""
    if isinstance(value, Mapping):
        return _grid(value)
    values = value if isinstance(value, list | tuple) else [value]
    if not values:
        raise ValueError("the list of cut-offs is empty")
    return tuple(dict.fromkeys(cutoff(single) for single in values))


def named(name: str) -> MetricSpec:
    """A measure string, or a name of several words, such as RELISON's `Community recall`."""
    return MetricSpec(name) if _WORDS.fullmatch(name) else parse(name)


def _named(name: str, body: dict[str, Any]) -> tuple[MetricSpec, ...]:
    written = named(name)
    params = body.pop("params", None)
    if params is not None and not isinstance(params, Mapping):
        raise ValueError(f"params of '{name}' is a mapping, not {params!r}")
    for key, value in (params or {}).items():
        if key in body:
            raise ValueError(f"'{name}' gives {key} twice")
        body[key] = value
    cutoffs: tuple[Cutoff, ...] = (written.k,)
    for key in _CUTOFFS:
        if key in body:
            if cutoffs != (UNSET,):
                raise ValueError(f"'{name}' gives its cut-off twice")
            cutoffs = read_cutoffs(body.pop(key))
    components = _parts(written, body)
    given = dict(written.params)
    for key, value in body.items():
        if key in given:
            raise ValueError(f"'{name}' gives {key} twice")
        if isinstance(value, list) and all(isinstance(part, str | int | float | bool) for part in value):
            value = ";".join(str(part).lower() if isinstance(part, bool) else str(part) for part in value)
        if not isinstance(value, str | int | float | bool):
            raise ValueError(f"{key} of '{name}' is a single value, not {value!r}")
        given[key] = value
    params_of: tuple[tuple[str, Scalar], ...] = tuple(given.items())
    return tuple(MetricSpec(written.name, components, params_of, k) for k in cutoffs)


def _parts(written: MetricSpec, body: dict[str, Any]) -> tuple[MetricSpec, ...]:
    if "metric_names" in body:
        return _all_parts(written, body.pop("metric_names"))
    named: list[MetricSpec] = []
    for spellings, index in _PARTS:
        given = [key for key in spellings if key in body]
        if len(given) > 1:
            raise ValueError(f"{given[0]} and {given[1]} mean the same: give one")
        if given:
            if len(named) < index:
                raise ValueError(f"{given[0]} needs {_PARTS[0][0][0]} beside it")
            part = parse(str(body.pop(given[0])))
            if part.k is not UNSET:
                raise ValueError(f"{given[0]} takes no cut-off of its own; the combined metric has one")
            named.append(part)
    if named and written.components:
        raise ValueError(f"'{written.title}' already names the metrics it combines")
    if len(named) == 1:
        named.append(parse("Recall"))
    return tuple(named) or written.components


def _all_parts(written: MetricSpec, names: Any) -> tuple[MetricSpec, ...]:
    """The metrics of a list of any length."""
    if written.components:
        raise ValueError(f"'{written.title}' already names the metrics it combines")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not names:
        raise ValueError("metric_names is a list of metrics")
    parts = tuple(parse(name) for name in names)
    cut = [part for part in parts if part.k is not UNSET]
    if cut:
        raise ValueError(f"{cut[0]} of metric_names takes no cut-off of its own; the combined metric has one")
    return parts


def _grid(grid: Mapping[str, Any]) -> tuple[int | None, ...]:
    unknown = set(grid) - _GRID
    if unknown:
        raise ValueError(f"a grid of cut-offs has the keys type, values and range, not {', '.join(sorted(map(str, unknown)))}")
    if grid.get("type", "int") not in ("int", "long"):
        raise ValueError(f"cut-offs are of type int, not {grid['type']!r}")
    values = list(read_cutoffs(grid["values"])) if grid.get("values") is not None else []
    intervals = grid.get("range") or []
    for interval in intervals if isinstance(intervals, list) else [intervals]:
        values += _interval(interval)
    if not values:
        raise ValueError("the grid holds no cut-off: give values, or a range with start, end and step")
    return tuple(dict.fromkeys(values))


def _interval(interval: Any) -> list[int | None]:
    """start, start + step, …, and always `end`, as RELISON counts."""
    if not isinstance(interval, Mapping) or set(interval) != {"start", "end", "step"}:
        raise ValueError("a range has exactly the keys start, end and step")
    start, end, step = (cutoff(interval[key]) for key in ("start", "end", "step"))
    if start is None or end is None or step is None:
        raise ValueError("start, end and step of a range are positive integers")
    if end < start:
        raise ValueError(f"the range from {start} to {end} is empty")
    if (end - start) // step >= _LONGEST_GRID:
        raise ValueError(f"the range from {start} to {end} by {step} has more than {_LONGEST_GRID:,} cut-offs")
    return [*range(start, end, step), end]
