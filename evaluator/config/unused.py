"""Settings of a config that no measure uses: what has no effect is said, never passed over."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from ..measure.reads import needs_scores
from ..metrics import Definition
from ..names import yaml_text as text
from ..tables.graph import closure, varies_with
from .models import Config, Evaluation

_WITH_LISTS: Final = ("lists", "tested_lists")
"""Populations of users who have a list, whatever is relevant."""
_SUBJECTS: Final = {
    "duplicates": "lists",
    "truth_duplicates": "the test file",
    "seen_items": "lists",
    "unknown_items": "lists",
    "missing_lists": "users without a list",
    "no_relevant": "users without a relevant item",
    "no_truth": "users without a test row",
    "tie_order": "lists",
}
"""What the axes of the policy are about."""


def unused(config: Config) -> Iterator[tuple[text.Path, str]]:
    """Every setting of the evaluation that has no effect, with its path and the reason."""
    evaluation = config.evaluation
    judging = [inner for definition in evaluation.computed for inner in definition.all if _judges(inner)]
    conventions = ", ".join(dict.fromkeys(definition.convention for definition in evaluation.computed))
    yield from _of_relevance(evaluation, judging, conventions)
    for axis, reason in _of_policy(evaluation, conventions):
        yield ("evaluation", "policy", axis), f"has no effect: {reason}"
    for key, reason in _of_measures(evaluation):
        yield ("evaluation", key), f"has no effect: {reason}"


def _of_policy(evaluation: Evaluation, conventions: str) -> Iterator[tuple[str, str]]:
    everything = [inner for definition in evaluation.computed for inner in definition.all]
    for axis, value in evaluation.policy.axes.items():
        looking = [one for one in everything if looks_at(one, axis, value)]
        if not looking:
            yield axis, f"no measure looks at {_SUBJECTS[axis]}"
        elif not any(one.axes[axis] == value for one in looking):
            yield axis, f"every measure names its own {axis}"
        elif axis == "tie_order" and all(one.lists.order == "file" for one in looking):
            yield axis, f"the convention {conventions} reads lists in the order of the file, in which nothing is tied"


def looks_at(definition: Definition, axis: str, value: str) -> bool:
    """Whether a value of an axis may change who counts for a measure, or what the measure reads."""
    population = definition.population
    if axis == "missing_lists" and value == "undefined":
        return not definition.metric.system and population not in _WITH_LISTS
    if axis in ("missing_lists", "no_relevant", "no_truth"):
        return population == "test"
    tables = definition.metric.uses(definition.params)
    if axis == "truth_duplicates":
        return population == "test" or any("truth" in varies_with(name) for name in tables)
    empties_lists = axis in ("seen_items", "unknown_items") and (population in _WITH_LISTS or population == "test")
    return empties_lists or any("lists" in varies_with(name) for name in tables)


def _of_measures(evaluation: Evaluation) -> Iterator[tuple[str, str]]:
    if evaluation.aggregates and all(one.metric.system for one in evaluation.computed):
        yield "aggregates", "every measure is a value of the whole model, not of users"
    if evaluation.yardsticks.any and all(map(needs_scores, evaluation.definitions)):
        yield "yardsticks", "every measure looks at scores or predictions, which made lists do not have"


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
