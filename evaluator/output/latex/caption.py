"""What a reader of a table has to know: users, convention, relevance, marks, and the measures in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ...metrics import METRICS
from ...metrics.catalogue import shown
from ...results.definition import MeasureDefinition
from ...results.result import Result
from .marks import TableMarks

_MOST_SENTENCES: Final = 3


def caption_of(result: Result, marks: TableMarks) -> str:
    """The users, the convention, what is relevant, and what the marks mean."""
    sentences = [f"Results over {_users(result)}.", *_protocol(result)]
    directions = {better for better in result.higher_is_better.values() if better is not None}
    arrows = {True: "\u2191 higher is better", False: "\u2193 lower is better"}
    meaning = [*(arrows[better] for better in sorted(directions, reverse=True)), *marks.notes]
    return " ".join((*sentences, *([_capitalised("; ".join(meaning)) + "."] if meaning else [])))


def definitions_in_short(result: Result) -> list[str]:
    """The measures with every choice that their formulas make, in a sentence each."""
    return [f"{name}: {choices}." for name, one in result.definitions.items() if (choices := _choices(one))]


def _users(result: Result) -> str:
    n_users = {row.n_users for row in result.rows if row.aggregate != "formula" and row.model not in result.yardsticks}
    if not n_users:
        return "no users"
    least, most = min(n_users), max(n_users)
    return f"{most:,} user{'' if most == 1 else 's'}" if least == most else f"{least:,} to {most:,} users"


def _protocol(result: Result) -> Iterator[str]:
    """The conventions and rules of relevance of all measures; of many how many there are."""
    protocols = dict.fromkeys(row.protocol for row in result.rows if row.protocol is not None)
    conventions = list(dict.fromkeys(one.convention for one in protocols if one))
    relevance = list(dict.fromkeys(one.relevance for one in protocols if one and one.relevance))
    if len(relevance) == len(conventions) == 1:
        yield f"Convention {conventions[0]}: {relevance[0]} is relevant."
    elif conventions:
        yield f"Convention{'' if len(conventions) == 1 else 's'} {', '.join(conventions)}."
        if len(relevance) <= _MOST_SENTENCES:
            yield from (f"Relevant: {rule}." for rule in relevance)


def _choices(definition: MeasureDefinition) -> str:
    metric = METRICS.get(definition.metric)
    if metric is None:
        return ""
    choices = {key: definition.axes[axis] for key, axis in metric.axes.items()} | dict(definition.params)
    return ", ".join(f"{key} {shown(value)}" for key, value in choices.items() if value != "")


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
