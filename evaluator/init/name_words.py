"""What the words in a name say: those of columns, of files and of folders."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import PurePosixPath
from typing import Final

from .records import Column

_FILES: Final[dict[str, tuple[str, ...]]] = {
    "test": ("test", "holdout", "heldout", "truth", "groundtruth", "gt", "qrels", "target", "targets", "answers", "labels"),
    "validation": ("val", "valid", "validation", "dev"),
    "train": ("train", "training", "history", "base", "fit", "seen", "past"),
    "lists": (
        "recs", "rec", "recommendations", "recommendation", "recommended", "reco", "recos", "predictions", "prediction", "preds", "pred",
        "runs", "run", "lists", "list", "topk", "topn", "top", "ranking", "rankings", "ranked", "output", "outputs", "results", "models",
        "scores", "candidates",
    ),
    "catalogue": (
        "items", "item", "movies", "movie", "catalog", "catalogue", "products", "product", "books", "articles", "tracks", "songs",
        "metadata", "meta", "content",
    ),
    "people": ("users", "user", "customers", "customer", "members", "people", "profiles"),
    "policy": ("policy", "propensity", "propensities", "logging"),
}  # fmt: skip
_STARTS: Final = {"test": "test", "train": "train", "valid": "validation", "holdout": "test", "groundtruth": "test"}
"""Beginnings of words that say the same, as in `testset`."""
_PAIRS: Final = {
    ("ground", "truth"): "test",
    ("held", "out"): "test",
    ("hold", "out"): "test",
    ("top", "k"): "lists",
    ("top", "n"): "lists",
}
_COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "user": (
        "user", "customer", "member", "visitor", "account", "client", "person", "reader", "listener", "viewer", "buyer", "player",
        "reviewer", "session", "profile", "subscriber", "uid", "query", "qid",
    ),
    "item": (
        "item", "movie", "film", "product", "article", "track", "song", "artist", "book", "game", "anime", "news", "video",
        "recipe", "business", "isbn", "asin", "sku", "hotel", "poi", "venue", "place", "restaurant", "course", "offer", "listing", "show",
        "iid", "doc", "document", "docid", "beer", "app", "job", "ad",
    ),
    "rating": ("rating", "stars", "grade", "relevance", "rel", "label"),
    "score": ("score", "pred", "prediction", "predicted", "prob", "probability", "logit", "sim", "similarity", "confidence", "estimate"),
    "position": ("rank", "ranking", "position"),
    "timestamp": ("timestamp", "time", "ts", "date", "datetime", "unix", "day"),
    "model": ("model", "algorithm", "algo", "method", "recommender", "system", "approach"),
    "genre": ("genre", "genres", "category", "categories", "tag", "tags", "topic", "topics", "class"),
}  # fmt: skip
IDENTIFYING: Final = (
    "id",
    "ids",
    "key",
    "no",
    "nr",
    "code",
    "idx",
    "index",
    "uuid",
    "uid",
    "iid",
    "isbn",
    "asin",
    "sku",
    "number",
    "token",
)
DESCRIBING: Final = (
    "name", "title", "count", "age", "gender", "type", "category", "genre", "mean", "avg", "year", "description", "url", "text", "group",
    "popularity", "timestamp", "time", "date", "rating", "score", "rank", "country", "city",
    "zip", "postal", "postcode",
)  # fmt: skip
"""Words of columns that say something of users or items, and do not name them."""


def of_name(name: str) -> tuple[str, ...]:
    """The words of a name, in lower case: `userId` and `user_id` have the words user and id."""
    apart = re.sub(r"([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])", r"\1\3 \2", name)
    return tuple(word.lower() for word in re.findall(r"[^\W\d_]+", apart))


def of_column(name: str) -> frozenset[str]:
    """What the words of a column's name say that it holds."""
    words = of_name(name)
    return frozenset(role for role, known in _COLUMNS.items() if any(word in known for word in words))


def names_ids(column: Column) -> bool:
    """Whether a column is called as ids are, and not only after what they are of."""
    return bool(column.usual) or any(word in IDENTIFYING for word in of_name(column.name))


def of_file(label: str) -> tuple[str, ...]:
    """What the words of a file's name say that it holds, or else those of the nearest folder that says something."""
    path = PurePosixPath(label)
    for name in (path.name, *reversed(path.parent.parts)):
        found = _said(of_name(name))
        if found:
            return found
    return ()


def apart(label: str, other: str) -> bool:
    """Whether two files stand in different folders."""
    return PurePosixPath(label).parent != PurePosixPath(other).parent


def stem(label: str) -> str:
    """The name of a file without its endings."""
    return PurePosixPath(label).name.split(".")[0] or PurePosixPath(label).name


def _said(words: tuple[str, ...]) -> tuple[str, ...]:
    found = [said for pair, said in _PAIRS.items() if pair in pairwise(words)]
    for word in words:
        found += [said for said, known in _FILES.items() if word in known]
        found += [said for start, said in _STARTS.items() if word.startswith(start)]
    return tuple(dict.fromkeys(found))
