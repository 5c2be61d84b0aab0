"""`score`: one list, for teaching and for tests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, overload

from ..errors import DataError
from .calls import measured

Relevant = Iterable[Any] | Mapping[Any, float]
"""The items that are relevant, or a mapping of them to grades."""


@overload
def score(recommended: Iterable[Any], relevant: Relevant, metrics: str, *, convention: str = ...) -> float | None: ...
@overload
def score(
    recommended: Iterable[Any],
    relevant: Relevant,
    metrics: list[str] | tuple[str, ...],
    *,
    convention: str = ...,
) -> dict[str, float | None]: ...
def score(
    recommended: Iterable[Any],
    relevant: Relevant,
    metrics: str | list[str] | tuple[str, ...],
    *,
    convention: str = "receval",
) -> float | dict[str, float | None] | None:
    """The value of a measure for one list of items, or of several by name.

        receval.score([1, 2, 3], relevant={2, 5}, metrics="nDCG@3")     # 0.3869

    `relevant` are the items that are relevant, or a mapping of them to grades. Raises `DataError` if nothing is relevant.
    """
    graded = isinstance(relevant, Mapping)
    truth = dict(relevant) if isinstance(relevant, Mapping) else list(dict.fromkeys(relevant))
    items = list(recommended)
    if not truth or not items:
        raise DataError(f"{'relevant' if items else 'recommended'}: there is no item", "a value needs a list, and an item that is relevant")
    result = measured(
        test={0: truth},
        recommendations={"list": {0: items}},
        metrics=metrics,
        convention=convention,
        relevance={"graded": True} if graded else None,
    )
    values = {row.label: row.value for row in result.rows}
    return next(iter(values.values())) if isinstance(metrics, str) and len(values) == 1 else values
