"""Settings of a config that no measure uses: what has no effect is said, never passed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..metrics import Definition
from ..names import yaml_text as text
from ..tables.graph import closure
from .models import Config, Evaluation


def unused(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Every setting of the evaluation that has no effect, with its path and the reason."""
    evaluation = config.evaluation
    judging = [inner for definition in evaluation.computed for inner in definition.all if _judges(inner)]
    conventions = ", ".join(dict.fromkeys(definition.convention for definition in evaluation.computed))
    yield from _of_relevance(evaluation, judging, conventions)
    in_file_order = all(inner.lists.order == "file" for definition in evaluation.computed for inner in definition.all)
    if evaluation.policy.tie_order is not None and in_file_order:
        reason = f"the convention {conventions} reads lists in the order of the file, in which nothing is tied"
        yield ("evaluation", "policy", "tie_order"), f"has no effect: {reason}"


def _of_relevance(evaluation: Evaluation, judging: Sequence[Definition], conventions: str) -> Iterator[tuple[text.Path, str]]:
    relevance, place = evaluation.relevance, ("evaluation", "relevance")
    given = relevance.model_fields_set
    if relevance.threshold is not None and not any(one.truth.threshold == relevance.threshold for one in judging):
        named = all(one.truth.threshold is not None for one in judging)
        reason = "every measure names its own" if named else f"the convention {conventions} says by itself what is relevant"
        yield (*place, "threshold"), f"has no effect: {reason if judging else 'no measure looks at what is relevant'}"
    if relevance.graded and not any(map(_looks_at_grades, judging)):
        reason = f"under the convention {conventions} every relevant item counts the same" if judging else "no measure looks at ratings"
        yield (*place, "graded"), f"has no effect: {reason}; leave it out, or choose another convention"
    if "graded" in given and not relevance.graded and judging and all(one.axes["grades"] == "ratings" for one in judging):
        yield (
            (*place, "graded"),
            f"has no effect: the convention {conventions} takes the rating as the grade; write grades=ones in a measure",
        )


def _judges(definition: Definition) -> bool:
    """Whether a measure looks at what is relevant."""
    return "truth_table" in closure(tuple(definition.metric.uses(definition.params)))


def _looks_at_grades(definition: Definition) -> bool:
    """Whether the grade of a relevant item may matter to a measure."""
    return definition.axes["grades"] != "ones" and definition.params.get("gain") != "binary"
