"""A measure → by which definitions its value is computed: what results say beside every value."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace

from ..config.models import Evaluation
from ..conventions import AXES
from ..metrics.definition import Definition
from ..results.protocol import DEFAULT, Protocol
from ..results.result import Row
from .models import Evaluated
from .plan import tables_of


def protocols_of(evaluation: Evaluation, test_columns: Collection[str], mean_rating: float | None) -> dict[str, Protocol]:
    """The protocol of every measure of a config by its label, and of arithmetic by its text.

    The test file has `test_columns`; `mean_rating` is the mean of all ratings, where relevance depends on it.
    """
    by_label: dict[str, tuple[Definition, ...]] = {definition.label: (definition,) for definition in evaluation.computed}
    by_label |= {composite.formula.text: composite.definitions for composite in evaluation.composites}
    return {label: protocol_of(definitions, evaluation, test_columns, mean_rating) for label, definitions in by_label.items()}


def with_protocols(model: Evaluated, protocols: Mapping[str, Protocol]) -> Evaluated:
    """The model, each row with the protocol of its measure."""

    def with_protocol(row: Row, label: str) -> Row:
        return replace(row, protocol=protocols.get(label))

    measured = zip(model.plan.definitions, model.finished.rows, strict=True)
    rows = [[with_protocol(row, definition.label) for row in of_one] for definition, of_one in measured]
    formulas = tuple(with_protocol(row, row.metric) for row in model.formulas)
    by_group = tuple(with_protocol(row, row.measure) for row in model.by_group)
    return replace(model, finished=replace(model.finished, rows=rows), formulas=formulas, by_group=by_group)


def protocol_of(
    definitions: Iterable[Definition], evaluation: Evaluation, test_columns: Collection[str], mean_rating: float | None = None
) -> Protocol:
    """The protocol of a measure, or of arithmetic of several: what differs among them is all named."""
    parts = tuple(definitions)
    inner = [one for part in parts for one in part.all]
    rules = (relevance_of(one, "rating" in test_columns, mean_rating) for one in inner if "truth_table" in tables_of(one))
    origins = (_cutoff_from(part, evaluation) for part in parts if part.metric.cut)
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


def _cutoff_from(definition: Definition, evaluation: Evaluation) -> str:
    if definition not in evaluation.cut_at_top_k:
        return "measure"
    return "top_k" if "top_k" in evaluation.model_fields_set else DEFAULT
