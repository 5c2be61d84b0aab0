"""Tables of a part → per-user values of every measure, and sums for model-level values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from ..exact_sums.exact import ExactSums
from ..metrics.arrays import UNDEFINED
from ..metrics.definition import Definition
from ..metrics.measure import BodySettings, Measure, Ratio, Sums, plain
from ..support.errors import DataError
from ..tables.array import Array, in_single_precision
from ..tables.canonical import Canonical
from ..tables.graph import Choice, Notes, Tables, closure
from ..tables.hits import AMONG
from ..tables.prepared import Prepared
from ..tables.rows import PartData, Rows
from .model_level_sums import CollectSums
from .partial import UserFacts, who_counts
from .task import MeasureGroup


class GroupValues(Struct, frozen=True, eq=False):
    """Values of one group of measures for the users of a part, cut-offs × users; `counted_mask` has the users that count.

    NaN: the user does not count, or has no value; infinite: the value is not defined. If the measure can be pooled, `ratios` are the
    numerators and denominators of the users that count, for the metric or for each ratio in it; if means are combined, they are the value
    of each metric and 1, and if the mean is weighted, the value times the user's weight and the weight.
    """

    values: Array
    counted_mask: Array
    n_relevant: Array
    n_recommended: Array
    ratios: tuple[tuple[Array, Array], ...] = ()


class Scorer(Struct, eq=False):
    """Computes measures over the tables of one part; intermediate results that several measures share are computed once."""

    prepared: Prepared
    part: PartData
    tables: Tables
    canonical: Canonical
    facts: UserFacts
    notes: Notes
    """Remarks that functions of tables counted."""
    n_users: int
    """Number of users, or of classes of equal users."""
    _bodies: dict[Any, Any] = field(default_factory=dict)

    @classmethod
    def for_part(cls, prepared: Prepared, part: PartData, known: Mapping[str, Any] = MappingProxyType({})) -> Scorer:
        """Return the scorer of a part; `known` are tables that were computed before."""
        notes = Notes()
        tables = Tables({"part": part, "prepared": prepared, "notes": notes, **known})
        return cls(prepared, part, tables, Canonical(prepared, part, tables), UserFacts.from_part(part), notes, part.n_users)

    def choice(self, definition: Definition) -> Choice:
        """Return the settings for lists and test rows that a measure uses; settings that make no difference in this part become one."""
        positions = str(definition.axes["positions"]) if definition.axes["positions"] in AMONG else "real"  # others are ranks of the lists
        return Choice(self.canonical.lists(definition.lists), self.canonical.truth(definition.truth), positions)

    def counts(self, definition: Definition) -> tuple[Array, Array, Array]:
        """Return for each user: whether the user counts, the number of relevant items, and the length of the list."""
        choice = self.choice(definition)
        n_relevant: Array = self.tables.get("n_relevant", choice)
        n_recommended: Array = self.tables.get("reading", choice).lengths
        return who_counts(definition, self.facts, n_relevant, n_recommended), n_relevant, n_recommended

    def values(self, group: MeasureGroup, sums: Sums) -> GroupValues:
        """Compute a group of measures with per-user values; groups that differ in nothing that matters in this part share them."""
        with within_numbers(group, sums):
            users = self.counts(group.first)
            result = self.body(group, sums, users[0])
            key = self._key_of_values(group, result, users)
            if key not in self._bodies:
                self._bodies[key] = self._compute_values(group, result, users, sums)
            held: GroupValues = self._bodies[key]
            return held

    def _key_of_values(self, group: MeasureGroup, result: Any, users: tuple[Array, Array, Array]) -> Any:
        """Return all that the values of a group depend on: the result of its body, users by their masks, and the rules for some of them."""
        definition, rules, (counts, n_relevant, n_recommended) = group.first, group.first.user_rules, users
        perfect = self._perfect(definition, n_relevant)
        return (
            "values",
            id(result),  # all results are kept, so no two have the same id
            np.packbits(counts).tobytes(),
            None if perfect is None else np.packbits(perfect).tobytes(),
            definition.axes["float_type"],
            rules.missing_lists == "undefined" and not n_recommended.all(),
            rules.empty_truth == "undefined" and self.facts.empty is not None,
            rules.no_hits,
            definition.population == "lists_at_k",
            self.choice(definition)
            if rules.no_hits != "zero" or definition.population == "lists_at_k"
            else None,  # they look at hits and lists
            definition.is_weighted,
        )

    def _compute_values(self, group: MeasureGroup, result: Any, users: tuple[Array, Array, Array], sums: Sums) -> GroupValues:
        definition, (counts, n_relevant, n_recommended) = group.first, users
        values = plain(result)
        values = np.broadcast_to(values, (len(group.indexes), self.n_users))
        values = round_to(values, str(definition.axes["float_type"]))
        if definition.user_rules.missing_lists == "undefined":
            values = np.where(n_recommended > 0, values, UNDEFINED)
        if definition.user_rules.empty_truth == "undefined" and self.facts.empty is not None:
            values = np.where(self.facts.empty, UNDEFINED, values)
        perfect = self._perfect(definition, n_relevant)
        if perfect is not None:
            values = np.where(perfect & ~np.isinf(values), 1.0, values)
        valued = self._valued(group, result, sums, counts)
        ratios = tuple(self._ratios(group, result, sums, counts)) if definition.is_pooled or definition.combines_means else ()
        if perfect is not None:
            ratios = tuple((np.where(perfect, 1.0, part), np.where(perfect, 1.0, whole)) for part, whole in ratios)
            valued = counts & (valued | perfect)
        if definition.is_weighted:
            products = np.where(valued & (self.weights > 0), values, 0.0) * self.weights
            ratios = ((products, np.broadcast_to(self.weights, values.shape)),)
        if not valued.all():
            values = np.where(valued, values, np.nan)
        return GroupValues(values, counts, n_relevant, n_recommended, ratios)

    @property
    def weights(self) -> Array:
        """The weight of each user of the part; 0 for users without one."""
        if "weights" not in self._bodies:
            assert self.prepared.user_weights is not None
            ids, weights = self.prepared.user_weights
            self._bodies["weights"] = np.append(weights, 0.0)[ids.index_of(self.part.users)]
        held: Array = self._bodies["weights"]
        return held

    def total_weight(self, users: Array) -> ExactSums:
        """Return the sum of the weights of some users; most measures are over the same users, so it is added up once for these."""
        key = "total weight", users.tobytes()
        if key not in self._bodies:
            self._bodies[key] = ExactSums.from_values(self.weights[np.newaxis], users)
        total: ExactSums = self._bodies[key]
        return total

    def _perfect(self, definition: Definition, n_relevant: Array) -> Array | None:
        """Return the users who count 1 because they have no relevant item; `None` if there are none."""
        if not definition.best_without_relevant:
            return None
        users: Array = self.facts.tested & (n_relevant == 0)
        if self.facts.empty is not None and definition.user_rules.empty_truth != "as_no_relevant":
            users = users & ~self.facts.empty
        return users if users.any() else None

    def body(self, group: MeasureGroup, sums: Sums, counts: Array) -> Any:
        """Run the body of a metric, or return the result of a body that read the same."""
        choice, parts = self.choice(group.first), [self.body(part, sums, counts) for part in group.components]
        params = tuple(sorted(group.first.params.items()))
        key = group.metric.name, params, choice, group.cutoffs, tuple(map(id, parts))
        known: list[tuple[dict[str, Any], Any, Any]] = [] if group.metric.per_model else self._bodies.setdefault(key, [])
        settings = self._settings(group.first, choice)
        for read, result, _ in known:
            if all(getattr(settings, name) == value for name, value in read.items()):
                return result
        shape = (len(group.indexes), self.n_users)
        measure = self.measure(group, choice, sums, counts, tuple(np.broadcast_to(plain(part), shape) for part in parts))
        with within_numbers(group, sums):
            result = group.metric.define(measure)
        known.append(({name: getattr(settings, name) for name in measure.settings_read}, result, parts))  # parts keep their ids
        return result

    def measure(self, group: MeasureGroup, choice: Choice, sums: Sums, counts: Array, parts: tuple[Array, ...] = ()) -> Measure:
        """Return the input of a metric's body."""
        definition = group.first
        return Measure(
            cutoffs=group.cutoffs,
            params=definition.params,
            tables=self.tables,
            choice=choice,
            prepared=self.prepared,
            n_users=self.n_users,
            counted_mask=counts,
            sums=sums,
            population=(definition.population, definition.user_rules, definition.lists, definition.truth, choice.positions),
            components=parts,
            settings=self._settings(definition, choice),
            declared=closure(definition.tables),
        )

    def _settings(self, definition: Definition, choice: Choice) -> BodySettings:
        """Return what a body can read of a definition beside its parameters and tables."""
        truth, graded = definition.truth, self.tables.get("truth_table", choice).graded
        return BodySettings(
            offset=(truth.threshold or 0.0) if graded else 1.0,
            level=definition.relevance.threshold or 0.0,
            single_precision=definition.lists.score_type == "float32",
            truth_duplicates=truth.duplicates,
        )

    def _valued(self, group: MeasureGroup, result: Any, sums: Sums, counts: Array) -> Array:
        """Return a mask of the users who count, by the axis for users without a hit and by the ranks of their lists."""
        no_hits = group.first.user_rules.no_hits
        if group.first.population == "lists_at_k":
            measure = replace(self.measure(group, self.choice(group.first), sums, counts), declared=closure(("reading",)))
            counts = counts & (measure.n_listed > 0)
        if no_hits in ("drop", "drop_or_zero"):
            if isinstance(result, Ratio):
                return counts & (np.asarray(result.numerator) > 0)
            hits: Rows = self.tables.get("hits", self.choice(group.first))
            return counts & (np.asarray(hits.sums(None, group.cutoffs)) > 0)
        if no_hits == "drop_if_undefined" and isinstance(result, Ratio):
            return counts & (np.asarray(result.denominator) > 0)
        return counts

    def _ratios(self, group: MeasureGroup, result: Any, sums: Sums, counts: Array) -> list[tuple[Array, Array]]:
        shape = (len(group.indexes), self.n_users)
        if group.first.combines_means:
            means = [self.body(part, sums, counts) for part in group.components]
            return [(np.broadcast_to(plain(mean), shape), np.ones(shape)) for mean in means]
        ratios = [self.body(leaf, sums, counts) for leaf in group.leaves] if group.components else [result]
        return [(np.broadcast_to(ratio.numerator, shape), np.broadcast_to(ratio.denominator, shape)) for ratio in ratios]


@contextmanager
def within_numbers(group: MeasureGroup, sums: Sums) -> Iterator[None]:
    """Turn an overflow into a `DataError`.

    An infinite value raises when values are added up; the difference or the ratio of two would be NaN, which means that a user does not
    count. Model-level sums that are only collected, and metrics from outside of receval, may give 0/0.
    """
    lenient = (group.metric.per_model and isinstance(sums, CollectSums)) or group.metric.origin != "receval"
    invalid = np.geterr()["invalid"] if lenient else "raise"
    try:
        with np.errstate(over="ignore", invalid=invalid):
            yield
    except (OverflowError, FloatingPointError):
        raise beyond_numbers(group.first) from None


def beyond_numbers(definition: Definition) -> DataError:
    """Return the error for a measure with a value that is too large for a float."""
    exponential = any(str(part.params.get("gain", "")).startswith("exp") for part in definition.all)
    return DataError(
        f"data.test: {definition.label} is too large for a number: a rating, score or prediction is too large",
        "use gain=linear, or remove relevance.graded" if exponential else "correct the largest ratings, scores or predictions",
    )


def round_to(values: Array, float_type: str) -> Array:
    """Return values in the precision of the axis `float_type`."""
    if float_type.startswith("decimals"):
        return np.round(values, int(float_type.removeprefix("decimals")))
    return in_single_precision(values).astype(np.float64) if float_type == "float32" else values
