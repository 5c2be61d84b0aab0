"""What is measured of every part, as plain values that go to another machine as they stand; and what measures read."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any, Final

from msgspec import Struct

from ..metrics.definition import Definition
from ..metrics.registry import Metric
from ..tables.graph import INPUTS, TABLES, closure
from ..tables.prepared import GroupBy, Prepared
from ..tables.rows import Cutoffs
from .aggregate import needs_values

_OF_HITS: Final = frozenset({"hits", "rated", "ideal", "retrieved", "retrieved_at_k", "n_relevant", "reading"})
"""What a measure of hits reads beside them: judged items, what is relevant, and the length of the list."""
_VALUED: Final = frozenset({"valued_hits", "valued_relevant", "valued_listed"})
"""The same of measures of value."""
_OF_TRUTH: Final = _OF_HITS | {"judged_rows", "outside", "truth_with_repeats"}
"""Tables for which no row of the lists is needed but those of test pairs and of items that are no candidates."""


def tables_of(definition: Definition) -> frozenset[str]:
    """The tables that a measure reads, or a metric that it combines."""
    return frozenset().union(*(part.metric.uses(part.params) for part in definition.all))


def needs_scores(definition: Definition) -> bool:
    """Whether a measure looks at the scores of the lists, or at predictions."""
    return any(name in TABLES and TABLES[name].reads_scores for name in closure(tables_of(definition)))


def reads_whole_lists(definition: Definition) -> bool:
    """Whether a measure looks at every recommended item, not only at those that the test file holds."""
    return _reach_lists(tables_of(definition) - {"reading"})


def _reach_lists(names: Collection[str]) -> bool:
    uses = {used for name in set(names) - _OF_TRUTH - INPUTS for used in TABLES[name].uses}
    return "reading" in uses or (bool(uses) and _reach_lists(uses))


def sums_hits(definition: Definition) -> bool:
    """Whether a measure has a value per user that the user's hits add up to; it may divide by what the whole list adds up to."""
    tables = tables_of(definition)
    has_hits = not tables.isdisjoint(("hits", "valued_hits"))
    return has_hits and tables <= _OF_HITS | _VALUED | {"listed"} and not definition.metric.system


def of_hits(definition: Definition) -> bool:
    """Whether a measure says how good hits are, and looks at nothing beside them."""
    tables = tables_of(definition)
    needs_more = any(True for part in definition.all for _ in part.metric.needs(part.params))
    reads_hits = "hits" in tables and tables <= _OF_HITS and not needs_more and not definition.metric.system
    of_users = definition.population in ("test", "tested") and not definition.of_means
    return reads_hits and of_users and definition.higher_is_better is not None


class Task(Struct, frozen=True, eq=False, dict=True):
    """What is measured of every part: the measures, the aggregates that are made of their values, and what is known before.

    `pooled` are the indexes of measures that are pooled over users; with `keeps_values` the values of every user are kept, unless they are
    more than `most_values`; `by` is what results are split by; values that are kept name the group of each user in each of the `labels`.
    With `deviations` there are standard deviations beside means.
    """

    prepared: Prepared
    definitions: tuple[Definition, ...]
    aggregates: tuple[str, ...] = ()
    pooled: frozenset[int] = frozenset()
    keeps_values: bool = False
    by: tuple[GroupBy, ...] = ()
    most_values: int | None = None
    labels: tuple[GroupBy, ...] = ()
    deviations: bool = False

    @cached_property
    def groups(self) -> tuple[MeasureGroup, ...]:
        """The measures that differ in their cut-off alone, together."""
        return grouped(self.definitions)

    @property
    def of_users(self) -> tuple[MeasureGroup, ...]:
        """The groups of measures with a value per user."""
        return tuple(group for group in self.groups if not group.metric.system)

    @property
    def of_models(self) -> tuple[MeasureGroup, ...]:
        """The groups of measures of whole models."""
        return tuple(group for group in self.groups if group.metric.system)

    @property
    def sums(self) -> frozenset[str]:
        """The aggregates of any measure that are made of sums."""
        wanted = frozenset(self.aggregates) | {definition.average for definition in self.definitions}
        return wanted | {"std"} if self.deviations else wanted

    @property
    def needs_values(self) -> bool:
        """Whether the values of every user are kept."""
        return self.keeps_values or any(map(needs_values, self.sums))


class MeasureGroup(Struct, frozen=True):
    """Measures that differ by their cut-off only.

    `indexes` are their places among the measures of the run, in the order of `cutoffs`; `of` are the groups of the metrics that they
    combine. `first` is any one of them.
    """

    indexes: tuple[int, ...]
    first: Definition
    cutoffs: Cutoffs
    components: tuple[MeasureGroup, ...] = ()

    @property
    def metric(self) -> Metric:
        """The metric of the group."""
        return self.first.metric

    @property
    def leaves(self) -> tuple[MeasureGroup, ...]:
        """The groups that it is made of and that combine no others: MSE and nDCG of F1(RMSE,nDCG)."""
        return tuple(leaf for part in self.components for leaf in part.leaves) if self.components else (self,)


def grouped(definitions: Sequence[Definition]) -> tuple[MeasureGroup, ...]:
    """The groups of the measures of a run."""
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
    """The measures by ascending cut-off; a cut-off that is given twice makes another round."""
    ordered = [by_cutoff[k] for k in sorted(by_cutoff, key=lambda k: k or 0)]
    return [[same[turn] for same in ordered if turn < len(same)] for turn in range(max(map(len, ordered)))]


def _group(definitions: Sequence[Definition], indexes: Sequence[int]) -> MeasureGroup:
    chosen = [definitions[index] for index in indexes]
    first = chosen[0]
    parts = tuple(_group([one.components[part] for one in chosen], range(len(chosen))) for part in range(len(first.components)))
    cutoffs = None if first.k is None else tuple(one.k for one in chosen if one.k is not None)
    return MeasureGroup(tuple(indexes), first, cutoffs, parts)


def _likeness(definition: Definition) -> Any:
    """What the values of a measure depend on, beside its cut-off."""
    choices = (definition.truth, definition.lists, definition.user_rules, definition.population, definition.relevance)
    axes = tuple(definition.axes[name] for name in ("positions", "float_type"))
    return (definition.metric.name, tuple(sorted(definition.params.items())), choices, axes, tuple(map(_likeness, definition.components)))
