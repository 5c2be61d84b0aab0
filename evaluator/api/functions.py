"""A function for each metric, as rs_metrics has them: made from the registry, with its docstring and its parameters."""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

from ..errors import ConfigError, DataError
from ..load import ReadOptions, look_at_frame
from ..load.in_memory import column_names, frame_of, users_without_items
from ..load.opening import opened
from ..metrics.registry import METRICS, Metric
from ..names.measure_strings import cutoff
from .calls import measured
from .sentences import told_of_arguments

ALIASES: Final = {"hitrate": "HitRate", "mapr": "MAP", "mar": "MAR"}
"""What rs_metrics calls a metric."""
FROM_A_LOG: Final = {"popularity": "ARP", "surprisal": "Surprisal"}
"""Functions of rs_metrics whose first argument is the log that popularity is counted in."""
OF_RS_METRICS: Final = frozenset(("precision", "recall", "mrr", "ndcg", "coverage", *ALIASES, *FROM_A_LOG))
"""The functions that rs_metrics has: they compute what it computes, unless they are called with another convention."""
SIDES: Final = ("train", "items", "users", "baseline", "previous_policy", "predictions", "distances")
COMMON: Final[Mapping[str, tuple[str, Any]]] = {
    "convention": ("str", "receval"),
    "relevance": ("float | Mapping[str, Any] | None", None),
    "categories": ("str | Sequence[str] | None", None),
    "split": ("str | None", None),
    **dict.fromkeys(SIDES, ("Any", None)),
}
"""The arguments by name only that every function has: type and default, which for `OF_RS_METRICS` is its convention."""
_WORDS: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_USUAL: Final = ("user_id", "item_id")


@cache
def names() -> Mapping[str, str]:
    """The name of each function → the metric that it computes: `ndcg` → `nDCG`, `hit_rate` → `HitRate`."""
    own = {_WORDS.sub("_", name.replace("nDCG", "Ndcg")).lower(): name for name, metric in METRICS.items() if metric.origin == "receval"}
    return own | ALIASES | {"coverage": "ItemCoverage", **FROM_A_LOG}


@cache
def function(name: str) -> Callable[..., Any]:
    """The function of that name; `KeyError` if there is none."""
    metric = METRICS[names()[name]]

    def of_truth(*given: Any, **named: Any) -> Any:
        bound = signature.bind(*given, **named)
        bound.apply_defaults()
        return computed(metric, name, dict(bound.arguments))

    signature = signature_of(name)
    of_truth.__name__ = of_truth.__qualname__ = name
    of_truth.__doc__ = metric.doc
    of_truth.__module__ = "receval.functional"
    of_truth.__signature__ = signature  # type: ignore[attr-defined]
    return of_truth


def signature_of(name: str) -> inspect.Signature:
    """The arguments of a function: those of rs_metrics, then by name what receval has beside them."""
    positional: dict[str, tuple[str, Any]] = {}
    first, second = ("items", "recs") if name == "coverage" else ("log", "pred") if name in FROM_A_LOG else ("true", "pred")
    positional |= {first: ("Any", inspect.Parameter.empty), second: ("Any", inspect.Parameter.empty)}
    positional["k"] = ("int | Sequence[int | None] | None", None if name == "coverage" else 10)
    positional |= {"num_workers": ("int", 1), "apply_mean": ("bool", True), "user_col": ("str", _USUAL[0]), "item_col": ("str", _USUAL[1])}
    by_name = {key: COMMON[key] for key in COMMON if key not in positional}
    if name in OF_RS_METRICS:
        by_name["convention"] = ("str", "rs_metrics")
    metric = METRICS[names()[name]]
    own = {**dict.fromkeys(metric.axes, "str | float | None"), **dict.fromkeys(metric.numbers, "float | None")}
    own |= dict.fromkeys(metric.texts, "str | None")
    taken = {*positional, *COMMON}  # parameters of a metric's own with such a name are left to measure strings
    by_name |= {key: (annotation, None) for key, annotation in own.items() if key not in taken and key.isidentifier()}
    kinds = ((inspect.Parameter.POSITIONAL_OR_KEYWORD, positional), (inspect.Parameter.KEYWORD_ONLY, by_name))
    parameters = [
        inspect.Parameter(key, kind, default=default, annotation=annotation)
        for kind, group in kinds
        for key, (annotation, default) in group.items()
    ]
    return inspect.Signature(parameters, return_annotation="float | list[float] | dict[int | None, float] | dict[int | None, list[float]]")


def computed(metric: Metric, name: str, given: dict[str, Any]) -> Any:
    """The value of a metric, or of each user in the order of the first argument; NaN where there is none. Several `k` give a dict by k."""
    k, apply_mean = given.pop("k"), given.pop("apply_mean")
    given.pop("num_workers")
    columns = {"user": given.pop("user_col"), "item": given.pop("item_col")}
    sides = {key: given.pop(key) for key in COMMON if key in given}
    if name == "coverage":
        sides["items"], lists = given.pop("items", sides.get("items")), given.pop("recs")
        true = None
    elif name in FROM_A_LOG:
        sides["train"], lists = given.pop("log"), given.pop("pred")
        true = None
    else:
        true, lists = given.pop("true"), given.pop("pred")
    if not apply_mean and metric.system:
        raise ConfigError(f"{name} is one value per model, not per user", "remove apply_mean=False")
    own = {key: value for key, value in given.items() if value is not None}
    cutoffs = _cutoffs(k)
    entry = {"name": metric.name, **own, **({"k": ["none" if cut is None else cut for cut in cutoffs]} if metric.cut else {})}
    tables = {"test": true, "recommendations": lists, "train": sides["train"]}
    named = {role: found for role, table in tables.items() if (found := _named(table, columns))}
    with told_of_arguments():
        test = _pairs(lists, columns) if true is None else true
    result = measured(
        test=test,
        recommendations={"model": lists},
        metrics=[entry],
        columns={role: found for role, found in named.items() if role != "test" or true is not None},
        **sides,
    )
    made = {cut: [row for row in result.rows if row.model == "model" and row.k == (cut if metric.cut else None)] for cut in cutoffs}
    values: dict[int | None, float | list[float]] = {}
    if apply_mean:
        values |= {cut: _or_nan(row.value) for cut, (row,) in made.items()}
    else:
        frame, users = result.per_user["model"], _users(test, columns)
        ids = list(map(str, frame["user"].to_list()))
        by_user = {cut: dict(zip(ids, frame[row.label].to_list(), strict=True)) for cut, (row,) in made.items()}
        values |= {cut: [_or_nan(of_cut.get(user)) for user in users] for cut, of_cut in by_user.items()}
    return values if _is_several(k) else values[cutoffs[0]]


def _is_several(k: Any) -> bool:
    """Whether `k` is several cut-offs."""
    return isinstance(k, Iterable) and not isinstance(k, str)


def _cutoffs(k: Any) -> list[int | None]:
    """The cut-offs that `k` is, one or several."""
    given = list(k) if _is_several(k) else [k]
    if not given:
        raise ConfigError("k: the list of cut-offs is empty", "give at least one, such as k=[5, 10]")
    try:
        return [cutoff(operator.index(one) if hasattr(one, "__index__") and not isinstance(one, bool) else one) for one in given]
    except ValueError as error:
        raise ConfigError(f"k: {error}") from None


def _users(test: Any, columns: Mapping[str, str]) -> list[str]:
    """The users of a table in its order, as text; of a dict by user also those whose list is empty."""
    if users_without_items("true", "interactions", test, columns) is not None:
        return list(map(str, test))
    return [str(user) for user in _pairs(test, columns)["user"].unique(maintain_order=True)]


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _named(table: Any, columns: Mapping[str, str]) -> dict[str, str]:
    """Which column of a frame is which, where it has those of these names."""
    known = None if isinstance(table, Mapping) else column_names(table)
    return {role: name for role, name in columns.items() if known is not None and name in known}


def _pairs(table: Any, columns: Mapping[str, str]) -> Any:
    """The users and items of a table, which are all that is looked at."""
    where = f"data.recommendations: {type(table).__qualname__}"
    if isinstance(table, str):
        raise DataError(f"{where}: a path", "give a table, or use receval.evaluate")
    named = _named(table, columns)
    source = look_at_frame("data.recommendations", "lists", frame_of(where, "lists", table, columns=named), ReadOptions(columns=named))
    return opened(source.scan).select("user", "item").collect()


_HEAD = '''"""A function for each metric. Generated by python docs/make.py: change the metrics, not this file."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__: list[str]
'''


def stub() -> str:
    """The text of `functional.pyi`."""
    return "\n".join([_HEAD, *(_stub(name) for name in sorted(names()))])


def _stub(name: str) -> str:
    """One function: its arguments with types, and the first line of its docstring."""
    made = function(name)
    lines = []
    star = False
    for parameter in inspect.signature(made).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not star:
            lines.append("    *,")
            star = True
        default = "" if parameter.default is inspect.Parameter.empty else " = ..."
        lines.append(f"    {parameter.name}: {parameter.annotation}{default},")
    doc = (made.__doc__ or "").strip().splitlines()
    return "\n".join([f"def {name}(", *lines, ") -> Any:", f'    """{doc[0] if doc else name}"""', ""])
