"""Metrics as plain Python functions, called once for each user and cut-off; `registry.metric` is the fast form."""

from __future__ import annotations

import inspect
import math
import numbers
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeVar

from ..support import plugins
from ..support.errors import ConfigError
from ..support.lazy import np
from ..support.synonyms import takes
from ..tables.array import Array
from ..tables.graph import table
from ..tables.hits import top_items
from ..tables.lists import Reading, duplicate_mask
from ..tables.prepared import Prepared
from ..tables.rows import PartData
from ..tables.truth import TestPairs, TruthTable
from .measure import Measure
from .policy import previous_scores
from .registry import metric as enter


class Item(NamedTuple):
    """An item of a list: its id, rank and score (`None` where lists have none), whether it is relevant, and with which gain (0 if not)."""

    id: Any
    rank: int
    score: float | None
    relevant: bool
    gain: float


@table("own_lists", uses=("reading", "test_pairs", "truth_table"), params=("depth",))
def own_lists(reading: Reading, test_pairs: TestPairs, truth_table: TruthTable, depth: int) -> Array:
    """Return for each user the ranks that cut-offs use, and the items, down to rank `depth` (0: all)."""
    row, pair = test_pairs.lookup.find(reading.pairs)
    relevant, gain = np.zeros(len(reading), np.bool_), np.zeros(len(reading))
    relevant[row], gain[row] = truth_table.relevant[pair], np.where(truth_table.relevant[pair], truth_table.gain[pair], 0.0)
    if reading.one_hit_per_item:
        again = duplicate_mask(reading)
        relevant[again], gain[again] = False, 0.0
    return _ranks_and_items(reading, depth, relevant, gain)


@table("own_lists_alone", uses=("reading",), params=("depth",))
def own_lists_alone(reading: Reading, depth: int) -> Array:
    """Return the same as `own_lists` without the test set: no item is relevant."""
    return _ranks_and_items(reading, depth, np.zeros(len(reading), np.bool_), np.zeros(len(reading)))


def _ranks_and_items(reading: Reading, depth: int, relevant: Array, gain: Array) -> Array:
    """Return the ranks and the items of `own_lists`, of which some are `relevant`, with a `gain`."""
    cut = reading.rank if reading.cut is None else reading.cut
    kept = np.flatnonzero(cut <= depth) if depth else np.arange(len(reading))
    scores = reading.score[kept].tolist() if "score" in reading.source.rows else [None] * len(kept)
    columns = (reading.item.gather(kept).to_list(), reading.rank[kept].tolist(), scores, relevant[kept].tolist(), gain[kept].tolist())
    items = list(map(Item, *columns))
    return _by_user(reading.user[kept], reading.n_users, lambda start, end: (cut[kept[start:end]], items[start:end]))


@table("own_truth", uses=("truth_table",))
def own_truth(truth_table: TruthTable) -> Array:
    """Return for each user the relevant items with their gains."""
    index = truth_table.index
    pairs = truth_table.pairs
    order = np.argsort(pairs.user[index], kind="stable")
    index = index[order]
    items, gains = pairs.item.gather(index).to_list(), truth_table.gain[index].tolist()
    n_users = len(truth_table.n_relevant)
    return _by_user(pairs.user[index], n_users, lambda start, end: dict(zip(items[start:end], gains[start:end], strict=True)))


@table("own_train", uses=("part",))
def own_train(part: PartData) -> Array:
    """Return for each user the items of the train rows."""
    rows = part.rows("train")
    items = rows.frame["item"].to_list()
    return _by_user(rows.user, part.n_users, lambda start, end: frozenset(items[start:end]))


@table("own_previous", uses=("reading", "part", "prepared"))
def own_previous(reading: Reading, part: PartData, prepared: Prepared) -> Array:
    """Return for each user the listed items that the previous policy knows, each with its score."""
    rows, _ = top_items(reading, 0)
    assert rows.item is not None
    scores, items = previous_scores(rows, part, prepared).tolist(), rows.item.to_list()

    def user_scores(start: int, end: int) -> dict[Any, float]:
        pairs = zip(items[start:end], scores[start:end], strict=True)
        return {item: score for item, score in pairs if not math.isnan(score)}

    return _by_user(rows.user, reading.n_users, user_scores)


def _by_user(user: Array, n_users: int, make: Any) -> Array:
    """Return an array with one object per user, created by `make(start, end)` from the user's rows; rows are in the order of users."""
    made = np.empty(n_users, dtype=object)
    borders = np.searchsorted(user, np.arange(n_users + 1))
    for number, (start, end) in enumerate(zip(borders[:-1].tolist(), borders[1:].tolist(), strict=True)):
        made[number] = make(start, end)
    return made


Function = TypeVar("Function", bound=Callable[..., float | None])
_ARGUMENTS: Final = ("listed", "k", "relevant", "train", "previous")
_NEEDS: Final = {"train": "train", "previous": "previous_policy"}
"""Argument of a function → the input that it needs."""
NAME: Final = "receval_name"
"""Attribute of a function that has the name of its metric."""


@takes()
def metric(
    name: str,
    *,
    bounds: tuple[float, float] = (0.0, 1.0),
    higher_is_better: bool | None = True,
    cut: bool = True,
    aliases: Iterable[str] = (),
    reference: str = "",
    needs_test: bool = True,
) -> Callable[[Function], Function]:
    """Make a metric named `name` from a function that is called once for each user who counts and has a list, at each cut-off.

        @receval.metric("LateHits", bounds=(0, 1))
        def late_hits(listed: Sequence[receval.Item], k: int | None) -> float:
            '''The share of the hits that are in the second half of the list.'''
            hits = [item for item in listed if item.relevant]
            return sum(item.rank > len(listed) / 2 for item in hits) / len(hits) if hits else 0.0

    The function may have these arguments: `listed` (the first k items of the user's list, in order), `k` (`None`: the whole list),
    `relevant` (every relevant item of the user → its gain), `train` (the items of the user's train rows) and `previous` (each listed item
    that data.previous_policy has → its score there). With `needs_test=False` the metric is about lists alone: it averages over all users
    with a list, and needs no test set; no item is relevant then. If the function returns `None` or NaN, the user has no value and is left
    out. Users without a list count 0, unless the policy for missing lists differs. Its docstring is the page of the metric. With
    `cut=False` the metric takes no cut-off. A function is about a hundred times slower than a metric of receval: about a microsecond per
    listed item.

    Raises `ValueError` if a metric of that name exists, or if the function has other arguments.
    """

    def declare(function: Function) -> Function:
        takes = tuple(inspect.signature(function).parameters)
        unknown = next((argument for argument in takes if argument not in _ARGUMENTS), None)
        if unknown is not None or not takes:
            raise ValueError(f"{name}: a metric may take {', '.join(_ARGUMENTS)}, not {unknown or 'nothing'}")
        if not needs_test and "relevant" in takes:
            raise ValueError(f"{name}: a metric of lists alone (needs_test=False) has no relevant items: it may not take relevant")
        body = _body(name, function, takes, needs_test)
        of_test = ("own_lists", "own_truth") if needs_test else ("own_lists_alone",)
        uses = (*of_test, *(f"own_{argument}" for argument in takes if argument in _NEEDS), "reading")
        kinds: dict[str, Any] = {"higher_is_better": higher_is_better, "cut": cut, "aliases": tuple(aliases), "reference": reference}
        kinds |= {
            "needs": tuple(_NEEDS[argument] for argument in takes if argument in _NEEDS),
            "population": "test" if needs_test else "lists",
        }
        enter(name, family="own", bounds=(float(bounds[0]), float(bounds[1])), uses=uses, **kinds)(body)
        setattr(function, NAME, name)
        return function

    return declare


def name_of(metric_or_name: Any) -> Any:
    """Return the name of the metric that was made from a function; anything else unchanged."""
    return getattr(metric_or_name, NAME, metric_or_name)


def _body(name: str, function: Callable[..., Any], takes: Sequence[str], needs_test: bool) -> Callable[[Measure], Array]:
    """Return the function as the body of a metric."""

    def body(m: Measure) -> Array:
        listed = m.user("own_lists" if needs_test else "own_lists_alone", depth=m.deepest)[0]
        sides = {
            argument: m.user("own_truth" if argument == "relevant" else f"own_{argument}")[0]
            for argument in takes
            if argument in ("relevant", *_NEEDS)
        }
        cutoffs: tuple[int | None, ...] = (None,) if m.cutoffs is None else m.cutoffs
        values = np.zeros((len(cutoffs), m.n_users))
        for user in np.flatnonzero(m.counted_mask & (m.n_recommended[0] > 0)).tolist():
            ranks, items = listed[user]
            for index, k in enumerate(cutoffs):
                n = len(items) if k is None else bisect_right(ranks, k)
                given = {"listed": items[:n], "k": k, **{argument: held[user] for argument, held in sides.items()}}
                values[index, user] = _number(name, function, {key: given[key] for key in takes})
        return values

    body.__doc__ = inspect.getdoc(function) or f"{name}, as the function {function.__name__} computes it."
    body.__module__ = function.__module__ or "__main__"  # code run by exec may have none
    body.__qualname__ = function.__qualname__
    return body


def _number(name: str, function: Callable[..., Any], given: Mapping[str, Any]) -> float:
    """Return the value of the function; `ConfigError` if it fails or does not return a number."""
    try:
        value = function(**given)
    except BaseException as error:
        if plugins.passes(error):
            raise
        raise ConfigError(f"the metric {name} failed for a user: {plugins.reason(error)}", "it is called for every list") from error
    if value is None:
        return math.nan
    if not isinstance(value, numbers.Real | np.number | np.bool_) or math.isinf(value):
        raise ConfigError(f"the metric {name} gave {value!r} for a user", "return a finite number, or None if there is no value")
    return float(value)


__all__ = ["Item", "metric", "name_of"]
