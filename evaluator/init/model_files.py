"""Choose the files that hold the lists of a model, and name the models."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from .id_spellings import role_without_common_ids
from .name_words import stem, table_words
from .records import ClassifiedFile
from .train_test import shared_fraction

_MIN_SHARE_IN_TEST: Final = 0.8
"""The least share of pairs in the test set for a file of predicted ratings."""

_GENERIC_WORDS: Final = (
    "recs", "rec", "recommendations", "reco", "recos", "predictions", "preds", "pred", "lists", "run", "runs", "results", "output"
)  # fmt: skip
"""Words that add nothing to the name of a model."""


class ModelFiles(NamedTuple):
    """The lists by name of the model, files of predicted ratings, and files left out with the reason."""

    lists: dict[str, ClassifiedFile]
    predictions: tuple[ClassifiedFile, ...]
    left_out: dict[str, str]


def choose_models(test: ClassifiedFile, lists: Sequence[ClassifiedFile]) -> ModelFiles:
    """Choose the models among files that look like lists: those that share users and items with the test set."""
    roles = {file.summary.path: role for file in lists if (role := role_without_common_ids(test, file))}
    left_out = {path: f"it looks like lists, but has no {role} in common with {test.summary.path}" for path, role in roles.items()}
    usable = [file for file in lists if file.summary.path not in left_out]
    scores = [(file, file.columns["score"]) for file in usable if "score" in file.columns and "position" not in file.columns]
    likely = [file for file, score in scores if "prediction" in score.usual_roles]
    predicted = [file for file in likely if shared_fraction(file, test) >= _MIN_SHARE_IN_TEST]
    if len(predicted) == len(usable):
        predicted = []
    return ModelFiles(_named([file for file in usable if file not in predicted]), tuple(predicted), left_out)


def _named(files: Sequence[ClassifiedFile]) -> dict[str, ClassifiedFile]:
    """Name each file after its file name without generic words; where names collide, after more of its path."""
    labels = [file.summary.label for file in files]
    names = [_short(label) for label in labels]
    for longer in (stem, _with_folder, lambda label: PurePosixPath(label).name.replace(".", "_"), str):
        names = [name if names.count(name) == 1 else longer(label) for name, label in zip(names, labels, strict=True)]
    return dict(sorted(zip(names, files, strict=True), key=lambda pair: pair[0]))


def _short(label: str) -> str:
    """Remove generic words from both ends of a name: `recs_als` is als. A name of nothing else is kept."""
    parts = re.split(r"[-_]", stem(label))
    while parts and parts[0].lower() in _GENERIC_WORDS:
        parts = parts[1:]
    while parts and parts[-1].lower() in _GENERIC_WORDS:
        parts = parts[:-1]
    match = re.search(r"[-_]".join(map(re.escape, parts)), stem(label))
    return match[0] if parts and match else stem(label)


def _with_folder(label: str) -> str:
    """Name a file after its folder, and after itself too unless its name is generic."""
    folder = PurePosixPath(label).parent.name
    return folder if table_words(stem(label)) == ("lists",) else "_".join(filter(None, (folder, stem(label))))
