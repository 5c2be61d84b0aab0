"""Sentences on signatures that a result was computed from: whether its measures have them again, and what differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ..results.result import Result
from ..results.row import listed, shortened
from ..results.signature import PROGRAM, Signature, read_signature, signatures

_MEANT: Final = {"test": "the test set is another one", "users": "other users count"}


def reproduced(result: Result, lines: Iterable[str]) -> list[str]:
    """Return sentences on the signatures that `lines` name: those that measures of a result have again, and how others differ."""
    given = {line: read_signature(line) for text in lines for line in map(str.strip, text.splitlines()) if line}
    here = list(signatures(result).values())
    same = [signature.measure for line, signature in given.items() if signature in here]
    others = (signature for signature in given.values() if signature not in here)
    has = f"The result has the signature{'' if len(same) == 1 else 's'} of {listed(same)} again."
    return [*([has] if same else []), *(_differing(other, here) for other in others)]


def _differing(one: Signature, here: Iterable[Signature]) -> str:
    """Return how the signature of a measure differs from the nearest one of a result."""
    near = min((other for other in here if other.measure == one.measure), key=lambda other: len([*_pairs(one, other)]), default=None)
    if near is None:
        return f"The result has no measure with the signature of {one.measure}."
    pairs = [*_pairs(one, near)]
    differs = [f"{name}={found} instead of {wanted}" for name, wanted, found in pairs if wanted and found]
    lacks = [f"{name}={found}" for name, wanted, found in pairs if not wanted]
    without = [f"without {name}={wanted}" for name, wanted, found in pairs if not found]
    means = [text for name, text in _MEANT.items() if one.facts.get(name) != near.facts.get(name)][:1]
    said = [", ".join((*differs, *without))] if differs or without else []
    said += [f"the given one does not name {shortened(lacks)}"] if lacks else []
    return f"{one.measure} has another signature here: {'; '.join((*said, *means))}."


def _pairs(one: Signature, other: Signature) -> Iterator[tuple[str, str, str]]:
    """Yield each part in which two signatures of a measure differ: its name, and both values."""
    mine, others = ({PROGRAM: each.version, **each.settings, **each.facts} for each in (one, other))
    for name in {**mine, **others}:
        if mine.get(name) != others.get(name):
            yield name, mine.get(name, ""), others.get(name, "")
