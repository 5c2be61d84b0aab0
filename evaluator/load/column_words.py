"""Guess the content of a column from the words in its name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final

_COLUMN_WORDS: Final[dict[str, tuple[str, ...]]] = {
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
    "score": (
        "score", "pred", "prediction", "predicted", "prob", "probability", "logit", "sim", "similarity", "confidence", "estimate",
        "affinity", "likelihood",
    ),
    "position": ("rank", "ranking", "position"),
    "timestamp": ("timestamp", "time", "ts", "date", "datetime", "unix", "day"),
    "model": ("model", "algorithm", "algo", "method", "recommender", "system", "approach"),
    "genre": ("genre", "genres", "category", "categories", "tag", "tags", "topic", "topics", "class"),
}  # fmt: skip
IDENTIFYING: Final = (
    "id", "ids", "key", "no", "nr", "code", "idx", "index", "uuid", "uid", "iid", "isbn", "asin", "sku", "number", "token"
)  # fmt: skip
DESCRIBING: Final = (
    "name", "title", "count", "age", "gender", "type", "category", "genre", "mean", "avg", "year", "description", "url", "text", "group",
    "popularity", "timestamp", "time", "date", "rating", "score", "rank", "country", "city",
    "zip", "postal", "postcode", "error", "loss", "distance", "rmse",
)  # fmt: skip
"""Words of columns that describe users or items and do not identify them."""


@lru_cache(4096)
def words_of(name: str) -> tuple[str, ...]:
    """Split a name into words in lower case: `userId` and `user_id` are the words user and id."""
    spaced = re.sub(r"([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])", r"\1\3 \2", name)
    return tuple(word.lower() for word in re.findall(r"[^\W\d_]+", spaced))


def column_words(name: str) -> frozenset[str]:
    """Return the roles that the words in the name of a column suggest."""
    words = words_of(name)
    return frozenset(role for role, known in _COLUMN_WORDS.items() if any(word in known for word in words))


def order_columns(columns: Iterable[str]) -> dict[str, str]:
    """Return name → `score` or `position`, for the columns whose names say a score or a rank of a list, and nothing else."""
    found = {}
    for name in columns:
        roles = column_words(name) & {"position", "score"}
        other = (set(DESCRIBING) - {"rating", "score", "rank"} | set(IDENTIFYING)) & set(words_of(name))
        if roles and not other and "timestamp" not in column_words(name):
            found[name] = min(roles)  # the rank before the score
    return found


def likely_column(role: str, columns: Iterable[str], taken: Collection[str]) -> str | None:
    """Return the column whose name most likely names the ids of users or items; `None` if no name does."""
    free = [(name, words_of(name)) for name in columns if name not in taken and role in column_words(name)]
    named = [(name, words) for name, words in free if not set(words) & set(DESCRIBING)]
    return min(named, key=lambda pair: not set(pair[1]) & set(IDENTIFYING), default=(None,))[0]
