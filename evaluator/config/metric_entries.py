"""Entries of `metrics` and `complex_metrics`, and cut-offs, with several notations.

nDCG                                     every cut-off of top_k
nDCG(gain=linear)@10                     a measure string
{name: F1, beta: 0.5, k: [5, 10]}        a mapping with parameters
{name: F1, params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}}
{name: EucDistance, params: {metric_names: [nDCG, EPC], points: [1, 1]}}
RBP: {p: [0.5, 0.8, 0.95]}               a measure for each value of a number
MAP: {cutoff: {type: int, values: [1, 5, 10], range: {start: 20, end: 100, step: 20}}}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from math import prod
from typing import Any, Final

from .. import conventions
from ..metrics import METRICS, find
from ..support.patterns import regex
from ..syntax.measure_strings import CUTOFF_KEYS, UNSET, Cutoff, MetricSpec, Scalar, cutoff, parse

_PARTS: Final = ((("metric_name_1", "metric_1"), 0), (("metric_name_2", "metric_2"), 1))
_GRID: Final = {"type", "values", "range"}
_LONGEST_GRID: Final = 1_000
_WORDS = regex(r"[\w-]+( [\w-]+)+")


def read_entry(entry: Any) -> tuple[MetricSpec, ...]:
    """Read one entry of `metrics` or `complex_metrics` into specs; raise `ValueError` if it cannot be read."""
    if isinstance(entry, str):
        return (parse(entry),)
    if isinstance(entry, MetricSpec):
        return (entry,)
    name, body, _ = name_and_body(entry)
    return _named(name, body)


def name_and_body(entry: Any, names: Sequence[str] = ("name",)) -> tuple[str, dict[str, Any], str | None]:
    """Return the name of a metric in a mapping, its parameters, and the key that they are below, if there is one.

    `names` are the keys for a name beside its parameters. Raises `ValueError` if it cannot be read.
    """
    if not isinstance(entry, Mapping):
        raise ValueError(f"a metric must be a name, a measure string or a mapping, not {entry!r}")
    for key in names:
        if key in entry:
            return str(entry[key]), {other: value for other, value in entry.items() if other != key}, None
    beside, metric = (next((key for key, body in entry.items() if check(key, body)), None) for check in (_is_cutoff, _is_empty))
    if beside and metric:
        raise ValueError(f"{beside} is beside the metric: indent it further, so that it is below {metric}")
    if len(entry) != 1:
        raise ValueError("a metric mapping needs the key 'name', or a single key that is the metric's name")
    ((name, body),) = entry.items()
    if name in CUTOFF_KEYS:
        raise ValueError(f"{name} is not a metric: indent it further, so that it is below the metric that it belongs to")
    if body is None:
        body = {}
    if not isinstance(body, Mapping):
        raise ValueError(f"'{name}' needs a mapping of parameters, such as {{k: [5, 10]}}, not {body!r}")
    return str(name), dict(body), name


def _is_cutoff(key: Any, body: Any) -> bool:
    return key in CUTOFF_KEYS


def _is_empty(key: Any, body: Any) -> bool:
    return body is None


def read_cutoffs(value: Any) -> tuple[int | None, ...]:
    """Read cut-offs from one value, a list, or a grid `{type, values, range}`; raise `ValueError` if it cannot be read."""
    if isinstance(value, Mapping):
        return _grid(value)
    if isinstance(value, str) and "," in value:  # as -k takes them
        value = [part.strip() for part in value.split(",")]
    values = value if isinstance(value, list | tuple) else [value]
    if not values:
        raise ValueError("the list of cut-offs is empty")
    return tuple(dict.fromkeys(cutoff(single) for single in values))


def read_name(name: str) -> MetricSpec:
    """Read a measure string, or a name of several words, such as RELISON's `Community recall`."""
    return MetricSpec(name) if _WORDS.fullmatch(name) else parse(name)


def _named(name: str, body: dict[str, Any]) -> tuple[MetricSpec, ...]:
    written = read_name(name)
    params = body.pop("params", None)
    if params is not None and not isinstance(params, Mapping):
        raise ValueError(f"params of '{name}' must be a mapping, not {params!r}")
    for key, value in (params or {}).items():
        if key in body:
            raise ValueError(f"'{name}' gives {key} twice")
        body[key] = value
    cutoffs: tuple[Cutoff, ...] = (written.k,)
    for key in CUTOFF_KEYS:
        if key in body:
            if cutoffs != (UNSET,):
                raise ValueError(f"'{name}' gives its cut-off twice")
            cutoffs = read_cutoffs(body.pop(key))
    components = _parts(written, body)
    given: dict[str, tuple[Scalar, ...]] = {key: (value,) for key, value in written.params}
    for key, value in body.items():
        if key in given:
            raise ValueError(f"'{name}' gives {key} twice")
        given[key] = _values(written.name, key, value)
    if (number := prod(map(len, given.values()))) > _LONGEST_GRID:
        raise ValueError(f"the lists of '{name}' have more than {_LONGEST_GRID:,} combinations: {number:,}")
    every = product(*([(key, value) for value in values] for key, values in given.items()))
    return tuple(MetricSpec(written.name, components, params, k) for params in every for k in cutoffs)


def _values(name: str, key: str, value: Any) -> tuple[Scalar, ...]:
    """Return the values of a parameter: each of a list, or one; a list of a parameter that is a text, such as `points`, is one text."""
    if isinstance(value, list) and all(isinstance(part, str | int | float | bool) for part in value):
        if value and not _is_text(name, key):
            return tuple(value)
        value = ";".join(str(part).lower() if isinstance(part, bool) else str(part) for part in value)
    if not isinstance(value, str | int | float | bool):
        raise ValueError(f"{key} of '{name}' must be a single value, not {value!r}")
    return (value,)


def _is_text(name: str, key: str) -> bool:
    """Return whether a parameter of a metric is a text, which may have several parts; libraries have other names for both."""
    try:
        metric = find(name)
    except ValueError:  # a name of a library, or an unknown metric, which is reported later
        return key in _texts()
    return key in metric.texts or (key not in metric.numbers and key in _texts())


@cache
def _texts() -> frozenset[str]:
    """Return the names of parameters that are texts, in receval and in every convention."""
    own = {key for metric in METRICS.values() for key in metric.texts}
    known = map(conventions.load, conventions.builtin_names())
    return frozenset(
        own | {key for convention in known for key, meant in convention.parameters.items() if isinstance(meant, str) and meant in own}
    )


def _parts(written: MetricSpec, body: dict[str, Any]) -> tuple[MetricSpec, ...]:
    if "metric_names" in body:
        return _all_parts(written, body.pop("metric_names"))
    named: list[MetricSpec] = []
    for spellings, index in _PARTS:
        given = [key for key in spellings if key in body]
        if len(given) > 1:
            raise ValueError(f"{given[0]} and {given[1]} mean the same: give only one")
        if given:
            if len(named) < index:
                raise ValueError(f"{given[0]} also needs {_PARTS[0][0][0]}")
            part = parse(str(body.pop(given[0])))
            if part.k is not UNSET:
                raise ValueError(f"{given[0]} takes no cut-off; give it to the combined metric")
            named.append(part)
    if named and written.components:
        raise ValueError(f"'{written.title}' already names the metrics it combines")
    if len(named) == 1:
        named.append(parse("Recall"))
    return tuple(named) or written.components


def _all_parts(written: MetricSpec, names: Any) -> tuple[MetricSpec, ...]:
    """Return the metrics of a list of any length."""
    if written.components:
        raise ValueError(f"'{written.title}' already names the metrics it combines")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names) or not names:
        raise ValueError("metric_names must be a list of metrics")
    parts = tuple(parse(name) for name in names)
    cut = [part for part in parts if part.k is not UNSET]
    if cut:
        raise ValueError(f"{cut[0]} of metric_names takes no cut-off; give it to the combined metric")
    return parts


def _grid(grid: Mapping[str, Any]) -> tuple[int | None, ...]:
    unknown = set(grid) - _GRID
    if unknown:
        raise ValueError(f"a grid of cut-offs has the keys type, values and range, not {', '.join(sorted(map(str, unknown)))}")
    if grid.get("type", "int") not in ("int", "long"):
        raise ValueError(f"cut-offs must be of type int, not {grid['type']!r}")
    values = list(read_cutoffs(grid["values"])) if grid.get("values") is not None else []
    intervals = grid.get("range") or []
    for interval in intervals if isinstance(intervals, list) else [intervals]:
        values += _interval(interval)
    if not values:
        raise ValueError("the grid has no cut-offs: give values, or a range with start, end and step")
    return tuple(dict.fromkeys(values))


def _interval(interval: Any) -> list[int | None]:
    """Return start, start + step, …, and always `end`, as RELISON counts."""
    if not isinstance(interval, Mapping) or set(interval) != {"start", "end", "step"}:
        raise ValueError("a range needs exactly the keys start, end and step")
    if isinstance(interval["step"], int | float) and interval["step"] < 1:
        raise ValueError(f"the step of a range must be at least 1, not {interval['step']}")
    start, end, step = (cutoff(interval[key]) for key in ("start", "end", "step"))
    if start is None or end is None or step is None:
        raise ValueError("start, end and step of a range must be positive integers")
    if end < start:
        raise ValueError(f"the range from {start} to {end} is empty")
    if (end - start) // step >= _LONGEST_GRID:
        raise ValueError(f"the range from {start} to {end} by {step} has more than {_LONGEST_GRID:,} cut-offs")
    return [*range(start, end, step), end]
