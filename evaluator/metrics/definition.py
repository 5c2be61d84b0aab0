"""A measure with a value for every setting: from the measure string, else from the convention.

Besides its own parameters every metric takes `convention`, `threshold` (of relevance) and the axes of the protocol by name:
`nDCG(convention=elliot)@10`, `Precision(threshold=4,average=micro)@5`, `MAP(missing_lists=drop)@10`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import inf, nan
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from ..conventions.axis import Lists, Relevance, Truth, UserRules
from ..syntax.measure_strings import UNSET, MetricSpec, Scalar
from ..syntax.value_columns import source_and_column
from ..tables.prepared import GroupBy
from .measure import has_eleven_ranks, last_hit_rank
from .registry import Metric, at

ROWS: Final = "rows."
"""Beginning of parameters that restrict relevant items to a group of test rows: `Recall(rows.event=click)@20`."""

WITH_LISTS: Final = ("lists", "tested_lists", "lists_at_k")
"""Populations of users with a list, with or without relevant items."""
GAINS: Final = "gains"
"""Parameter of a metric that reads grades, with gains for some of them: `nDCG(gains='1=3,2=9')@10`."""


def read_gains(text: Scalar) -> tuple[tuple[float, float], ...]:
    """Read gains of grades, such as `1=3,2=9` or `1:3,2:9`, ascending; raise `ValueError` for anything else."""
    read: dict[float, float] = {}
    for part in str(text).split(",") if text else ():
        grade, _, gain = part.replace(":", "=").partition("=")
        try:
            pair = float(grade), float(gain)
        except ValueError:
            pair = nan, nan
        if not (0 <= pair[0] < inf and 0 <= pair[1] < inf) or pair[0] in read:
            raise ValueError(f"gains are grades from 0 with a gain from 0 for each, once, such as '1=3,2=9', not {str(text)!r}")
        read[pair[0]] = pair[1]
    return tuple(sorted(read.items()))


class Definition(Struct, frozen=True, dict=True):
    """A resolved measure. `spec` is its printed form; `axes` has a value for every axis, `numbers` and `texts` for its own parameters."""

    spec: MetricSpec
    metric: Metric
    convention: str
    axes: Mapping[str, Scalar]
    numbers: Mapping[str, float]
    relevance: Relevance
    components: tuple[Definition, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    of_library: bool = True
    """True if the library of the convention has the metric."""
    weights: str = ""
    """The weights of users in weighted means: `users.COLUMN`; empty if the config has none."""

    def __hash__(self) -> int:
        return hash((self.spec, self.convention, self.relevance))

    @property
    def k(self) -> int | None:
        """Cut-off; `None` is the whole list."""
        return self.spec.k if isinstance(self.spec.k, int) else None

    @property
    def last_rank(self) -> int | None:
        """The last rank that the value depends on; `None` is the whole list."""
        return last_hit_rank(self.k) if self.k is not None and has_eleven_ranks(self.params) else self.k

    @property
    def bounds(self) -> tuple[float, float]:
        """The bounds of a value; hits of eleven ranks divided by those of ten make up to a tenth more."""
        least, most = self.metric.bounds
        return (least, most * 1.1) if self.last_rank != self.k else (least, most)

    @property
    def label(self) -> str:
        """Printed name; without a cut-off for metrics that take none."""
        return self.spec.title if not self.metric.cut or self.spec.k is UNSET else str(self.spec)

    @property
    def printed_spec(self) -> MetricSpec:
        """The measure as printed: without a cut-off if it takes none."""
        return self.spec if self.metric.cut else self.spec.at(UNSET)

    @property
    def has_subvalues(self) -> bool:
        """Return whether it has several values, which further parameters distinguish."""
        return at(self.params, self.metric.has_subvalues)

    @cached_property
    def params(self) -> Mapping[str, Scalar]:
        """Every parameter of the formula with its value."""
        return {key: self.axes[axis] for key, axis in self.metric.axes.items()} | dict(self.numbers) | dict(self.texts)

    @property
    def named_texts(self) -> dict[str, str]:
        """The parameters that are texts, without weights of relevant items if there are none."""
        return {name: text for name, text in self.texts.items() if text or not self.metric.texts[name].shown}

    @property
    def value_columns(self) -> frozenset[str]:
        """Columns of values that it reads, without those of metrics that it combines: `items.price`, or `test.price` of test rows."""
        columns = (self.texts[name] for name, text in self.metric.texts.items() if text.key and self.texts[name] not in text.words)
        return frozenset(".".join(source_and_column(column)) for column in columns if column)

    @property
    def higher_is_better(self) -> bool | None:
        """Return whether a higher value is better; `None` if neither direction is."""
        return at(self.params, self.metric.higher_is_better)

    @property
    def average(self) -> str:
        """Aggregate over users if the config names none."""
        return self.metric.average if self.axes["average"] == "own" else str(self.axes["average"])

    def aggregates(self, named: Sequence[str]) -> tuple[str, ...]:
        """Return the aggregates to compute: those that the config names, with a weighted mean as its mean, or its own if it names none."""
        return tuple(self.average if name == "mean" and self.is_weighted else name for name in named) or (self.average,)

    @property
    def is_weighted(self) -> bool:
        """Return whether its mean over users is weighted."""
        return self.average == "weighted"

    @property
    def combines_means(self) -> bool:
        """Return whether its mean over users is computed from the means of the metrics that it combines."""
        return "f_of" in self.metric.axes.values() and self.axes["f_of"] == "means"

    @property
    def population(self) -> str:
        """The users who count."""
        return self.metric.population if self.axes["population"] == "own" else str(self.axes["population"])

    @cached_property
    def truth(self) -> Truth:
        """Rules for relevant items."""
        applies = self.axes["threshold"] == "applies"
        gains = read_gains(dict(self.spec.params).get(GAINS, ""))
        return Truth(
            rule=str(self.axes["relevance_rule"]),
            threshold=self.relevance.threshold if applies else None,
            graded=bool(gains) or {"configured": self.relevance.graded, "ratings": True, "ones": False}[str(self.axes["grades"])],
            duplicates=str(self.axes["truth_duplicates"]),
            filter=str(self.axes["truth_filter"]),
            rows=self.rows,
            gains=gains,
        )

    @property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """The groups of test rows to which relevant items are restricted: the name of each grouping and of the group."""
        return tuple((key, str(value)) for key, value in self.spec.params if key.startswith(ROWS))

    @property
    def row_groupings(self) -> tuple[GroupBy, ...]:
        """The groupings of test rows to whose groups relevant items are restricted."""
        return tuple(GroupBy("rows", name.removeprefix(ROWS)) for name, _ in self.rows)

    def for_row_group(self, by: str, group: str) -> Definition:
        """Return the same measure with only the relevant items of a group of test rows."""
        return replace(self, spec=self.spec.within(by, group), components=tuple(part.for_row_group(by, group) for part in self.components))

    @cached_property
    def lists(self) -> Lists:
        """Rules for reading a list."""
        names = ("list_order", "tie_order", "score_type", "duplicates", "seen_items", "unknown_items")
        order, ties, score_type, duplicates, seen, unknown = (str(self.axes[name]) for name in names)
        positions = str(self.axes["positions"])
        tied_rank = positions.removeprefix("ties_") if positions.startswith("ties_") else ""
        as_written, drops_identical = positions == "as_written", self.axes["identical_ids"] != "keep"
        scores = str(self.axes["hit_scores"])
        return Lists(order, ties, score_type, duplicates, seen, unknown, as_written, tied_rank, scores, drops_identical)

    @cached_property
    def user_rules(self) -> UserRules:
        """Rules for the users who count."""
        names = ("missing_lists", "no_relevant", "empty_truth", "no_truth", "no_hits", "divisor")
        return UserRules(*(str(self.axes[name]) for name in names))

    @property
    def best_without_relevant(self) -> bool:
        """Return whether a user without a relevant item counts 1."""
        best = self.metric.bounds[1] == 1.0 and self.higher_is_better and not self.metric.per_model
        return bool(best) and self.population == "test" and self.user_rules.no_relevant == "one"

    @property
    def all(self) -> tuple[Definition, ...]:
        """The definition and the definitions that it combines."""
        return (self, *(inner for part in self.components for inner in part.all))

    @property
    def n_leaves(self) -> int:
        """Number of metrics in it that do not combine others."""
        return sum(part.n_leaves for part in self.components) if self.components else 1

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that the body of its metric reads."""
        return tuple(at(self.params, self.metric.uses))

    @property
    def own_needs(self) -> tuple[str, ...]:
        """Inputs that the body of its metric needs besides test and lists."""
        return tuple(at(self.params, self.metric.needs))

    @property
    def needs(self) -> frozenset[str]:
        """Inputs that the definition needs besides test and lists."""
        own = set(self.own_needs)
        own |= {"train"} if self.user_rules.divisor == "train_users" else set()
        own |= {self.population} & {"train", "baseline"}
        own |= {grouping.need for grouping in self.row_groupings}
        own |= {"train?"} if self.truth.rule == "all_mean" and self.truth.threshold is None else set()
        return frozenset(own).union(*(part.needs for part in self.components))

    @property
    def has_tie_bounds(self) -> bool:
        """Return whether the value has exact bounds and an exact mean over the orders of tied scores, if test has no duplicate pairs."""
        own = at(self.params, self.metric.ties) and self.user_rules.no_hits == "zero" and not self.user_rules.may_be_undefined
        pooled = self.average == "micro" and self.is_pooled and not self.components
        plain = self.axes["positions"] in ("real", "as_written") and (self.average in ("mean", "sum", "weighted") or pooled)
        # The mean of two metrics is linear in the hits if both are the number of the same hits divided by a constant.
        parts = tuple(part.metric.name for part in self.components) in ((), ("Precision", "Recall"))
        alike = all((part.truth, part.lists, part.k) == (self.truth, self.lists, self.k) for part in self.components)
        return own and plain and parts and alike and all(part.has_tie_bounds for part in self.components)

    @property
    def reads_predictions(self) -> bool:
        """Return whether the measure uses predictions, if given, instead of the lists, and reads nothing else from a model."""
        return all("predictions?" in part.own_needs and part.population == "tested" for part in self.all)

    @property
    def counts_without_lists(self) -> bool:
        """Return whether users without a list count, so that a model without any list has a value."""
        if self.population == "test":
            return self.user_rules.missing_lists == "zero"
        return self.population not in WITH_LISTS

    @property
    def offset(self) -> float:
        """The t in the gain 2^(g-t+1) - 1."""
        return (self.truth.threshold or 0.0) if self.truth.graded else 1.0

    @property
    def is_pooled(self) -> bool:
        """Return whether the metric can be pooled over users: a ratio, or a formula over such metrics."""
        if self.metric.per_model or self.combines_means:
            return False
        return all(part.is_pooled for part in self.components) if self.components else at(self.params, self.metric.pooled)
