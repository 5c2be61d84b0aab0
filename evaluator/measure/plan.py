"""The measures of a run, put together so that each metric is computed for all its cut-offs at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ..metrics.definition import Definition
from ..metrics.registry import Metric
from ..tables.rows import Cutoffs


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
    """The measures by ascending cut-off; a cut-off that stands twice makes another round."""
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
