"""Make a function for each metric, in the style of rs_metrics, from the registry, with its docstring and its parameters."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, Final

from ..config.data_sources import InMemory
from ..load import ReadOptions, look_at_frame
from ..load.columns import SCORE_NAMES
from ..load.in_memory.frames import column_names, frame_of
from ..load.in_memory.python_values import users_without_items
from ..load.in_memory.tensors import as_arrays
from ..load.opening import open_rows
from ..metrics.catalogue import documented
from ..metrics.registry import METRICS, Metric
from ..support.errors import ConfigError, DataError
from ..support.patterns import regex
from ..support.synonyms import refuse_unknown
from ..syntax.measure_strings import cutoff
from .calls import evaluate_tolerantly
from .wording import errors_as_arguments

ALIASES: Final = {"hitrate": "HitRate", "mapr": "MAP", "mar": "MAR"}
"""Name of a function in rs_metrics → metric."""
FROM_A_LOG: Final = {"popularity": "ARP", "surprisal": "Surprisal"}
"""Functions of rs_metrics whose first argument is the log from which popularity is counted."""
OF_RS_METRICS: Final = frozenset(("precision", "recall", "mrr", "ndcg", "coverage", *ALIASES, *FROM_A_LOG))
"""The functions that rs_metrics has: they give its values, unless called with another convention."""
SIDES: Final = ("train", "items", "users", "baseline", "previous_policy", "predictions", "distances")
COMMON: Final[Mapping[str, tuple[str, Any]]] = {
    "convention": ("str", "receval"),
    "relevance": ("float | Mapping[str, Any] | None", None),
    "categories": ("str | Sequence[str] | None", None),
    "split": ("str | None", None),
    **dict.fromkeys(SIDES, ("Any", None)),
}
"""The keyword-only arguments of every function: type and default; the convention of `OF_RS_METRICS` is rs_metrics by default."""
_WORDS: Final = regex(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@cache
def names() -> Mapping[str, str]:
    """Return function name → metric: `ndcg` → `nDCG`, `hit_rate` → `HitRate`."""
    own = {_WORDS.sub("_", name.replace("nDCG", "Ndcg")).lower(): name for name, metric in METRICS.items() if metric.origin == "receval"}
    return own | ALIASES | {"coverage": "ItemCoverage", **FROM_A_LOG}


@cache
def function(name: str) -> Callable[..., Any]:
    """Return the function of this name; raise `KeyError` if there is none."""
    metric = METRICS[names()[name]]

    def with_truth(*given: Any, **named: Any) -> Any:
        refuse_unknown(name, named, signature.parameters)
        try:
            bound = signature.bind(*given, **named)
        except TypeError as error:
            raise TypeError(f"{name}: {error}: write {name}({', '.join([*signature.parameters][:3])}, …)") from None
        bound.apply_defaults()
        return compute(metric, name, dict(bound.arguments))

    signature = signature_of(name)
    with_truth.__name__ = with_truth.__qualname__ = name
    with_truth.__doc__ = documented(metric)
    with_truth.__module__ = "receval.functional"
    with_truth.__signature__ = signature  # type: ignore[attr-defined]
    return with_truth


def signature_of(name: str) -> inspect.Signature:
    """Return the arguments of a function: those of rs_metrics, then further ones of receval as keywords."""
    tables = ("items", "recs") if name == "coverage" else ("log", "pred") if name in FROM_A_LOG else ("true", "pred")
    positional: dict[str, tuple[str, Any]] = {
        **dict.fromkeys(tables, ("Any", inspect.Parameter.empty)),
        "k": ("int | Sequence[int | None] | None", None if name == "coverage" else 10),
        "num_workers": ("int", 1),
        "apply_mean": ("bool", True),
        "user_col": ("str", "user_id"),
        "item_col": ("str", "item_id"),
    }
    by_name = {key: COMMON[key] for key in COMMON if key not in positional}
    if name in OF_RS_METRICS:
        by_name["convention"] = ("str", "rs_metrics")
    metric = METRICS[names()[name]]
    kinds_of_own = ((metric.axes, "str | float | None"), (metric.numbers, "float | None"), (metric.texts, "str | None"))
    own = {key: annotation for keys, annotation in kinds_of_own for key in keys}
    taken = {*positional, *COMMON}  # parameters of a metric with such a name can only be set in measure strings
    by_name |= {key: (annotation, None) for key, annotation in own.items() if key not in taken and key.isidentifier()}
    kinds = ((inspect.Parameter.POSITIONAL_OR_KEYWORD, positional), (inspect.Parameter.KEYWORD_ONLY, by_name))
    parameters = [
        inspect.Parameter(key, kind, default=default, annotation=annotation)
        for kind, group in kinds
        for key, (annotation, default) in group.items()
    ]
    return inspect.Signature(parameters, return_annotation="float | list[float] | dict[int | None, float] | dict[int | None, list[float]]")


def compute(metric: Metric, name: str, given: dict[str, Any]) -> Any:
    """Return the value of a metric, or per-user values in the order of the first argument, NaN if missing; a dict for several `k`."""
    names = list(given)[:2]
    with errors_as_arguments():
        first, lists = (as_arrays(f"{key}: {InMemory(given[key]).kind}", given.pop(key)) for key in names)
    if name not in FROM_A_LOG and name != "coverage" and _scores_of(first) and not _scores_of(lists):
        raise ConfigError(
            f"{names[0]} has {_scores_of(first)}, as lists have, and {names[1]} has none: the arguments seem to be in RePlay's order",
            f"write {name}({names[0]}, {names[1]}, …): first the interactions of the test set, then the lists",
        )
    k, _, apply_mean, *columns_of_ids = (given.pop(key) for key in list(given)[:5])
    columns = dict(zip(("user", "item"), columns_of_ids, strict=True))
    sides = {key: given.pop(key) for key in COMMON if key in given}
    role = "items" if name == "coverage" else "train" if name in FROM_A_LOG else "test"
    sides |= {role: first} if role != "test" else {}
    if not apply_mean and metric.per_model:
        raise ConfigError(f"{name} is one value per model, not per user", "remove apply_mean=False")
    own = {key: value for key, value in given.items() if value is not None}
    if role == "test" and metric.name == "nDCG" and sides["convention"] == "rs_metrics" and _has_grades(first, sides):
        own = {"gain": "exp2", "grades": "ratings", **own}
        sides["relevance"] = None  # graded has its effect by the two settings
    cutoffs = _cutoffs(k)
    entry = {"name": metric.name, **own, **({"k": ["none" if cut is None else cut for cut in cutoffs]} if metric.cut else {})}
    tables = {"test": first if role == "test" else None, "recommendations": lists, "train": sides["train"]}
    named = {role: found for role, table in tables.items() if (found := _named(table, columns))}
    with errors_as_arguments():
        test = first if role == "test" else _pairs(lists, columns)
    result = evaluate_tolerantly(test=test, recommendations={"model": lists}, metrics=[entry], columns=named, **sides)
    made = {cut: [row for row in result.rows if row.model == "model" and row.k == (cut if metric.cut else None)] for cut in cutoffs}
    values: dict[int | None, float | list[float]] = {}
    if apply_mean:
        values |= {cut: _or_nan(row.value) for cut, (row,) in made.items()}
    else:
        frame, users = result.per_user["model"], _users(test, columns)
        ids = list(map(str, frame["user"].to_list()))
        for cut, (row,) in made.items():
            by_user = dict(zip(ids, frame[row.label].to_list(), strict=True))
            values[cut] = [_or_nan(by_user.get(user)) for user in users]
    return values if _is_several(k) else values[cutoffs[0]]


def _scores_of(table: Any) -> str:
    """Return the scores of a table in words: a column of scores that is no rating, or pairs in a dict; empty if it has none."""
    if isinstance(table, Mapping):
        first = next(iter(table.values()), None)
        pairs = isinstance(first, list | tuple) and bool(first) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in first)
        return "pairs of an item and a score" if pairs else ""
    names = column_names(table) or ()
    scores = sorted(name for name in names if name.lower().replace("_", "") in SCORE_NAMES)
    return f"the column {scores[0]!r}" if scores else ""


def _has_grades(true: Any, sides: Mapping[str, Any]) -> bool:
    """Return whether the first argument has grades to use: `{user: {item: grade}}`, or any table with relevance={'graded': True}."""
    if sides["relevance"] is not None:
        return bool(sides["relevance"] == {"graded": True})
    return isinstance(true, Mapping) and bool(true) and all(isinstance(items, Mapping) for items in true.values())


def _is_several(k: Any) -> bool:
    return isinstance(k, Iterable) and not isinstance(k, str)


def _cutoffs(k: Any) -> list[int | None]:
    """Return `k`, one cut-off or several, as a list; raise `ConfigError` for a wrong one."""
    given = list(k) if _is_several(k) else [k]
    if not given:
        raise ConfigError("k: the list of cut-offs is empty", "give at least one, such as k=[5, 10]")
    try:
        return [
            cutoff(operator.index(number) if hasattr(number, "__index__") and not isinstance(number, bool) else number) for number in given
        ]
    except ValueError as error:
        raise ConfigError(f"k: {error}") from None


def _users(test: Any, columns: Mapping[str, str]) -> list[str]:
    """Return the users of a table in its order, as text; for a dict by user, including those with an empty list."""
    if users_without_items("true", "interactions", test, columns) is not None:
        return list(map(str, test))
    return [str(user) for user in _pairs(test, columns)["user"].unique(maintain_order=True)]


def _or_nan(value: float | None) -> float:
    return float("nan") if value is None else value


def _named(table: Any, columns: Mapping[str, str]) -> dict[str, str]:
    """Return the entries of `columns` whose names are columns of the table."""
    known = None if isinstance(table, Mapping) else column_names(table)
    return {role: name for role, name in columns.items() if known is not None and name in known}


def _pairs(table: Any, columns: Mapping[str, str]) -> Any:
    """Return the columns user and item of a table of any kind."""
    where = f"data.recommendations: {type(table).__qualname__}"
    if isinstance(table, str):
        raise DataError(f"{where}: a path", "give a table, or use receval.evaluate")
    named = _named(table, columns)
    source = look_at_frame("data.recommendations", "lists", frame_of(where, "lists", table, columns=named), ReadOptions(columns=named))
    return open_rows(source.scan).select("user", "item").collect()
