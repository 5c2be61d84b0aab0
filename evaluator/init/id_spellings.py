"""Ids that two files spell differently, so that they are not the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from .records import File

_FOLDS: Final[dict[str, Callable[[str], str]]] = {
    "white space around them": str.strip,
    "upper and lower case": str.casefold,
    "leading zeros": lambda text: re.sub(r"^0+(?=\d+$)", "", text),
    "a decimal .0": lambda text: re.sub(r"^(-?\d+)\.0+$", r"\1", text),
    "quotation marks": lambda text: text.strip("\"'"),
}
_TOLD: Final = 0.01
"""The least share of ids that a change of spelling must match for it to be told."""


def apart(test: File, others: Sequence[File]) -> tuple[str, ...]:
    """A sentence for each way in which ids of users or items would match those of the test set if they were spelled alike."""
    said: dict[tuple[str, str], list[tuple[File, int, tuple[str, str]]]] = {}
    for other in others:
        for whose in ("user", "item"):
            for called, more, example in _differences(_ids(test, whose), _ids(other, whose)):
                said.setdefault((whose, called), []).append((other, more, example))
    return tuple(_sentence(whose, test, called, found) for (whose, called), found in said.items())


def _differences(one: frozenset[str], two: frozenset[str]) -> Iterator[tuple[str, int, tuple[str, str]]]:
    """What a difference in spelling is called, how many ids it keeps apart, and two of them."""
    for called, fold in _FOLDS.items():
        more = len({fold(text) for text in one} & {fold(text) for text in two}) - len(one & two)
        if more > _TOLD * min(len(one), len(two)):
            yield called, more, _example(one, two, fold)


def strangers(test: File, other: File) -> str:
    """Whose ids two files have none of in common: `user` or `item`; nothing if they have both."""
    return next((whose for whose in ("user", "item") if apart_in(test, other, whose)), "")


def apart_in(test: File, other: File, whose: str) -> bool:
    """Whether no user, or no item, that was seen in one of two files stands anywhere in the other."""
    one, two = _ids(test, whose), _ids(other, whose)
    return one.isdisjoint(two) and not other.columns[whose].holds(one) and not test.columns[whose].holds(two)


def _ids(found: File, whose: str) -> frozenset[str]:
    if found.shape is not None:
        return found.shape.users if whose == "user" else found.shape.items
    return frozenset(found.columns[whose].values) if whose in found.columns else frozenset()


def _example(one: frozenset[str], two: frozenset[str], fold: Callable[[str], str]) -> tuple[str, str]:
    """The first pair of ids, in text order, that are spelled differently and mean the same."""
    other = {fold(text): text for text in sorted(two - one, reverse=True)}
    return next((text, other[fold(text)]) for text in sorted(one - two) if fold(text) in other)


def _sentence(whose: str, test: File, called: str, found: Sequence[tuple[File, int, tuple[str, str]]]) -> str:
    other, more, example = found[0]
    more_files = len(found) - 1
    too = f" (and so in {more_files} other file{'s' if more_files > 1 else ''})" if more_files else ""
    return (
        f"{more:,} {whose} ids of {test.glance.given} and {other.glance.given} differ in {called} only, such as {example[0]!r} and"
        f" {example[1]!r}{too}: ids are compared as they are written"
    )
