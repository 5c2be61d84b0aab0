"""Bias disparity: how far recommendations change what groups of users have of groups of items.

`users` and `items` name columns of data.users and data.items; a value belongs to a group of users and a group of items.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import narwhals as nw

from ..naming import Scalar, unquoted
from .fairness import chosen, in_group
from .measure import ONE, ZERO, Measure, divide
from .registry import Many, Text, metric
from .side import Group, Params

LIN = "Tsintzou, Pitoura and Tsaparas, Bias disparity in recommendation systems, RMSE workshop at RecSys 2019"
_PAIR = {
    "users": Text(None, "the column of data.users that names the groups"),
    "items": Text(None, "the column of data.items that names the groups"),
    "user_group": Text("", "one group of users; all without it"),
    "item_group": Text("", "one group of items; all without it"),
}


def _bias(m: Measure, user: Group, item: Group, table: str) -> nw.Expr:
    """(the share of group `item` among what group `user` has) / (the share of the group among the items)."""
    kept = {"train": ("profile", "neither"), "test": ("relevant", "truth")}
    rows = m.table(*kept[table]) if table in kept else m.listed
    code, inside = m.user("group", column=str(m.params["users"])), in_group(m, item, "items")
    having = m.total(nw.when(code == user.code).then(rows.tally(inside)).otherwise(ZERO))
    groups = m.groups(f"items.{m.params['items']}")
    if m.params["of_rows"] == "grouped":
        any_group = m.item("group", column=str(m.params["items"])) > 0
        rows_of = rows.tally(any_group)
    else:
        rows_of = rows.whole_count() if table != "listed" else m.n_listed * 1.0
    everything = m.total(nw.when(code == user.code).then(rows_of).otherwise(ZERO))
    size = float(sum(group.size for group in groups)) if m.params["of_items"] == "grouped" else m.number("items")
    return divide(divide(having, everything), nw.lit(item.size / size if size else 0.0))


def _of_pairs(m: Measure, value: Callable[[Group, Group], nw.Expr]) -> Many:
    """A value for every pair of groups, or for the one that is asked for."""
    only_user, only_item = str(m.params["user_group"]), str(m.params["item_group"])
    found: dict[Params, nw.Expr] = {}
    for user in chosen(m, f"users.{m.params['users']}", only_user):
        for item in chosen(m, f"items.{m.params['items']}", only_item):
            told = {} if only_user else {"user_group": unquoted(user.name)}
            told |= {} if only_item else {"item_group": unquoted(item.name)}
            found[tuple(told.items())] = value(user, item)
    return found


def _pair_needs(given: Mapping[str, Scalar]) -> tuple[str, ...]:
    names = given
    return (f"users.{names['users']}", f"items.{names['items']}", *(("train",) if names.get("source") == "train" else ()))


_BIAS = {"of_rows": "bias_rows", "of_items": "bias_items"}


@metric(
    "BiasDisparityBS",
    family="fairness",
    axes={"source": "bias_source", **_BIAS},
    texts=_PAIR,
    bounds=(0.0, math.inf),
    needs=_pair_needs,
    system=True,
    cut=False,
    population="lists",
    higher_is_better=None,
    reference=LIN,
)
def bias_disparity_bs(m: Measure) -> Many:
    """How much more users of a group have of a group of items than its share of the items: the bias of the source.

    BS(g, c) = (rows of users of g with items of c / rows of users of g) / (|c| / N)

    The rows by `source`: those of `train`, or the relevant items (`test`). By `of_rows` the divisor counts `all` rows, or those
    whose item has a group (`grouped`); N by `of_items` the items that have a group, or all of the `catalogue`.

    Edge cases: 0 where a divisor is 0.
    """
    return _of_pairs(m, lambda user, item: _bias(m, user, item, str(m.params["source"])))


@metric(
    "BiasDisparityBR",
    family="fairness",
    axes=_BIAS,
    texts=_PAIR,
    bounds=(0.0, math.inf),
    needs=_pair_needs,
    system=True,
    population="lists",
    higher_is_better=None,
    reference=LIN,
)
def bias_disparity_br(m: Measure) -> Many:
    """How much more users of a group are recommended of a group of items than its share of the items.

    BR(g, c)@k = (first k places of users of g with items of c / first k places of users of g) / (|c| / N)

    Parameters as for BiasDisparityBS. Edge cases: as for BiasDisparityBS.
    """
    return _of_pairs(m, lambda user, item: _bias(m, user, item, "listed"))


@metric(
    "BiasDisparityBD",
    family="fairness",
    axes={"source": "bias_source", **_BIAS},
    texts=_PAIR,
    bounds=(-1.0, math.inf),
    needs=_pair_needs,
    system=True,
    population="lists",
    higher_is_better=None,
    reference=LIN,
)
def bias_disparity_bd(m: Measure) -> Many:
    """How far the recommendations change the bias of the source.

    BD(g, c)@k = (BR(g, c)@k - BS(g, c)) / BS(g, c)

    Parameters as for BiasDisparityBS. Edge cases: 0 where BS and BR are 0, no value where BS alone is 0.
    """

    def change(user: Group, item: Group) -> nw.Expr:
        before, after = _bias(m, user, item, str(m.params["source"])), _bias(m, user, item, "listed")
        return (
            nw.when(before > 0)
            .then((after - before) / nw.when(before > 0).then(before).otherwise(ONE))
            .otherwise(nw.when(after > 0).then(nw.lit(None, dtype=nw.Float64)).otherwise(ZERO))
        )

    return _of_pairs(m, change)
