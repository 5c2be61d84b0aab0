"""Ids that two files spell differently, so that they are not the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ..guess import File

_FOLDS: Final[dict[str, Callable[[str], str]]] = {
    "white space around them": str.strip,
    "upper and lower case": str.casefold,
    "leading zeros": lambda text: re.sub(r"^0+(?=\d+$)", "", text),
    "a decimal .0": lambda text: re.sub(r"^(-?\d+)\.0+$", r"\1", text),
    "quotation marks": lambda text: text.strip("\"'"),
}
_TOLD: Final = 0.01
"""The least share of ids that a change of spelling must match for it to be told."""


def apart(test: File, other: File) -> tuple[str, ...]:
    """A sentence for each way in which ids of users or items in `other` would match those of `test` if they were spelled alike."""
    said = []
    for whose in ("user", "item"):
        one, two = _ids(test, whose), _ids(other, whose)
        if not one or not two:
            continue
        same = len(one & two)
        for called, fold in _FOLDS.items():
            folded = {fold(text) for text in one} & {fold(text) for text in two}
            more = len(folded) - same
            if more > _TOLD * min(len(one), len(two)):
                said.append(_sentence(whose, test, other, called, more, _example(one, two, fold)))
    return tuple(said)


def strangers(test: File, other: File) -> str:
    """Whose ids two files have none of in common (`user` or `item`), as far as they were seen to their ends; otherwise nothing."""
    if not all(found.glance.exact and found.glance.n_seen == found.glance.n_rows for found in (test, other)):
        return ""
    return next((whose for whose in ("user", "item") if not _ids(test, whose) & _ids(other, whose)), "")


def _ids(found: File, whose: str) -> frozenset[str]:
    if found.shape is not None:
        return found.shape.users if whose == "user" else found.shape.items
    return frozenset(found.columns[whose].values) if whose in found.columns else frozenset()


def _example(one: frozenset[str], two: frozenset[str], fold: Callable[[str], str]) -> tuple[str, str]:
    """The first pair of ids, in text order, that are spelled differently and mean the same."""
    other = {fold(text): text for text in sorted(two - one, reverse=True)}
    return next((text, other[fold(text)]) for text in sorted(one - two) if fold(text) in other)


def _sentence(whose: str, test: File, other: File, called: str, more: int, example: tuple[str, str]) -> str:
    return (
        f"{more:,} {whose} ids of {test.glance.given} and {other.glance.given} differ in {called} only, such as {example[0]!r} and"
        f" {example[1]!r}: ids are compared as they are written"
    )
