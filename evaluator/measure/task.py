"""What is measured of every part: plain values, which go to another machine as they stand."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from ..metrics.definition import Definition
from ..tables.groups import GroupBy
from ..tables.prepared import Prepared
from .aggregate import needs_values
from .plan import MeasureGroup, grouped


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
