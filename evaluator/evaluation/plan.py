"""The request of a run: a config, its measures with their full definitions, and the parts of the result to keep."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from math import isfinite
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from ..config import FormulaEntry, Loaded
from ..config.judgement import Compare, Gates
from ..config.whole_config import Evaluation
from ..conventions.axes import AXES, PROTOCOL
from ..engines import RowFile
from ..health import CheckTask
from ..metrics.definition import Definition
from ..results.measure_definition import MeasureDefinition
from ..results.row import DEFAULT, LEAST_RATING, Protocol
from ..scoring.aggregate import needs_values
from ..scoring.finishing import aggregates_of
from ..scoring.task import Task, sums_hits, tables_of
from ..scoring.tie_bounds import TieMeasures
from ..tables.graph import closure
from ..tables.prepared import GroupBy, Prepared
from .inputs import NEEDS_OF_ROLES
from .progress import Report, silent


class Plan(Struct, frozen=True, dict=True):
    """The measures of a run, its aggregates, its formulas over measures, and the groups by which results are split.

    Per-user values, if kept, also have the `stored` groups, by which results are not split: clusters of users, and features for a search
    for slices. Measures that only `composites` use are computed
    and not shown. Neither are those `within` each group of test rows in which models are `compared`; see `with_row_groups`.
    """

    shown: tuple[Definition, ...]
    aggregates: tuple[str, ...] = ()
    composites: tuple[FormulaEntry, ...] = ()
    by: tuple[GroupBy, ...] = ()
    stored: tuple[GroupBy, ...] = ()
    compared: tuple[GroupBy, ...] = ()
    within: tuple[Definition, ...] = ()
    weight_of_relevant: str = ""
    """The column of `evaluation.weights` that weights relevant items."""

    @classmethod
    def from_config(
        cls, evaluation: Evaluation, compare: Compare | None = None, gates: Gates | None = None, features: Iterable[GroupBy] = ()
    ) -> Plan:
        """Return the plan of the evaluation section of a config; groups of comparisons and gates also split results.

        `features` are groups of users that are only stored.
        """
        compared = (*(compare.by if compare is not None else ()), *(gates.splits() if gates is not None else ()))
        by = (*evaluation.by, *compared)
        clusters = (GroupBy("users", compare.cluster.partition(".")[2]),) if compare is not None and compare.cluster else ()
        stored = (*clusters, *(feature for feature in features if all(feature.name != other.name for other in by)))
        definitions, formulas = tuple(evaluation.definitions), tuple(evaluation.composites)
        groups = tuple(dict.fromkeys(by)), stored, tuple(dict.fromkeys(compared))
        return cls(definitions, tuple(evaluation.aggregates), formulas, *groups, weight_of_relevant=evaluation.weights.relevant_column)

    def with_row_groups(self, prepared: Prepared) -> Plan:
        """Return the plan with the measures of each group of test rows in which models are compared: their per-user values are kept."""
        of_hits = tuple(definition for definition in self.shown if sums_hits(definition))
        within: dict[str, Definition] = {}
        for by in self.compared:
            cells = of_hits if by.groups_relevant else ()
            for part in by.crossed:
                if part.kind == "rows":
                    cells = tuple(definition.for_row_group(part.name, name) for definition in cells for _, name in prepared.groups_by(part))
            within |= {definition.label: definition for definition in cells}
        shown = {definition.label for definition in self.shown}
        return replace(self, within=tuple(definition for label, definition in within.items() if label not in shown))

    @property
    def group_columns(self) -> tuple[GroupBy, ...]:
        """The groupings that are stored with per-user values."""
        of_users = (part for by in self.compared if by.groups_relevant for part in by.crossed if not part.groups_relevant)
        return tuple(dict.fromkeys((*(by for by in self.by if not by.groups_relevant), *of_users, *self.stored)))

    @property
    def row_groupings(self) -> tuple[GroupBy, ...]:
        """The groupings of test rows, each name once: those that split results, and those that measures are restricted to."""
        in_measures = (by for definition in self.all for by in definition.row_groupings)
        return tuple({by.name: by for by in (*in_measures, *(by for by in self.groupings if by.kind == "rows"))}.values())

    @property
    def groupings(self) -> tuple[GroupBy, ...]:
        """The groupings that split results, those of combinations each by itself."""
        return tuple(dict.fromkeys(part for by in self.by for part in by.crossed))

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """The measures to compute, shown measures first."""
        return tuple(dict.fromkeys((*self.split, *self.within)))

    @cached_property
    def split(self) -> tuple[Definition, ...]:
        """The measures that have values by group: all but those within groups of test rows."""
        return tuple(dict.fromkeys((*self.shown, *(part for composite in self.composites for part in composite.definitions))))

    @cached_property
    def all(self) -> tuple[Definition, ...]:
        """Every definition, including those that another one combines."""
        return tuple(dict.fromkeys(inner for definition in self.definitions for inner in definition.all))

    @cached_property
    def ties(self) -> TieMeasures:
        """The measures that have bounds when scores tie."""
        return TieMeasures.from_definitions(self.definitions, self.aggregates)

    @property
    def weights(self) -> str:
        """The column of users that weights means over them; empty without weights."""
        return next((definition.weights for definition in self.definitions if definition.weights), "")

    @property
    def needs_train(self) -> bool:
        """True if a measure reads data.train when it is given."""
        return any(looks_at_train(definition) or definition.user_rules.divisor != "counted" for definition in self.all)

    @property
    def measure_needs(self) -> frozenset[str]:
        """The inputs that measures need besides the test file and the lists, and those that they use if given (ending in `?`)."""
        return frozenset[str]().union(*(definition.needs for definition in self.all))

    @property
    def needs(self) -> frozenset[str]:
        """The inputs to read besides the test file and the lists: those of measures and those of groups."""
        return (
            self.measure_needs
            | {need for by in (*self.groupings, *self.stored) for need in by.needs}
            | (({"known"} if self.needs_train else set()) | ({self.weights} if self.weights else set()))
        )

    def remarks(self, has_train: bool) -> tuple[str, ...]:
        """Return remarks on metrics that the libraries do not have, and on conventions that would use data.train if it were given."""
        foreign = [
            f"{name} has no {metric}: its formula is that of receval, with the other settings of the convention {name}."
            for name, metric in dict.fromkeys(
                (definition.convention, definition.metric.name) for definition in self.definitions if not definition.of_library
            )
        ]
        names = sorted({definition.convention for definition in self.all if looks_at_train(definition)})
        if names and not has_train:
            convention = f"The convention{'' if len(names) == 1 else 's'} {', '.join(names)}"
            leave = "leaves" if len(names) == 1 else "leave"
            foreign.append(
                f"{convention} {leave} out items or users according to data.train; data.train is not given, so nothing was left out."
            )
        return (*foreign, *self._unweighted())

    def _unweighted(self) -> Iterator[str]:
        """Yield sentences on measures and aggregates that weights do not change."""
        plain = dict.fromkeys(
            definition.spec.title for definition in self.shown if not (definition.value_columns or "weight" in dict(definition.spec.params))
        )
        if self.weight_of_relevant and plain:
            kinds = "Recall, HitRate, DCG and nDCG, and measures of value such as WeightedPrecision and Revenue"
            yield f"Not weighted by {self.weight_of_relevant}: {', '.join(plain)}. These weights are for {kinds}."
        chosen = [
            definition for definition in self.shown if not definition.is_weighted and dict(definition.spec.params).get("average") is None
        ]
        names = list(dict.fromkeys(definition.spec.title for definition in chosen))
        if self.weights and names:
            yield f"Not weighted by {self.weights}: {', '.join(names)}. Only means of per-user values have weights."
        others = [name for name in self.aggregates if name != "mean"]
        if self.weights and others:
            yield f"Not weighted by {self.weights}: the aggregate{'s' * (len(others) > 1)} {', '.join(others)}. Only the mean has weights."


class Options(Struct, frozen=True):
    """Options of a run: its progress report and the parts of the result to keep; see `running.run`."""

    report: Report = silent
    keep_failures: bool = False
    tolerant: bool = False
    keep_users: bool = True
    most_values: int | None = None
    enriched: Path | None = None
    describes: bool = False
    complete: bool = True
    per_user_table: str | None = None
    features: tuple[GroupBy, ...] = ()
    user_file: RowFile | None = None


class Request(Struct, frozen=True, eq=False):
    """A config with one test set, its measures and its checks; without `checks` it only computes values.

    If `compares`, models are compared with reference lists. `more` are read if they are given. With `whole_lists` the lists of a
    matrix of scores have every item, otherwise only the items that a measure may read.
    """

    loaded: Loaded
    plan: Plan
    options: Options = Options()
    checks: CheckTask = field(default_factory=CheckTask.none)
    compares: bool = False
    whole_lists: bool = False
    more: frozenset[str] = frozenset()
    history_of: str | None = None
    """A user whose train rows are read even if nothing else needs data.train; then no others come into memory."""

    @classmethod
    def for_run(cls, loaded: Loaded, options: Options) -> Request:
        """Return the request for a run of a config: its measures, health checks, and the reference lists that it or a check needs."""
        config = loaded.config
        cutoffs = dict.fromkeys(
            definition.k for definition in config.evaluation.computed if definition.metric.cut and definition.k is not None
        )
        checks = CheckTask(
            config.health.settings, config.evaluation.policy.refused, cutoffs=tuple(cutoffs), sees_candidates=options.keep_users
        )
        compares = config.evaluation.yardsticks.any or not checks.wants.isdisjoint(("popularity_lists", "reference_lists"))
        plan = Plan.from_config(config.evaluation, config.compare, config.gates, options.features)
        return cls(loaded, plan, options, checks, compares, whole_lists=config.evaluation.candidates is not None)

    @property
    def evaluation(self) -> Evaluation:
        """The section `evaluation` of the config."""
        return self.loaded.config.evaluation

    @property
    def train_checks(self) -> frozenset[str]:
        """The needs of checks that read data.train with all its users."""
        return frozenset({"train", "catalogue", "times"} & self.checks.needs)

    @property
    def reads_train(self) -> bool:
        """True if a measure, a group or a check needs data.train, if it is given."""
        needs = {need.removesuffix("?").partition(".")[0] for need in replace(self, history_of=None).needs}
        return not needs.isdisjoint(NEEDS_OF_ROLES["train"])

    @property
    def needs(self) -> frozenset[str]:
        """The inputs to inspect if the config gives them, besides the test file and the lists."""
        known = {"known"} if self.train_checks or (self.compares and self.evaluation.yardsticks.any) else set[str]()
        train = self.options.enriched or self.options.describes or self.history_of is not None
        policy = {"previous_policy"} if self.options.enriched else set()
        return self.plan.needs | known | self.more | ({"train"} if train else set()) | policy

    def task(self, prepared: Prepared) -> Task:
        """Return the measurement of every part of a model."""
        plan, options = self.plan, self.options
        pooled = {part for composite in plan.composites for part in composite.definitions if part.average in ("micro", "weighted")}
        aggregates = [aggregates_of(definition, plan.aggregates) for definition in plan.definitions]
        needs_all = any(needs_values(name) for names in aggregates for name in names)
        return Task(
            prepared,
            plan.definitions,
            aggregates=plan.aggregates,
            pooled=frozenset(
                index
                for index, (definition, names) in enumerate(zip(plan.definitions, aggregates, strict=True))
                if not {"micro", "weighted"}.isdisjoint(names) or definition in pooled or definition.combines_means
            ),
            keeps_values=options.keep_users,
            by=tuple(map(prepared.with_borders, plan.by)),
            most_values=None if needs_all else options.most_values,
            group_columns=tuple(map(prepared.with_borders, plan.group_columns)) if options.keep_users else (),
            deviations=options.complete,
            n_split=len(plan.split),
        )

    def protocols(self, test_columns: Collection[str], mean_rating: float | None) -> dict[str, Protocol]:
        """Return the protocol of every measure by its label, and of every formula by its text, with all values that its measures have.

        The test file has `test_columns`; `mean_rating` is the mean of all ratings, if relevance depends on it.
        """
        evaluation = self.evaluation
        by_label: dict[str, tuple[Definition, ...]] = {definition.label: (definition,) for definition in evaluation.computed}
        by_label |= {composite.formula.text: tuple(composite.definitions) for composite in evaluation.composites}
        shared = "top_k" if "top_k" in evaluation.model_fields_set else DEFAULT
        made: dict[str, Protocol] = {}
        for label, parts in by_label.items():
            inner = (definition for part in parts for definition in part.all if "truth_table" in closure(tables_of(definition)))
            rules = (_relevance_of(definition, "rating" in test_columns, mean_rating) for definition in inner)
            origins = (shared if part in evaluation.cut_at_top_k else "measure" for part in parts if part.metric.cut)
            conventions = (part.convention for part in parts)
            made[label] = Protocol(
                ", ".join(dict.fromkeys(conventions)), "; ".join(dict.fromkeys(rules)), ", ".join(dict.fromkeys(origins))
            )
        return made


def _relevance_of(definition: Definition, has_ratings: bool, mean_rating: float | None) -> str:
    """Describe the test rows that are relevant for a measure, such as `a rating of at least 4`."""
    truth = definition.truth
    if not has_ratings:
        return AXES["relevance_rule"].meanings["all_rows"]
    rule = AXES["relevance_rule"].meanings[truth.rule]
    if truth.threshold is not None:
        rule = f"{LEAST_RATING} {truth.threshold:g}"
    elif truth.rule == "all_mean" and mean_rating is not None:
        rule = f"{LEAST_RATING} {mean_rating:.6g} (the mean of all ratings)"
    if truth.gains:
        return f"{rule} (graded, {', '.join(f'{grade:g} counts {gain:g}' for grade, gain in truth.gains)})"
    return f"{rule} (graded)" if truth.graded else rule


def looks_at_train(definition: Definition) -> bool:
    """Return whether a measure leaves out items or rows depending on whether train has them."""
    return definition.truth.filter != "none" or (definition.lists.seen, definition.lists.unknown) != ("keep", "keep")


def _level(definition: Definition) -> dict[str, float]:
    """Return the threshold of the config as a parameter of a measure that reads it, if it does not decide what is relevant there."""
    level, reads = definition.relevance.threshold, definition.axes.get("rndcg_users") == "threshold"
    is_own = reads and "rndcg_users" in definition.metric.axes.values()
    return {"level": level} if is_own and level is not None and definition.truth.threshold is None else {}


def in_full(definition: Definition) -> MeasureDefinition:
    """Return a definition with the value of every axis that it reads."""
    metric = definition.metric
    axes = {name: definition.axes[name] for name in (*PROTOCOL, *dict.fromkeys(metric.axes.values()))}
    return MeasureDefinition(
        metric=metric.name,
        convention=definition.convention,
        higher_is_better=definition.higher_is_better,
        average=definition.average,
        population=definition.population,
        of_models=metric.per_model,
        threshold=definition.truth.threshold,
        graded=definition.truth.graded,
        axes=axes,
        params={name: value if isfinite(value) else str(value) for name, value in definition.numbers.items()}
        | definition.named_texts
        | dict(definition.rows)
        | ({"weights": definition.weights} if definition.is_weighted else {})
        | _level(definition),
        needs=tuple(sorted(definition.needs | ({"train"} if looks_at_train(definition) else set()))),
        components={part.label: in_full(part) for part in definition.components},
    )


def definitions_of(definitions: Iterable[Definition]) -> dict[str, MeasureDefinition]:
    """Return each definition in full, by its printed name without the cut-off."""
    return {definition.spec.title: in_full(definition) for definition in definitions}


def formula_of(parts: Iterable[Definition], higher_is_better: bool | None) -> MeasureDefinition:
    """Return the definition of a formula over measures."""
    components = {part.label: in_full(part) for part in parts}
    conventions = ", ".join(dict.fromkeys(part.convention for part in components.values()))
    return MeasureDefinition("formula", conventions, higher_is_better, average="formula", of_models=True, components=components)
