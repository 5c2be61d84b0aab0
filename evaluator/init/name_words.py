"""Guess the content of columns, files and folders from words in their names."""

from __future__ import annotations

from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from ..load import without_endings
from ..load.column_words import IDENTIFYING, words_of
from .table_preview import ColumnSummary

_TABLE_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "test": ("test", "holdout", "heldout", "truth", "groundtruth", "gt", "qrels", "target", "targets", "answers", "labels"),
    "validation": ("val", "valid", "validation", "dev"),
    "train": ("train", "training", "history", "base", "fit", "seen", "past"),
    "lists": (
        "recs", "rec", "recommendations", "recommendation", "recommended", "reco", "recos", "predictions", "prediction", "preds", "pred",
        "runs", "run", "lists", "list", "topk", "topn", "top", "ranking", "rankings", "ranked", "output", "outputs", "results", "models",
        "scores", "candidates", "candidate", "negatives", "negative",
    ),
    "catalogue": (
        "items", "item", "movies", "movie", "catalog", "catalogue", "products", "product", "books", "articles", "tracks", "songs",
        "metadata", "meta", "content",
    ),
    "people": ("users", "user", "customers", "customer", "members", "people", "profiles"),
    "policy": ("policy", "propensity", "propensities", "logging"),
}  # fmt: skip
_PREFIXES: Final = {"test": "test", "train": "train", "valid": "validation", "holdout": "test", "groundtruth": "test"}
"""Prefixes of words with the same meaning, as in `testset`."""
_WORD_PAIRS: Final = {
    ("ground", "truth"): "test", ("held", "out"): "test", ("hold", "out"): "test", ("top", "k"): "lists", ("top", "n"): "lists"
}  # fmt: skip


def is_id_name(column: ColumnSummary) -> bool:
    """Return whether the name of a column names ids: `item_id`, but not `item`."""
    return bool(column.usual_roles) or any(word in IDENTIFYING for word in words_of(column.name))


def table_words(label: str) -> tuple[str, ...]:
    """Return the kinds of table that the name of a file suggests, or else the name of the nearest folder that suggests any."""
    path = PurePosixPath(label)
    for name in (path.name, *reversed(path.parent.parts)):
        words = words_of(name)
        kinds = [kind for pair, kind in _WORD_PAIRS.items() if pair in pairwise(words)]
        for word in words:
            kinds += [kind for kind, known in _TABLE_WORDS.items() if word in known]
            kinds += [kind for prefix, kind in _PREFIXES.items() if word.startswith(prefix)]
        if kinds:
            return tuple(dict.fromkeys(kinds))
    return ()


def are_in_different_folders(label: str, other: str) -> bool:
    """Return whether two files are in different folders."""
    return PurePosixPath(label).parent != PurePosixPath(other).parent


def stem(label: str) -> str:
    """Return the name of a file without its extensions."""
    return without_endings(PurePosixPath(label).name)
