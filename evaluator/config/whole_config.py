"""The config as frozen models. Validation opens no data and changes nothing."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple, Self

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    StrictBool,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)

from .. import conventions, metrics
from ..conventions import axis
from ..metrics import Definition, Load
from ..metrics.f_of_means import as_arithmetic
from ..metrics.weights import KEY
from ..syntax import formula
from ..syntax.formula import Formula, is_formula
from ..syntax.measure_strings import CUTOFF_KEYS, UNSET, MetricSpec, measures_of, parse
from .card import Card
from .data import Data
from .data_sets import DataSetEntries
from .data_sources import Model, as_list
from .evaluation_keys import Aggregate, CandidatesConfig, GroupBys, ValueColumnsConfig, WeightsConfig, Yardsticks, YardsticksConfig
from .judgement import Compare, Gates
from .metric_entries import read_cutoffs, read_entry
from .odd_data import Health, HealthField, Policy
from .run_sections import EngineChoice, Output, ReportConfig, Trackings

_CUTOFF: dict[str, Any] = {"anyOf": [{"type": "integer", "minimum": 1}, {"enum": ["none", None]}]}
_GRID: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "type": {"enum": ["int", "long"]},
        "values": {"anyOf": [_CUTOFF, {"type": "array", "items": _CUTOFF}]},
        "range": {"description": "start, start + step, …, end; one interval or a list of them"},
    },
}
_CUTOFFS: dict[str, Any] = {"anyOf": [_CUTOFF, {"type": "array", "items": _CUTOFF, "minItems": 1}, _GRID]}
_ENTRY: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "description": "a name or a measure string, such as nDCG(gain=linear)@10"},
        {"type": "object", "description": "{name: F1, beta: 0.5, k: [5, 10]} or {MAP: {cutoff: {values: [1, 5]}}}"},
    ]
}
_ENTRIES: dict[str, Any] = {
    "anyOf": [{"type": "array", "items": _ENTRY}, {"type": "object", "description": "name: {cutoff: …}", "additionalProperties": True}]
}


class RelevanceConfig(Model):
    """Relevance of test items: which are relevant, and their gains."""

    threshold: Annotated[float, Field(allow_inf_nan=False)] | None = Field(
        None, description="the lowest rating of a relevant item; if not given, every rating above 0 is relevant"
    )
    graded: StrictBool = Field(False, description="whether the rating is the gain of a relevant item; otherwise the gain is 1")


def _as_threshold(value: Any) -> Any:
    """Return a number alone as the mapping whose threshold it is."""
    return {"threshold": value} if isinstance(value, int | float) and not isinstance(value, bool) else value


def _convention(name: Any, info: ValidationInfo) -> Any:
    loaded = _loader(info)(str(name))
    metrics.check(loaded)
    return loaded.name if str(name).lower() == loaded.name else name


def _loader(info: ValidationInfo) -> Load:
    """Return a function that loads conventions by name, or by path relative to the folder of the config."""
    folder = (info.context or {}).get("folder")
    return partial(conventions.load, folder=folder)


def _cutoffs(value: Any, info: ValidationInfo) -> Any:
    """Return the cut-offs of the config, or those of the convention if none are given."""
    if value is None:
        raise ValueError("this key is empty: give cut-offs, such as [10, 20], or none for the whole list")
    return _loader(info)(str(info.data.get("convention", "receval"))).top_k if value == () else read_cutoffs(value)


def _read_entry(value: Any, info: ValidationInfo) -> Any:
    load = _loader(info)
    convention = load(str(info.data.get("convention", "receval")))
    weights = info.data.get("weights", WeightsConfig.model_construct()).users or ""
    if isinstance(value, str) and is_formula(value):
        arithmetic = formula.read(value)
        if arithmetic.alone:
            return _read_entry(str(arithmetic.alone), info)
        arithmetic = arithmetic.with_measures(lambda spec: convention.parse(str(spec)))
        for spec in arithmetic.measures:
            if metrics.resolve(spec, convention, load, weights=weights).has_subvalues:
                raise ValueError(f"{spec} has several values: name the group")
        return (arithmetic,)
    try:
        specs = convention.parse_all(value) if isinstance(value, str) else read_entry(value)
    except ValueError as error:
        raise ValueError(f"{error}{_without_spaces(value)}") from None
    with suppress(ValueError):  # what is wrong is reported below
        resolved = partial(metrics.resolve, convention=convention, load=load, weights=weights)
        texts = [as_arithmetic(spec, convention, load, resolved) for spec in specs]
        if any(texts):
            return tuple(measure for spec, text in zip(specs, texts, strict=True) for measure in _read_entry(text or str(spec), info))
    written = (_plainly(value) or specs[0],) if isinstance(value, str) and len(specs) == 1 else specs
    for spec, as_written in zip(specs, written, strict=True):
        has_cutoff = spec.k is not UNSET or any(key in CUTOFF_KEYS for key, _ in convention.read(spec).params)
        if not has_cutoff and info.data.get("top_k") == (None,):
            convention.refuse_without_cutoff(as_written.name)
        try:
            metrics.resolve(spec, convention, load, weights=weights)
        except ValueError as error:
            raise ValueError(f"{error}{_others(value)}") from None
    return specs


def _without_spaces(value: Any) -> str:
    """Return a hint if a measure begins with the name of a metric in several words; else an empty text."""
    words = re.match(r"\w+( \w+)+", value) if isinstance(value, str) else None
    with suppress(ValueError):
        return f" — or did you mean '{metrics.find(words[0]).name}{value[words.end() :]}'?" if words else ""
    return ""


def _plainly(text: str) -> MetricSpec | None:
    try:
        return parse(text)
    except ValueError:
        return None


def _others(value: Any) -> str:
    """Return a hint that names the conventions that know a spelling; empty if none does."""
    names = []
    for name in conventions.builtin_names() if isinstance(value, str) else ():
        with suppress(ValueError):
            known = conventions.load(name)
            if known.parse(value) != _plainly(value) and metrics.resolve(known.parse(value), known):
                names.append(name)
    return f"; {value} is a spelling of {' and '.join(names)}: write convention: {names[0]}" if names else ""


def _list_of_entries(value: Any) -> Any:
    if isinstance(value, Mapping) and "name" in value:  # one entry without its dash
        value = [value]
    if isinstance(value, Mapping) and len(value) > 1 and any(key in value for key in CUTOFF_KEYS):
        value = [value]
    entries = [{name: body} for name, body in value.items()] if isinstance(value, Mapping) else as_list(value)
    if isinstance(value, str):
        entries = measures_of((value,))
    if isinstance(entries, list | tuple) and len(entries) > 10_000:  # more take minutes to read and are a mistake
        raise ValueError(f"at most 10,000 metrics can be listed, not {len(entries):,};  top_k gives cut-offs to all")
    return entries


Entry = Annotated[
    tuple[MetricSpec | Formula, ...],
    BeforeValidator(_read_entry),
    WithJsonSchema(_ENTRY),
]
Entries = Annotated[tuple[Entry, ...], BeforeValidator(_list_of_entries), WithJsonSchema(_ENTRIES)]


class FormulaEntry(NamedTuple):
    """A formula over measures, and the definitions of these measures."""

    formula: Formula
    definitions: tuple[Definition, ...]

    @property
    def higher_is_better(self) -> bool | None:
        """Return the direction of a sum of measures that all improve it in the same direction; any other formula has none.

        A measure of which lower is better improves the sum if its weight is below 0.
        """
        weights = self.formula.weights
        if weights is None:
            return None
        known = ((definition.higher_is_better, weights.get(definition.printed_spec, 0.0)) for definition in self.definitions)
        ways = {None if better is None else better == (weight > 0) for better, weight in known if weight}
        return ways.pop() if len(ways) == 1 else None


class Evaluation(Model):
    """Metrics and settings of the evaluation."""

    convention: Annotated[str, BeforeValidator(_convention)] = Field(
        "receval", description="the convention: the library whose definitions are used"
    )
    relevance: Annotated[
        RelevanceConfig,
        BeforeValidator(_as_threshold, json_schema_input_type=float | RelevanceConfig),
    ] = Field(RelevanceConfig.model_construct(), description="which test items are relevant")
    policy: Policy = Field(
        Policy.model_construct(), description="how odd data are handled, for every metric; the convention decides the rest"
    )
    weights: WeightsConfig = Field(
        WeightsConfig.model_construct(),
        description="the weights of users in means over users, and of the relevant test rows or items in measures based on hits",
    )
    top_k: Annotated[
        tuple[int | None, ...],
        BeforeValidator(_cutoffs),
        WithJsonSchema(_CUTOFFS),
    ] = Field(
        default_factory=lambda: (),
        validate_default=True,
        description="cut-offs for metrics without one: an integer, a list, or a grid; none means the whole list. If not given, 10, or "
        "the whole list if that is the default of the convention's library",
    )
    metrics: Entries = Field((), description="the metrics: names, measure strings, mappings, or grids by name")
    complex_metrics: Entries = Field((), description="metrics that combine metrics, such as F1 of nDCG and MAP; written as in metrics")
    yardsticks: Yardsticks = Field(
        YardsticksConfig.model_construct(), description="reference lists that are evaluated beside the models: oracle, popularity, random"
    )
    aggregates: tuple[Aggregate, ...] = Field(
        (), description="how per-user values are combined; if not given, as the convention does: the mean for nearly all metrics"
    )
    by: GroupBys = Field(
        (),
        description="also compute values per group of users (users.COLUMN, train_count:4, cold), and those based on hits per group of "
        "relevant items (items.COLUMN) or of test rows (rows.COLUMN, rows.repeat, rows.timestamp:7d)",
    )
    value_columns: ValueColumnsConfig = Field(
        ValueColumnsConfig.model_construct(),
        description="which columns hold the value of an item or a test row, for Revenue, Profit and the weighted measures",
    )
    candidates: CandidatesConfig | None = Field(
        None, description="how the candidates in the lists were sampled, for bounds of the values over the whole catalogue"
    )
    _folder: Path = PrivateAttr(Path())

    @model_validator(mode="after")
    def _some_metric(self, info: ValidationInfo) -> Self:
        if not self.metrics and not self.complex_metrics:
            raise ValueError("there are no metrics: list some under evaluation.metrics")
        self._folder = (info.context or {}).get("folder", Path())
        return self

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """Every measure once, in the order given, with its cut-off, under the convention of the config (formulas excluded)."""
        return tuple(dict.fromkeys(self.resolve(spec) for spec in self.written))

    @cached_property
    def composites(self) -> tuple[FormulaEntry, ...]:
        """Every formula once, at every cut-off of `top_k` if it names none, with its measures."""
        formulas = (entry for given in (*self.metrics, *self.complex_metrics) for entry in given if isinstance(entry, Formula))
        return tuple(dict.fromkeys(entry for given in formulas for entry in self._composites_of(given)))

    def _composites_of(self, given: Formula) -> Iterator[FormulaEntry]:
        """Yield a formula at each of its cut-offs, with its measures."""
        open_ended = any(self._is_open(spec) for spec in given.measures)
        for k in self.top_k if open_ended else (None,):
            parts = {spec: self.resolve(spec.at(k) if self._is_open(spec) else spec) for spec in given.measures}
            printed = given.with_measures({spec: part.printed_spec for spec, part in parts.items()}.__getitem__)
            yield FormulaEntry(printed, tuple(parts.values()))

    @cached_property
    def labels(self) -> list[str]:
        """The labels of measures and the texts of formulas, as results and reports name them."""
        return [
            *(definition.label for definition in self.definitions),
            *dict.fromkeys(composite.formula.text for composite in self.composites),
        ]

    @cached_property
    def computed(self) -> tuple[Definition, ...]:
        """Every definition to compute, including those that only formulas use."""
        return tuple(dict.fromkeys((*self.definitions, *(part for composite in self.composites for part in composite.definitions))))

    def _is_open(self, spec: MetricSpec) -> bool:
        """Return whether a measure is computed at every cut-off of `top_k`."""
        definition = self.resolve(spec)
        return definition.spec.k is UNSET and definition.metric.cut

    @cached_property
    def cut_at_top_k(self) -> frozenset[Definition]:
        """The measures that name no cut-off and take those of `top_k`, including those that only formulas use."""
        chosen = self._load(self.convention)
        entries = [entry for given in (*self.metrics, *self.complex_metrics) for entry in given]
        specs = [spec for entry in entries for spec in (entry.measures if isinstance(entry, Formula) else (entry,))]
        read = [spec if "convention" in dict(spec.params) else chosen.read(spec) for spec in specs]
        return frozenset(self.resolve(spec.at(k)) for spec in read if self._is_open(spec) for k in self.top_k)

    @cached_property
    def written(self) -> tuple[MetricSpec, ...]:
        """Every measure as written, with its cut-off, in the names of receval."""
        specs = (spec for entry in (*self.metrics, *self.complex_metrics) for spec in entry if isinstance(spec, MetricSpec))
        return tuple(at_cutoff for spec in specs for at_cutoff in self._at_cutoffs(spec))

    def _at_cutoffs(self, spec: MetricSpec) -> tuple[MetricSpec, ...]:
        """Return a measure at each cut-off of `top_k`; one with a cut-off keeps it where it is written: nDCG@2 or nDCG(k=2)."""
        read = spec if "convention" in dict(spec.params) else self._load(self.convention).read(spec)
        return tuple(read.at(k) for k in self.top_k) if self._is_open(read) else (read,)

    def unreadable(self) -> Iterator[tuple[tuple[str, int], str]]:
        """Yield key, position and problem of each entry that has no definition at a cut-off, or with other keys of the config."""
        for key in ("metrics", "complex_metrics"):
            for index, entry in enumerate(getattr(self, key)):
                try:
                    for part in entry:
                        _ = [*self._composites_of(part)] if isinstance(part, Formula) else [*map(self.resolve, self._at_cutoffs(part))]
                except ValueError as error:
                    yield (key, index), str(error)

    def define(self, text: str) -> Definition:
        """Read a measure under the convention of the config, at the first of `top_k` if it names no cut-off.

        Raises `ValueError` if it cannot be read.
        """
        spec = self._load(self.convention).parse(text)
        definition = self.resolve(spec)
        return self.resolve(spec.at(self.top_k[0])) if definition.spec.k is UNSET and definition.metric.cut else definition

    def resolve(self, spec: MetricSpec, convention: str | None = None, *, own_relevance: bool = False) -> Definition:
        """Return `spec` with all its settings by `convention`, or by that of the config; raise `ValueError` if it is wrong.

        With `own_relevance` the convention decides what is relevant, whatever `relevance` is set.
        """
        relevance = axis.Relevance() if own_relevance else axis.Relevance(self.relevance.threshold, self.relevance.graded)
        chosen = self._load(convention or self.convention)
        of_relevant = self.weights.relevant_column
        columns = {**({KEY: of_relevant, "weight": of_relevant} if of_relevant else {}), **self.value_columns.by_key}
        return metrics.resolve(spec, chosen, self._load, relevance, self.policy.axes, columns, self.weights.users or "")

    @cached_property
    def _load(self) -> Load:
        """The function that returns a convention, each of which is read once."""
        return cache(partial(conventions.load, folder=self._folder))


class Config(Model):
    """A whole config file."""

    data: Data
    evaluation: Evaluation
    datasets: DataSetEntries = Field(
        None,
        exclude=True,
        description="several data sets: names that replace {dataset} in paths, or the keys of data that differ, by name",
    )
    dataset: str | None = Field(None, exclude=True, description="the data set to evaluate; receval compare --across evaluates all of them")
    engine: Annotated[
        EngineChoice,
        BeforeValidator(lambda value: {"name": value} if isinstance(value, str) else value, json_schema_input_type=str | EngineChoice),
    ] = Field(EngineChoice.model_construct())
    health: HealthField = Field(  # type: ignore[assignment]  # create_model says the type of the base
        Health.model_construct(), description="severities and limits of the health checks, by id; off: no checks"
    )
    compare: Compare = Field(Compare.model_construct(), description="which differences between models are tested, and how")
    gates: Gates = Field(Gates.model_construct(), description="rules that a model must pass before it ships")
    report: ReportConfig = Field(ReportConfig.model_construct(), description="what reports show, and which report files a run writes")
    card: Card = Field(Card.model_construct(), description="what only the author knows, for the card of the results (receval card)")
    track: Trackings = Field(
        (), description="experiment trackers that receive the results: mlflow, wandb, dvc, tensorboard, or trackers of installed packages"
    )
    output: Annotated[
        Output,
        BeforeValidator(lambda value: {"dir": value} if isinstance(value, str) else value, json_schema_input_type=str | Output),
    ] = Field(Output.model_construct())
