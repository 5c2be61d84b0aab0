"""Which of the files of interactions is the test set, and which the train set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from . import name_words
from .datasets import has_lists, rank
from .records import File

_MOSTLY = 0.5


@dataclass(frozen=True)
class Truth:
    """The test and the train set, the files that could be either with the reason, and what is unsure."""

    test: File | None = None
    train: File | None = None
    others: tuple[tuple[str, File, str], ...] = ()
    doubts: tuple[str, ...] = ()
    problem: str = ""
    why: dict[str, str] = field(default_factory=dict)


def leading(interactions: Sequence[File], lists: Sequence[File]) -> File | None:
    """The file that is taken for the test set, unless what else there is speaks against it."""
    return next(iter(_candidates(interactions, lists)), None)


def truth(interactions: Sequence[File], lists: Sequence[File]) -> Truth:
    """The test and the train set among `interactions`, told by names, then by sizes and by the pairs they share."""
    candidates = _candidates(interactions, lists)
    if not candidates:
        return Truth(problem=_none(interactions))
    test, rest = candidates[0], [found for found in interactions if found is not candidates[0]]
    train, others, doubts = _train(test, rest)
    if rank(test) < 2:
        why, unsure = test.why, _rivals(test, candidates[1:])
    else:
        if train is None and not others and not any(_common(test, found) for found in lists):
            said = "has no recommended pair in it: it seems to be what the models learnt from, and no other file could be the test set"
            return Truth(problem=f"{test.glance.given} {said}")
        why = f"smaller than {train.glance.given}, and no name says test" if train else "users and items, and no name says test"
        unsure = (f"no name says which file is the test set; {test.glance.given} is taken for it",)
    reasons = {test.glance.given: why} | ({train.glance.given: _on_train(test, train)} if train else {})
    return Truth(test, train, others, (*unsure, *doubts), why=reasons)


def _candidates(interactions: Sequence[File], lists: Sequence[File]) -> list[File]:
    able = [found for found in interactions if rank(found) < 3]
    return sorted(able, key=lambda found: _order(found, [*interactions, *lists])) if len(able) > 1 else able


def share(test: File, other: File) -> float:
    """The share of the test pairs that another file holds, among its users as far as the files were seen."""
    held, asked = _held(test, other)
    return held / asked if asked else 0.0


def _held(test: File, other: File) -> tuple[int, int]:
    assert test.shape is not None
    assert other.shape is not None
    asked = [pair for pair in test.shape.pairs if pair[0] in other.shape.users]
    return sum(pair in other.shape.pairs for pair in asked), len(asked)


def settled(files: Sequence[File]) -> list[File]:
    """The files, bare lists being interactions unless a file is called the test set and they hold pairs of it."""
    tests = [found for found in files if found.table == "interactions" and rank(found) < 2]
    return [
        replace(found, table="interactions") if found.bare and not any(_common(test, found) for test in tests) else found for found in files
    ]


def _none(interactions: Sequence[File]) -> str:
    if not interactions:
        return "no file looks like a test set, which has a column of users and one of items, and neither a score nor a rank"
    shown = " and ".join(found.glance.given for found in interactions)
    return f"no file looks like a test set: by name, {shown} {'is' if len(interactions) == 1 else 'are'} what the models learnt from"


def _order(found: File, files: Sequence[File]) -> tuple[int, bool, int, bool, int, str]:
    """First whose names say test, of these who have lists, of these who stand nearest to the top; without such names the smallest."""
    named, label = rank(found) < 2, found.glance.label
    plain = name_words.stem(label) not in ("test", "validation", "valid")
    deep = len(PurePosixPath(label).parts) if named else 0
    return (rank(found), not has_lists(found, files), deep, plain, 0 if named else found.glance.n_rows, label)


def _train(test: File, rest: Sequence[File]) -> tuple[File | None, tuple[tuple[str, File, str], ...], tuple[str, ...]]:
    """The train set, the other files with what they could be, and what is unsure."""
    train: File | None = None
    others: list[tuple[str, File, str]] = []
    doubts: list[str] = []
    label = test.glance.label
    for found in sorted(rest, key=lambda found: (-rank(found), name_words.apart(found.glance.label, label), _order_of_train(found))):
        shared, shown = share(test, found), found.glance.given
        if rank(found) < 2:
            others.append(("test", found, "could be the test set too" if rank(found) == 0 else "a validation set, by its name"))
        elif rank(found) == 2 and shared > _MOSTLY:
            others.append(("train", found, f"holds {shared:.0%} of the test pairs: all interactions, and no train set"))
            if train is None:
                doubts.append(f"{shown} holds {shared:.0%} of the test pairs, so it is not taken for the train set")
        elif train is not None:
            others.append(("train", found, "could be the train set too"))
        elif rank(found) == 2 and found.glance.n_rows < test.glance.n_rows:
            others.append(("train", found, "smaller than the test set"))
        else:
            train = found
            if shared > 0:
                held, asked = _held(test, found)
                doubts.append(f"{shown} is taken for the train set, and {held:,} of {asked:,} test pairs stand in it too")
    return train, tuple(others), tuple(doubts)


def _order_of_train(found: File) -> tuple[bool, int, str]:
    return (name_words.stem(found.glance.label) != "train", -found.glance.n_rows, found.glance.label)


def _on_train(test: File, train: File) -> str:
    return train.why if rank(train) == 3 else f"larger than {test.glance.given}, and it holds other pairs"


def _common(test: File, lists: File) -> bool:
    assert test.shape is not None
    assert lists.shape is not None
    return not test.shape.pairs.isdisjoint(lists.shape.pairs)


def _rivals(test: File, candidates: Sequence[File]) -> tuple[str, ...]:
    """A sentence on the files whose names say as much that they are the test set."""
    same = [found.glance.given for found in candidates if rank(found) == rank(test)]
    if not same:
        return ()
    stand = "stands" if len(same) == 1 else "stand"
    return (f"{test.glance.given} is taken for the test set; {' or '.join(same)} could be it too, and {stand} in the config as a comment",)
