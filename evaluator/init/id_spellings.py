"""Detect ids that two files spell differently, so that they do not match."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from .records import ClassifiedFile

_FOLDS: Final[dict[str, Callable[[str], str]]] = {
    "surrounding white space": str.strip,
    "upper and lower case": str.casefold,
    "leading zeros": lambda text: re.sub(r"^0+(?=\d+$)", "", text),
    "a decimal .0": lambda text: re.sub(r"^(-?\d+)\.0+$", r"\1", text),
    "quotation marks": lambda text: text.strip("\"'"),
}
_WORTH_SAYING: Final = 0.01
"""The least share of ids that must differ in spelling only for a warning."""


def spelling_doubts(test: ClassifiedFile, others: Sequence[ClassifiedFile]) -> tuple[str, ...]:
    """Return a sentence for each difference in spelling that keeps user or item ids from matching those of the test set."""
    differences: dict[tuple[str, str], list[_Difference]] = {}
    for other in others:
        for role in ("user", "item"):
            for difference in _differences(test, other, role):
                differences.setdefault((role, difference.name), []).append(difference)
    return tuple(_sentence(role, test, same) for (role, _), same in differences.items())


class _Difference(NamedTuple):
    """A difference in spelling between the ids of the test set and of another file, with two ids as an example."""

    name: str
    file: ClassifiedFile
    n_ids: int
    example: tuple[str, str]


def _differences(test: ClassifiedFile, file: ClassifiedFile, role: str) -> Iterator[_Difference]:
    test_ids, ids = _ids(test, role), _ids(file, role)
    for name, fold in _FOLDS.items():
        n_ids = len({fold(text) for text in test_ids} & {fold(text) for text in ids}) - len(test_ids & ids)
        if n_ids > _WORTH_SAYING * min(len(test_ids), len(ids)):
            unmatched = {fold(text): text for text in sorted(ids - test_ids, reverse=True)}
            first = next(text for text in sorted(test_ids - ids) if fold(text) in unmatched)
            yield _Difference(name, file, n_ids, (first, unmatched[fold(first)]))


def role_without_common_ids(test: ClassifiedFile, other: ClassifiedFile) -> str:
    """Return `user` or `item` if two files have no such id in common; empty if they share both."""
    return next((role for role in ("user", "item") if have_no_common_ids(test, other, role)), "")


def have_no_common_ids(test: ClassifiedFile, other: ClassifiedFile, role: str) -> bool:
    """Whether no previewed user, or item, of one file occurs anywhere in the other."""
    test_ids, ids = _ids(test, role), _ids(other, role)
    return test_ids.isdisjoint(ids) and not other.columns[role].contains_any(test_ids) and not test.columns[role].contains_any(ids)


def _ids(file: ClassifiedFile, role: str) -> frozenset[str]:
    if file.pair_summary is not None:
        return file.pair_summary.users if role == "user" else file.pair_summary.items
    return frozenset(file.columns[role].examples) if role in file.columns else frozenset()


def _sentence(role: str, test: ClassifiedFile, same: Sequence[_Difference]) -> str:
    first, n_more = same[0], len(same) - 1
    too = f" (and so in {n_more} other file{'s' if n_more > 1 else ''})" if n_more else ""
    return (
        f"{first.n_ids:,} {role} ids of {test.summary.path} and {first.file.summary.path} differ in {first.name} only, such as"
        f" {first.example[0]!r} and {first.example[1]!r}{too}: ids are compared as written"
    )
