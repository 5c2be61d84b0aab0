"""The measures of a run → their definitions in full, and the protocol of each, as results keep them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from math import isfinite

from ..config.whole_config import Evaluation
from ..conventions.axes import AXES, PROTOCOL
from ..metrics.definition import Definition
from ..results.result import MeasureDefinition
from ..results.row import DEFAULT, Protocol
from .plan import looks_at_train, tables_of


def in_full(definition: Definition) -> MeasureDefinition:
    """A definition with the value of every axis that it reads."""
    metric = definition.metric
    axes = {name: definition.axes[name] for name in (*PROTOCOL, *dict.fromkeys(metric.axes.values()))}
    return MeasureDefinition(
        metric=metric.name,
        convention=definition.convention,
        higher_is_better=definition.higher_is_better,
        average=definition.average,
        population=definition.population,
        of_models=metric.system,
        threshold=definition.truth.threshold,
        graded=definition.truth.graded,
        axes=axes,
        params={name: value if isfinite(value) else str(value) for name, value in definition.numbers.items()} | dict(definition.texts),
        needs=tuple(sorted(definition.needs | ({"train"} if looks_at_train(definition) else set()))),
        components={part.label: in_full(part) for part in definition.components},
    )


def formula_of(parts: Iterable[Definition]) -> MeasureDefinition:
    """The definition of arithmetic of measures."""
    components = {part.label: in_full(part) for part in parts}
    conventions = ", ".join(dict.fromkeys(part.convention for part in components.values()))
    return MeasureDefinition("formula", conventions, None, average="formula", of_models=True, components=components)


def protocols_of(evaluation: Evaluation, test_columns: Collection[str], mean_rating: float | None) -> dict[str, Protocol]:
    """The protocol of every measure of a config by its label, and of arithmetic by its text.

    The test file has `test_columns`; `mean_rating` is the mean of all ratings, where relevance depends on it.
    """
    by_label: dict[str, tuple[Definition, ...]] = {definition.label: (definition,) for definition in evaluation.computed}
    by_label |= {composite.formula.text: composite.definitions for composite in evaluation.composites}
    return {label: protocol_of(definitions, evaluation, test_columns, mean_rating) for label, definitions in by_label.items()}


def protocol_of(
    definitions: Iterable[Definition], evaluation: Evaluation, test_columns: Collection[str], mean_rating: float | None = None
) -> Protocol:
    """The protocol of a measure, or of arithmetic of several: what differs among them is all named."""
    parts = tuple(definitions)
    inner = [one for part in parts for one in part.all]
    rules = (relevance_of(one, "rating" in test_columns, mean_rating) for one in inner if "truth_table" in tables_of(one))
    shared = "top_k" if "top_k" in evaluation.model_fields_set else DEFAULT
    origins = (shared if part in evaluation.cut_at_top_k else "measure" for part in parts if part.metric.cut)
    return Protocol(
        ", ".join(dict.fromkeys(part.convention for part in parts)),
        "; ".join(dict.fromkeys(rules)),
        ", ".join(dict.fromkeys(origins)),
    )


def relevance_of(definition: Definition, has_ratings: bool, mean_rating: float | None = None) -> str:
    """Which test rows are relevant to a measure, such as `a rating of at least 4`."""
    truth = definition.truth
    if not has_ratings:
        return AXES["relevance_rule"].meanings["all_rows"]
    rule = AXES["relevance_rule"].meanings[truth.rule]
    if truth.threshold is not None:
        rule = f"a rating of at least {truth.threshold:g}"
    elif truth.rule == "all_mean" and mean_rating is not None:
        rule = f"a rating of at least {mean_rating:.6g} (the mean of all ratings)"
    return f"{rule} (graded)" if truth.graded else rule
