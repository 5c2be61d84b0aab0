"""What the measures of a run ask for together."""

from __future__ import annotations

from functools import cached_property

from msgspec import Struct

from ..config import FormulaEntry
from ..config.judgement import Compare, Gates
from ..config.whole_config import Evaluation
from ..measure.aggregate import needs_values
from ..measure.finishing import chosen
from ..measure.task import Task
from ..measure.tie_bounds import TieMeasures
from ..metrics.definition import Definition
from ..tables.graph import closure
from ..tables.prepared import GroupBy, Prepared


class Plan(Struct, frozen=True, dict=True):
    """The measures of a run, the aggregates that the config asks for, arithmetic of measures, and what results are split `by`.

    Values of users, where they are kept, also have the column of data.users that `clusters` users. Measures that only `composites` are made
    of are computed and not shown.
    """

    shown: tuple[Definition, ...]
    aggregates: tuple[str, ...] = ()
    composites: tuple[FormulaEntry, ...] = ()
    by: tuple[GroupBy, ...] = ()
    clusters: tuple[GroupBy, ...] = ()

    @classmethod
    def of(cls, evaluation: Evaluation, compare: Compare | None = None, gates: Gates | None = None) -> Plan:
        """The plan of the evaluation section of a config; what models are compared by, and judged by, also splits results."""
        by = (*evaluation.by, *(compare.by if compare is not None else ()), *(gates.splits() if gates is not None else ()))
        clusters = (GroupBy("users", compare.cluster.partition(".")[2]),) if compare is not None and compare.cluster else ()
        definitions, formulas = tuple(evaluation.definitions), tuple(evaluation.composites)
        return cls(definitions, tuple(evaluation.aggregates), formulas, tuple(dict.fromkeys(by)), clusters)

    @property
    def group_columns(self) -> tuple[GroupBy, ...]:
        """The groupings that are stored with per-user values."""
        return tuple(dict.fromkeys((*(by for by in self.by if by.kind != "items"), *self.clusters)))

    def task(self, prepared: Prepared, *, keeps_users: bool, most_values: int | None, deviations: bool) -> Task:
        """What is measured of every part of a model; the other parameters are those of `Task`."""
        needs_all = any(needs_values(name) for one in self.definitions for name in chosen(one, self.aggregates))
        return Task(
            prepared,
            self.definitions,
            aggregates=self.aggregates,
            pooled=self.pooled,
            keeps_values=keeps_users,
            by=self.by,
            most_values=None if needs_all else most_values,
            labels=self.group_columns if keeps_users else (),
            deviations=deviations,
        )

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The measures to compute, those that are shown first."""
        return tuple(dict.fromkeys((*self.shown, *(part for composite in self.composites for part in composite.definitions))))

    @cached_property
    def all(self) -> tuple[Definition, ...]:
        """Every definition, also those that another combines."""
        return tuple(dict.fromkeys(inner for definition in self.definitions for inner in definition.all))

    @cached_property
    def pooled(self) -> frozenset[int]:
        """The indexes of the measures that are pooled over users, or combined of means over users."""
        parts = {part for composite in self.composites for part in composite.definitions if part.average == "micro"}
        return frozenset(
            index for index, one in enumerate(self.definitions) if "micro" in chosen(one, self.aggregates) or one in parts or one.of_means
        )

    @cached_property
    def ties(self) -> TieMeasures:
        """The measures that have bounds where scores tie."""
        return TieMeasures.of(self.definitions, self.aggregates)

    @property
    def predicted(self) -> frozenset[int]:
        """The indexes of the measures that look at predicted ratings."""
        return frozenset(index for index, definition in enumerate(self.definitions) if "ratings" in tables_of(definition))

    @property
    def needs_train(self) -> bool:
        """Whether a measure looks at what data.train holds, if it is given."""
        return any(looks_at_train(definition) or definition.user_rules.divisor != "counted" for definition in self.all)

    @property
    def measure_needs(self) -> frozenset[str]:
        """What measures need beside the test file and the lists, and what they use where it is given."""
        return frozenset[str]().union(*(definition.needs for definition in self.all))

    @property
    def needs(self) -> frozenset[str]:
        """The inputs to read beside the test file and the lists: those of measures, and those that results are split by."""
        return self.measure_needs | {by.need for by in (*self.by, *self.clusters)} | ({"known"} if self.needs_train else set())

    @property
    def populations(self) -> frozenset[str]:
        """Whose users count: those of the test file, with a list, of train, of the reference model."""
        return frozenset(definition.population for definition in self.definitions)

    def remarks(self, has_train: bool) -> tuple[str, ...]:
        """Which metrics the libraries do not have, and what the conventions would have done with data.train, had it been given."""
        foreign = [
            f"{name} has no {metric}: it is receval's, under the protocol of the convention {name}."
            for name, metric in dict.fromkeys((one.convention, one.metric.name) for one in self.definitions if not one.of_library)
        ]
        names = sorted({definition.convention for definition in self.all if looks_at_train(definition)})
        if names and not has_train:
            convention = f"Under the convention{'' if len(names) == 1 else 's'} {', '.join(names)}"
            foreign.append(f"{convention} leaves out seen or unknown items by data.train; without data.train nothing was left out.")
        return tuple(foreign)


def tables_of(definition: Definition) -> frozenset[str]:
    """The tables that a measure, and those that it combines, are made of."""
    own = closure(tuple(definition.metric.uses(definition.params)))
    return own.union(*(tables_of(part) for part in definition.components))


def looks_at_train(definition: Definition) -> bool:
    """Whether items or rows that train holds or does not know are left out."""
    return definition.truth.filter != "none" or (definition.lists.seen, definition.lists.unknown) != ("keep", "keep")
