"""The task for every part, as plain values that another machine can receive; and functions that say what measures read."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace

from ..metrics.definition import Definition
from ..metrics.registry import Metric
from ..tables.graph import INPUTS, TABLES, closure
from ..tables.prepared import GroupBy, Prepared
from ..tables.rows import Cutoffs
from .aggregate import needs_values

_OF_HITS: Final = frozenset({"hits", "rated", "ideal", "retrieved", "retrieved_at_k", "n_relevant", "reading"})
"""Tables that a measure based on hits may read: hits, judged items, relevant items, and the length of the list."""
HITS: Final = ("hits", "valued_hits", "ips_hits")
"""Tables of hits: alone, with values, and with weights."""
_VALUED: Final = frozenset({"valued_hits", "valued_relevant", "valued_listed", "ips_hits", "ips_relevant"})
"""Tables that a measure of value may read besides."""
_OF_TRUTH: Final = _OF_HITS | {"judged_rows", "outside", "truth_with_repeats"}
"""Tables that need only two kinds of list rows: those of test pairs, and those of items that are not candidates."""


BOUNDED: Final = ("HitRate", "Recall", "MRR", "nDCG")
"""The metrics that can be bounded over the whole catalogue if a model ranks sampled candidates."""
MOST_BOUNDED: Final = 500
"""The largest cut-off of a measure with such bounds."""


def is_bounded(definition: Definition) -> bool:
    """Return whether a measure has bounds over the whole catalogue, if users have one relevant item."""
    return definition.metric.name in BOUNDED and 0 < (definition.k or 0) <= MOST_BOUNDED


def tables_of(definition: Definition) -> frozenset[str]:
    """Return the tables that a measure reads, directly or through a metric that it combines."""
    return frozenset().union(*(part.tables for part in definition.all))


def needs_scores(definition: Definition) -> bool:
    """Return whether a measure reads the scores of the lists, or predictions."""
    return any(name in TABLES and TABLES[name].reads_scores for name in closure(tables_of(definition)))


def reads_pages(definition: Definition) -> bool:
    """Return whether a measure reads where on a page of several rows an item is; reference lists have no page."""
    return "page_hits" in closure(tables_of(definition))


def reads_whole_lists(definition: Definition) -> bool:
    """Return whether a measure reads every recommended item, not only those in the test file."""
    return _reach_lists(tables_of(definition) - {"reading"})


def _reach_lists(names: Collection[str]) -> bool:
    uses = {used for name in set(names) - _OF_TRUTH - INPUTS for used in TABLES[name].uses}
    return "reading" in uses or (bool(uses) and _reach_lists(uses))


def sums_hits(definition: Definition) -> bool:
    """Return whether a measure is a sum over the user's hits; it may be divided by a sum over the whole list."""
    tables = tables_of(definition)
    has_hits = not tables.isdisjoint(HITS)
    return has_hits and tables <= _OF_HITS | _VALUED | {"listed"} and not definition.metric.per_model


def reads_only_hits(definition: Definition) -> bool:
    """Return whether a measure judges hits and reads no other input."""
    tables = tables_of(definition)
    needs_more = any(True for part in definition.all for _ in part.own_needs)
    reads_hits = "hits" in tables and tables <= _OF_HITS and not needs_more and not definition.metric.per_model
    of_users = definition.population in ("test", "tested") and not definition.combines_means
    return reads_hits and of_users and definition.higher_is_better is not None


class Task(Struct, frozen=True, eq=False, dict=True):
    """The task for every part: the measures, the aggregates of their values, and data known before.

    `pooled` are the indexes of measures that are pooled over users. With `keeps_values` per-user values are kept, unless they are more than
    `most_values`. `by` are the groupings of results; `group_columns` are the groupings whose group is stored with the kept values of each
    user. With `deviations` means have a standard deviation. Only the first `n_split` measures have values by group, by default all.
    """

    prepared: Prepared
    definitions: tuple[Definition, ...]
    aggregates: tuple[str, ...] = ()
    pooled: frozenset[int] = frozenset()
    keeps_values: bool = False
    by: tuple[GroupBy, ...] = ()
    most_values: int | None = None
    group_columns: tuple[GroupBy, ...] = ()
    deviations: bool = False
    n_split: int | None = None

    @cached_property
    def groups(self) -> tuple[MeasureGroup, ...]:
        """Groups of measures that differ only in their cut-off."""
        return group_measures(self.definitions)

    @property
    def per_user_groups(self) -> tuple[MeasureGroup, ...]:
        """Groups of measures with a value per user."""
        return tuple(group for group in self.groups if not group.metric.per_model)

    @property
    def split_groups(self) -> tuple[MeasureGroup, ...]:
        """Groups of measures that are split by items or test rows."""
        return tuple(group for group in self.per_user_groups if sums_hits(group.first) and group.indexes[0] < (self.n_split or math.inf))

    @property
    def model_level_groups(self) -> tuple[MeasureGroup, ...]:
        """Groups of model-level measures."""
        return tuple(group for group in self.groups if group.metric.per_model)

    @cached_property
    def sums(self) -> frozenset[str]:
        """Aggregates of any measure that need sums."""
        names = frozenset(self.aggregates) | {definition.average for definition in self.definitions}
        return names | {"std"} if self.deviations and "mean" in names else names

    @cached_property
    def needs_values(self) -> bool:
        """True if per-user values are kept."""
        return self.keeps_values or self.aggregates_values

    @cached_property
    def aggregates_values(self) -> bool:
        """True if an aggregate reads the values of all users."""
        return any(map(needs_values, self.sums))


class MeasureGroup(Struct, frozen=True):
    """Measures that differ only in their cut-off.

    `indexes` are their indexes among the measures of the run, in the order of `cutoffs`; `components` are the groups of the metrics that
    they combine. `first` is the first of them.
    """

    indexes: tuple[int, ...]
    first: Definition
    cutoffs: Cutoffs
    components: tuple[MeasureGroup, ...] = ()

    @property
    def metric(self) -> Metric:
        """Metric of the group."""
        return self.first.metric

    def for_row_group(self, by: str, name: str) -> MeasureGroup:
        """Return the same measures with only the relevant items of a group of test rows."""
        return replace(
            self, first=self.first.for_row_group(by, name), components=tuple(part.for_row_group(by, name) for part in self.components)
        )

    @property
    def leaves(self) -> tuple[MeasureGroup, ...]:
        """Groups in it that combine no others: MSE and nDCG of F1(RMSE,nDCG)."""
        return tuple(leaf for part in self.components for leaf in part.leaves) if self.components else (self,)


def group_measures(definitions: Sequence[Definition]) -> tuple[MeasureGroup, ...]:
    """Return the groups of the measures of a run."""
    alike: dict[Any, dict[int | None, list[int]]] = {}
    for index, definition in enumerate(definitions):
        metric = definition.metric
        alone = definition.k if metric.one_cutoff else None
        alike.setdefault((_likeness(definition), definition.k is None, alone), {}).setdefault(definition.k, []).append(index)
    groups = []
    for by_cutoff in alike.values():
        for indexes in _rounds(by_cutoff):
            groups.append(_group(definitions, indexes))
    return tuple(groups)


def _rounds(by_cutoff: dict[int | None, list[int]]) -> list[list[int]]:
    """Return the measures by ascending cut-off; a repeated cut-off starts another round."""
    ordered = [by_cutoff[k] for k in sorted(by_cutoff, key=lambda k: k or 0)]
    return [[same[turn] for same in ordered if turn < len(same)] for turn in range(max(map(len, ordered)))]


def _group(definitions: Sequence[Definition], indexes: Sequence[int]) -> MeasureGroup:
    chosen = [definitions[index] for index in indexes]
    first = chosen[0]
    parts = tuple(
        _group([definition.components[part] for definition in chosen], range(len(chosen))) for part in range(len(first.components))
    )
    cutoffs = None if first.k is None else tuple(definition.k for definition in chosen if definition.k is not None)
    return MeasureGroup(tuple(indexes), first, cutoffs, parts)


def _likeness(definition: Definition) -> Any:
    """Return all that the values of a measure depend on, except its cut-off."""
    choices = (definition.truth, definition.lists, definition.user_rules, definition.population, definition.relevance)
    axes = (*(definition.axes[name] for name in ("positions", "float_type")), definition.is_weighted)
    return (definition.metric.name, tuple(sorted(definition.params.items())), choices, axes, tuple(map(_likeness, definition.components)))
