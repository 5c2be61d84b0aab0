"""Models that rank sampled candidates: with which others their values can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ..checks import SAMPLED
from .result import Result, columns_of, select
from .row import listed

_CERTAIN: Final = 0.99
"""If fewer relevant items are in the lists, other lists of the same size may be rankings of the same kind."""
_LEAST_SHARE: Final = 0.9
_FEW_ITEMS: Final = 20
"""Lists are no sampled candidates if fewer than this share has one size, or if they are shorter than this."""

Place = tuple[Result, str]
"""A result and one of its models."""


def candidates_by_place(places: Sequence[Place]) -> list[int | None]:
    """Return the number of sampled candidates per user of each model; `None` if it ranks the whole catalogue, or if it is not known."""
    known = [result.candidates.get(model) for result, model in places]
    doubtful = [candidates is not None and candidates.inside < _CERTAIN for candidates in known]
    sizes = (
        {_usual_size(place)[0] for place, candidates in zip(places, known, strict=True) if candidates is None} if any(doubtful) else set()
    )
    return [
        None if candidates is None or (is_doubtful and candidates.per_user in sizes) else candidates.per_user
        for candidates, is_doubtful in zip(known, doubtful, strict=True)
    ]


def other_candidates(base: Place, model: Place) -> tuple[int | None, int | None] | None:
    """Return the numbers of candidates of two models if they differ; `None` if they are the same, or if one of them is not known."""
    mine, other = candidates_by_place((base, model))
    if mine == other or (mine is None and not _ranks_all(base, model)) or (other is None and not _ranks_all(model, base)):
        return None
    return mine, other


def groups_of(result: Result) -> Mapping[int | None, tuple[str, ...]]:
    """Return groups of models whose values can be compared, by the number of their candidates; reference lists are in none."""
    models = [model for model in result.models if model not in result.yardsticks]
    groups: dict[int | None, list[str]] = {}
    for model, n in zip(models, candidates_by_place([(result, model) for model in models]), strict=True):
        groups.setdefault(n, []).append(model)
    return {n: tuple(group) for n, group in groups.items()}


def largest_group(result: Result) -> tuple[str, ...]:
    """Return the largest group of models whose values can be compared; of equal ones that without sampled candidates, then the first."""
    groups = groups_of(result)
    return groups[max(groups, key=lambda n: (len(groups[n]), n is None))] if groups else ()


def incomparable_text(groups: Mapping[int | None, Sequence[str]]) -> str:
    """Return sentences on models whose values are not compared, by the number of their candidates; empty if they are one group."""
    if len(groups) < 2:
        return ""
    text = candidates_text(groups)
    return f"{text[0].upper()}{text[1:]}: their values are not compared. To compare them, give lists with all scored candidates of each."


def candidates_text(groups: Mapping[int | None, Sequence[str]]) -> str:
    """Say of which candidates the lists of models look like, by their number; `None` is the whole catalogue, or other lists cut short."""
    sampled = [(listed(names), n) for n, names in groups.items() if n is not None]
    (names, n), *others = sampled
    parts = [
        f"the lists of {names} look like all of {n:,} sampled candidates per user",
        *(f"those of {model} like {n:,}" for model, n in others),
    ]
    return ", ".join((*parts, *([f"those of {listed(groups[None])} do not"] if None in groups else [])))


def _ranks_all(place: Place, other: Place) -> bool:
    """Return whether a model without sampled candidates is known to have none.

    It is known in the run of the `other` one, if check R10 was on, and if lists have many sizes or are short; results of earlier versions
    and those without checks say no more.
    """
    result, model = place
    if result is other[0]:
        return True
    is_found = any(finding.check == SAMPLED and finding.model == model for finding in result.findings)
    if result.examined and SAMPLED not in result.unmade:
        return not is_found
    size, share = _usual_size(place)
    return size is not None and (size < _FEW_ITEMS or share < _LEAST_SHARE)


def _usual_size(place: Place) -> tuple[int | None, float]:
    """Return the most frequent number of items of the lists of a model, and its share; `None` without per-user values."""
    result, model = place
    if model not in result.per_user or "n_recommended" not in columns_of(result.per_user, model):
        return None, 0.0
    sizes = select(result.per_user, model, ["n_recommended"])["n_recommended"]
    sizes = sizes.filter(sizes > 0)
    counts = sizes.value_counts().sort("count", "n_recommended")
    return (int(counts["n_recommended"][-1]), counts["count"][-1] / len(sizes)) if len(sizes) else (None, 0.0)
