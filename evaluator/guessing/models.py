"""Which files are the lists of a model, and what the models are called."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from ..guess import File
from . import spellings, words
from .truth import share

_PREDICTED: Final = 0.8
"""The least share of its pairs that the test set holds where a file has predicted ratings, and no lists."""


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
    whose = spellings.strangers(test, found)
    return f"it looks like lists, and has no {whose} in common with {test.glance.given}" if whose else ""


def _is_predicted(test: File, found: File) -> bool:
    score = found.columns.get("score")
    return score is not None and "prediction" in score.usual and "position" not in found.columns and share(found, test) >= _PREDICTED


def _named(files: Sequence[File]) -> dict[str, File]:
    """A name for each: the shortest of its name without the words that say lists, its name, and those with its folder or ending."""
    for spell in (_short, _stem, _with_folder, _with_ending):
        names = [spell(found.glance.label) for found in files]
        if len(set(names)) == len(names) and all(names):
            return dict(sorted(zip(names, files, strict=True)))
    return {found.glance.label: found for found in files}


def _short(label: str) -> str:
    """`recs_als` is als; a name that holds nothing else stays as it is."""
    parts = words.stem(label).replace("-", "_").split("_")
    left = [part for part in parts if words.of_file(part) != ("lists",)]
    if len(left) == len(parts) or not left:
        return words.stem(label)
    return "_".join(left)


def _stem(label: str) -> str:
    return words.stem(label)


def _with_folder(label: str) -> str:
    """Where files of different folders are called the same, the folder is the name if the file's says nothing but lists."""
    folder = PurePosixPath(label).parent.name
    return folder if words.of_file(words.stem(label)) == ("lists",) else "_".join(filter(None, (folder, words.stem(label))))


def _with_ending(label: str) -> str:
    return PurePosixPath(label).name.replace(".", "_")
