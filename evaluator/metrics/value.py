"""Metrics of value: revenue, profit, and accuracy weighted by a column of the items or of the test rows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Final

from ..syntax.measure_strings import Scalar
from ..syntax.value_columns import source_and_column
from ..tables import pair_values  # noqa: F401, declares the tables
from ..tables.array import Array
from . import registry
from .arrays import divide_or_missing
from .measure import Measure, Ratio
from .registry import Text
from .table_views import CutTable
from .weights import is_column

OF_RELEVANT: Final = "relevant_values"
OF_LISTED: Final = "listed_values"
VALUE_NEEDS: Final = (OF_RELEVANT, OF_LISTED)
"""The needs of a measure without a column of values: of the relevant items, or of all listed items, which test rows do not have."""

_REVENUE: Final = Text(None, "the column of values", "revenue")
_WEIGHT: Final = Text(None, "the column of weights", "weight")


def _needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    column = str(params["column"])
    return (".".join(source_and_column(column)),) if column else (OF_RELEVANT,)


def _needs_of_items(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    column = str(params["column"])
    return _needs(params) if column and source_and_column(column)[0] == "items" else (OF_LISTED,)


def _table(m: Measure, name: str) -> CutTable:
    """Return a table with the `value` of each row."""
    return m.table(name, column=m.params["column"], repeated=m.truth_duplicates)


def _hit_value(m: Measure) -> Array:
    """Return Σ v_i over the hits."""
    hits = _table(m, "valued_hits")
    return hits.exact_sum(hits["value"], "value")


def _relevant_value(m: Measure) -> Array:
    """Return Σ v_i over the relevant items."""
    relevant = _table(m, "valued_relevant")
    return relevant.whole.exact_sum(relevant["value"], "value")


_HITS_OF = r"\sum_{i \in L_u \cap T_u} v_i"
_SHARE = rf"\frac{{{_HITS_OF}}}{{\sum_{{i \in T_u}} v_i}}"


metric = partial(registry.metric, family="value", validate=is_column)
share = partial(metric, uses=("valued_hits", "valued_relevant"), needs=_needs, tex=_SHARE, by_item=True)


@metric(
    "Revenue",
    uses=("valued_hits",),
    texts={"column": _REVENUE},
    needs=_needs,
    bounds=(0.0, math.inf),
    tex=_HITS_OF,
    reference="the value of the hits; with a value of 1 for each item it is Hits",
    by_item=True,
)
def revenue(m: Measure) -> Array:
    """The value of the hits, such as their price; use it if a hit is worth as much as its item costs.

    v_i is a number in a `column` of data.items (`items.price`), or of the test rows (`rows.price`), which says what this user paid.
    If `column` is not given, `evaluation.value_columns.revenue` names it. The mean over users is the revenue per user; the aggregate `sum`
    is that of all users.

    Edge cases: a missing value counts 0, and the run says how many there are. A value below 0 is refused: Profit takes them. Of a pair
    with several test rows the row with the highest value counts, unless `truth_duplicates` is `sum`, which adds the rows up, or `first` or
    `last`; where each row is a relevant item of its own (`rows`, `rows_count`), each has the mean value of the rows.
    """
    return _hit_value(m)


@share("RevenueShare", texts={"column": _REVENUE}, reference="Recall in which each relevant item counts with its value")
def revenue_share(m: Measure) -> Ratio:
    """The value of the hits as a share of that of all relevant items; use it to compare revenue between users who spend much and little.

    v_i is as in Revenue, and so is its `column`. Pooled over users (`micro`) it is the share of the revenue of all users.

    Edge cases: a user whose relevant items have no value in total is left out, as a user without relevant items is. Missing values and
    repeated test rows count as in Revenue; a value below 0 is refused.
    """
    return Ratio(_hit_value(m), _relevant_value(m), None)


@metric(
    "Profit",
    uses=("valued_hits",),
    texts={"column": Text(None, "the column of values", "profit")},
    needs=_needs,
    bounds=(-math.inf, math.inf),
    tex=_HITS_OF,
    reference="Revenue in which values may be below 0",
)
def profit(m: Measure) -> Array:
    """The profit of the hits, such as their margin; use it instead of Revenue if some items are sold at a loss.

    v_i is as in Revenue, and may be below 0. If `column` is not given, `evaluation.value_columns.profit` names it.

    Edge cases: missing values and repeated test rows count as in Revenue. The value has no bounds: a longer list may have a lower profit.
    """
    return _hit_value(m)


@metric(
    "WeightedPrecision",
    uses=("valued_hits", "valued_listed"),
    texts={"column": _WEIGHT},
    needs=_needs_of_items,
    tex=rf"\frac{{{_HITS_OF}}}{{\sum_{{i \in L_u}} v_i}}",
    reference="Precision in which each listed item counts with its weight",
    by_item=True,
)
def weighted_precision(m: Measure) -> Ratio:
    """The weight of the hits as a share of that of all recommended items; use it if a wrong item costs as much as its weight.

    v_i is a number in a `column` of data.items, such as `items.price`; if it is not given, `evaluation.value_columns.weight` names it. The
    weights cannot come from test rows, because these have none for the other listed items. With the same weight for all items it is
    Precision with `denominator` = `list_length`.

    Edge cases: an empty list counts 0, and so does a list of items without weight. A missing weight is 0; a weight below 0 is refused.
    """
    listed = m.table("valued_listed", column=m.params["column"])
    return Ratio(_hit_value(m), listed.exact_sum(listed["value"], "value"))


@share("WeightedRecall", texts={"column": _WEIGHT}, reference="Recall in which each relevant item counts with its weight")
def weighted_recall(m: Measure) -> Ratio:
    """The weight of the hits as a share of that of all relevant items; use it if some relevant items matter more than others.

    v_i is a number in a `column` of data.items (`items.price`), or of the test rows (`rows.quantity`); if it is not given,
    `evaluation.value_columns.weight` names it. With the same weight for all items it is Recall. The formula is that of RevenueShare.

    Edge cases: a user whose relevant items have no weight in total is left out. A missing weight is 0; a weight below 0 is refused.
    Repeated test rows count as in Revenue.
    """
    return Ratio(_hit_value(m), _relevant_value(m), None)


@metric(
    "WeightedHitRate",
    uses=("valued_hits", "valued_relevant"),
    texts={"column": _WEIGHT},
    needs=_needs,
    tex=r"\frac{\max_{i \in L_u \cap T_u} v_i}{\max_{i \in T_u} v_i}",
    reference="HitRate in which a hit counts with its weight, as a share of that of the best possible hit",
)
def weighted_hit_rate(m: Measure) -> Array:
    """The weight of the best hit as a share of that of the user's best relevant item; use it if one hit is enough but not all are alike.

    v_i is as in WeightedRecall. With the same weight for all items it is HitRate.

    Edge cases: without a hit it is 0. A user whose relevant items all have the weight 0 is left out. A missing weight is 0; a weight below
    0 is refused. Repeated test rows count as in Revenue.
    """
    hits, relevant = _table(m, "valued_hits"), _table(m, "valued_relevant")
    return divide_or_missing(hits.max(hits["value"], "value"), relevant.max(relevant["value"], "value"))
