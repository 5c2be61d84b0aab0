"""Bias disparity: how far recommendations change the share of groups of items among the items of groups of users."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

from ..syntax.measure_strings import Params, Scalar, unquoted
from ..tables.array import Array
from ..tables.prepared import Group
from . import registry
from .arrays import NO_VALUE, divide, where
from .fairness import in_group, select_groups
from .measure import Measure
from .notation import tex
from .registry import Many, Text

_PAIR = {
    "users": Text(None, "the column of data.users that names the groups"),
    "items": Text(None, "the column of data.items that names the groups"),
    "user_group": Text("", "one group of users; if not given, all"),
    "item_group": Text("", "one group of items; if not given, all"),
}


_SHARE = r"\frac{\sum_{u \in G} |<rows> \cap G'|}{\sum_{u \in G} |<rows><of_rows>|} \biggl/ \frac{|G'|}{|<of_items>|}"
_PIECES = {
    "source": {"train": "H_u", "test": "T_u"},
    "of_rows": {"all": "", "grouped": r" \cap I_{\mathrm{grouped}}"},
    "of_items": {"grouped": r"I_{\mathrm{grouped}}", "catalogue": "I"},
}
_TABLES = {"train": "profile", "test": "relevant", "lists": "listed"}


def _bias(m: Measure, user: Group, item: Group, source: str) -> Array:
    """Return (share of group `item` among the items of group `user` in `source`) / (share of this group among all items)."""
    rows, column = m.table(_TABLES[source]), str(m.params["items"])
    inside = m.user("user_group", column=str(m.params["users"])) == user.code
    having = m.total(where(inside, rows.tally(in_group(rows, item, column)), 0.0))
    if m.params["of_rows"] == "grouped":
        n_rows = rows.tally(rows.item("group", column=column) > 0)
    else:
        n_rows = m.n_listed if source == "lists" else rows.whole.count("all")
    everything = m.total(where(inside, n_rows, 0.0))
    of_groups = m.params["of_items"] == "grouped"
    size = float(sum(group.size for group in m.groups(f"items.{column}"))) if of_groups else m.number("items")
    return divide(divide(having, everything), item.size / size if size else 0.0)


def _pair_values(m: Measure, value: Callable[[Group, Group], Array]) -> Many:
    """Return a value for every pair of groups, or for the pair or group that the parameters name."""
    only_user, only_item = str(m.params["user_group"]), str(m.params["item_group"])
    values: dict[Params, Array] = {}
    for user in select_groups(m, f"users.{m.params['users']}", only_user):
        for item in select_groups(m, f"items.{m.params['items']}", only_item):
            names = {} if only_user else {"user_group": unquoted(user.name)}
            names |= {} if only_item else {"item_group": unquoted(item.name)}
            values[tuple(names.items())] = value(user, item)
    return values


def _pair_needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    return (f"users.{params['users']}", f"items.{params['items']}", *(("train",) if params.get("source") == "train" else ()))


def _source_tables(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    return "user_group", _TABLES[str(params["source"])]


def _listed_tables(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    return "user_group", "listed", *(() if params["of_rows"] == "grouped" else ("reading",))


_BIAS = {"of_rows": "bias_rows", "of_items": "bias_items"}


metric = partial(
    registry.metric,
    family="fairness",
    texts=_PAIR,
    needs=_pair_needs,
    has_subvalues=lambda params: not (params["user_group"] and params["item_group"]),
    per_model=True,
    population="lists",
    higher_is_better=None,
    reference="Tsintzou, Pitoura and Tsaparas, Bias disparity in recommendation systems, RMSE workshop at RecSys 2019",
)


@metric(
    "BiasDisparityBS",
    axes={"source": "bias_source", **_BIAS},
    bounds=(0.0, math.inf),
    uses=_source_tables,
    cut=False,
    tex=tex(_SHARE.replace("<rows>", "<source>"), **_PIECES),
)
def bias_disparity_bs(m: Measure) -> Many:
    """How strongly a group of users prefers a group of items in the data; use it as the reference for BiasDisparityBR.

    G is a group of users, G' one of items. The value is 1 if users of G have items of G' as often as the share of G' among the items
    suggests, and higher if they have them more often.

    Edge cases: 0 if a divisor is 0.
    """
    return _pair_values(m, lambda user, item: _bias(m, user, item, str(m.params["source"])))


@metric(
    "BiasDisparityBR",
    axes=_BIAS,
    bounds=(0.0, math.inf),
    uses=_listed_tables,
    tex=tex(_SHARE.replace("<rows>", "L_u"), **_PIECES),
)
def bias_disparity_br(m: Measure) -> Many:
    """How strongly the recommendations to a group of users favour a group of items; use it with BiasDisparityBS, the same for the data.

    The value is 1 if users of the group G are recommended items of the group G' as often as the share of G' among the items suggests.

    Edge cases: as for BiasDisparityBS.
    """
    return _pair_values(m, lambda user, item: _bias(m, user, item, "lists"))


@metric(
    "BiasDisparityBD",
    axes={"source": "bias_source", **_BIAS},
    bounds=(-1.0, math.inf),
    uses=lambda params: (*_source_tables(params), *_listed_tables(params)),
    tex=tex(
        r"\frac{\mathrm{BR} - \mathrm{BS}}{\mathrm{BS}} \\ \mathrm{BR} = "
        + _SHARE.replace("<rows>", "L_u")
        + r" \\ \mathrm{BS} = "
        + _SHARE.replace("<rows>", "<source>"),
        **_PIECES,
    ),
)
def bias_disparity_bd(m: Measure) -> Many:
    """How much the recommendations change what a group of users prefers; use it to see if a model strengthens a bias of the data.

    BR is BiasDisparityBR, BS is BiasDisparityBS, with the same parameters. Above 0 the recommendations strengthen the preference of the
    group G for items of the group G', below 0 they weaken it.

    Edge cases: 0 if both BS and BR are 0, no value if only BS is 0.
    """

    def change(user: Group, item: Group) -> Array:
        before, after = _bias(m, user, item, str(m.params["source"])), _bias(m, user, item, "lists")
        return where(before > 0, divide(after - before, before), where(after > 0, NO_VALUE, 0.0))

    return _pair_values(m, change)
