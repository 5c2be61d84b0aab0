"""Which files are the lists of a model, and what the models are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from . import id_spellings, name_words
from .records import File
from .train_test import share

_PREDICTED: Final = 0.8
"""The least share of its pairs that the test set holds where a file has predicted ratings, and no lists."""

_LISTS: Final = (
    "recs",
    "rec",
    "recommendations",
    "reco",
    "recos",
    "predictions",
    "preds",
    "pred",
    "lists",
    "run",
    "runs",
    "results",
    "output",
)
"""Words that add nothing to the name of a model."""


class Models(NamedTuple):
    """The lists by the name of their model, predicted ratings if a file has them, and files left out with the reason."""

    lists: dict[str, File]
    predictions: tuple[File, ...]
    left_out: dict[str, str]


def models(test: File, lists: Sequence[File]) -> Models:
    """The models among files that look like lists: those that have users and items in common with the test set."""
    left_out = {found.glance.given: _stranger(test, found) for found in lists}
    left_out = {given: why for given, why in left_out.items() if why}
    usable = [found for found in lists if found.glance.given not in left_out]
    predicted = [found for found in usable if _is_predicted(test, found)]
    if len(predicted) == len(usable):
        predicted = []
    return Models(_named([found for found in usable if found not in predicted]), tuple(predicted), left_out)


def _stranger(test: File, found: File) -> str:
    whose = id_spellings.strangers(test, found)
    return f"it looks like lists, and has no {whose} in common with {test.glance.given}" if whose else ""


def _is_predicted(test: File, found: File) -> bool:
    score = found.columns.get("score")
    return score is not None and "prediction" in score.usual and "position" not in found.columns and share(found, test) >= _PREDICTED


def _named(files: Sequence[File]) -> dict[str, File]:
    """A name for each: its own without words that say lists; where several are the same, more of its path."""
    labels = [found.glance.label for found in files]
    names = [_short(label) for label in labels]
    for longer in (name_words.stem, _with_folder, _with_ending, str):
        names = [name if names.count(name) == 1 else longer(label) for name, label in zip(names, labels, strict=True)]
    return dict(sorted(zip(names, files, strict=True), key=lambda named: named[0]))


def _short(label: str) -> str:
    """`recs_als` is als; a name that holds nothing else stays as it is."""
    left = re.split(r"[-_]", name_words.stem(label))
    while left and left[0].lower() in _LISTS:
        left = left[1:]
    while left and left[-1].lower() in _LISTS:
        left = left[:-1]
    found = re.search(r"[-_]".join(map(re.escape, left)), name_words.stem(label))
    return found[0] if left and found else name_words.stem(label)


def _with_folder(label: str) -> str:
    """Where files of different folders are called the same, the folder is the name if the file's says nothing but lists."""
    folder = PurePosixPath(label).parent.name
    return folder if name_words.of_file(name_words.stem(label)) == ("lists",) else "_".join(filter(None, (folder, name_words.stem(label))))


def _with_ending(label: str) -> str:
    return PurePosixPath(label).name.replace(".", "_")
