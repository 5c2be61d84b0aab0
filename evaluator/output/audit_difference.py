"""Why two conventions differ, as a page for people, as CSV and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator

from msgspec import to_builtins

from ..content.numbers import decimals, number
from ..results.audit_difference import FORMAT_VERSION, ConventionDifference, MeasureDifference
from . import csv_text
from .blocks import Block, Grid, Heading, Points, Prose, Terms

_RULE = (
    "Line by line one more choice is made as {second} makes it, in the order in which an evaluation makes them: the value so far, and in "
    "parentheses what the line adds. In another order the lines may add something else; their sum stays."
)


def page(difference: ConventionDifference) -> list[Block]:
    """For each measure the steps from the one convention to the other, what the choices mean, and which of them change nothing."""
    blocks: list[Block] = [Heading(f"From {difference.first} to {difference.second}"), Prose(_RULE.format(second=difference.second))]
    for measure in difference.measures:
        blocks += [Heading(measure.measure, 2), *_blocks(difference, measure)]
    return [*blocks, *([Points(difference.remarks)] if difference.remarks else [])]


def _blocks(difference: ConventionDifference, measure: MeasureDifference) -> Iterator[Block]:
    if measure.reason:
        yield Prose(f"Nothing to compare: {measure.reason}.")
        return
    models = difference.models
    places = decimals([*measure.first.values(), *measure.second.values()])
    effective = [index for index in range(len(measure.steps)) if measure.has_effect(index)]
    rows = [("", f"as {difference.first}", *(number(measure.first[model], places) for model in models))]
    for index in effective:
        step = measure.steps[index]
        values = (_with_change(step.so_far[model], measure.added(index, model), places) for model in models)
        rows.append((step.choice, f"{step.before} → {step.after}", *values))
    if any(abs(measure.rest(model) or 0.0) > 10**-places for model in models):
        rows.append(
            ("", "how it reads the measure", *(_with_change(measure.second[model], measure.rest(model), places) for model in models))
        )
    rows.append(("", f"as {difference.second}", *(number(measure.second[model], places) for model in models)))
    yield Grid(("choice", "is changed", *models), tuple(rows), numbers=frozenset(models))
    dependent = [index for index in effective if measure.depends_on_order(index)]
    if dependent:
        alone = [
            (measure.steps[index].choice, *(_signed(measure.added_alone(index, model), places) for model in models)) for index in dependent
        ]
        yield Prose(f"Changed alone, with all else as {difference.first} has it, these add something else:")
        yield Grid(("choice", *models), tuple(alone), numbers=frozenset(models))
    if effective:
        yield Terms(tuple(_meaning(difference, measure, index) for index in effective), code=False)
    silent = [step.choice for index, step in enumerate(measure.steps) if index not in effective]
    if silent:
        yield Prose(f"Different, and without effect on these files: {', '.join(silent)}.")


def _meaning(difference: ConventionDifference, measure: MeasureDifference, index: int) -> tuple[str, str]:
    step = measure.steps[index]
    before, after = (meaning or value for meaning, value in zip(step.meanings, (step.before, step.after), strict=True))
    return step.choice, f"{step.decides}. {difference.first}: {before}. {difference.second}: {after}."


def _with_change(value: float | None, change: float | None, places: int) -> str:
    return number(value, places) + (f" ({_signed(change, places)})" if value is not None and change is not None else "")


def _signed(change: float | None, places: int) -> str:
    if change is None:
        return ""
    size = number(abs(change), places, rounded=True)
    return f"{'-' if change < 0 else '+'}{size}" if size.strip("0.") else size


def as_csv(difference: ConventionDifference, *, spreadsheet_safe: bool = False) -> str:
    """One row per measure, model and step, in full precision; the first and the last step are the conventions themselves."""
    rows: list[tuple[str, ...]] = [("measure", "model", "choice", "before", "after", "value", "added", "added_alone")]
    for measure in difference.measures:
        for model in difference.models:
            rows.append((measure.measure, model, "", difference.first, difference.first, _written(measure.first[model]), "", ""))
            for index, step in enumerate(measure.steps):
                numbers = (step.so_far[model], measure.added(index, model), measure.added_alone(index, model))
                rows.append((measure.measure, model, step.choice, step.before, step.after, *map(_written, numbers)))
            rows.append((measure.measure, model, "", difference.second, difference.second, _written(measure.second[model]), "", ""))
    return csv_text.as_csv(rows, spreadsheet_safe=spreadsheet_safe)


def _written(value: float | None) -> str:
    return "" if value is None else repr(value)


def as_json(difference: ConventionDifference) -> str:
    """The whole difference in full precision; see `FORMAT_VERSION`."""
    return json.dumps({"format_version": FORMAT_VERSION, **to_builtins(difference)}, indent=2, ensure_ascii=False) + "\n"
