"""Letter display: which of several models are clearly different."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from .difference import Difference


def different_pairs(differences: Collection[Difference]) -> set[frozenset[str]]:
    """Return the pairs of models with a real difference, from the differences of one measure between all pairs."""
    return {frozenset((difference.subject.base, difference.subject.model)) for difference in differences if difference.real}


def letter_groups(models: Sequence[str], different: Collection[frozenset[str]]) -> tuple[tuple[str, ...], ...]:
    """Group models so that two share a group exactly if they are not clearly different (insert and absorb: Piepho, 2004).

    `models` are in the order of their values; so are the models of a group, and the groups by their first model. The first group is a, the
    second b and so on.
    """
    rank = {model: i for i, model in enumerate(models)}
    groups: list[frozenset[str]] = [frozenset(models)]
    for pair in sorted(different, key=lambda pair: sorted(rank[model] for model in pair)):
        split: list[frozenset[str]] = []
        for group in groups:
            split += [group - {model} for model in sorted(pair, key=rank.__getitem__)] if pair <= group else [group]
        groups = []
        for group in sorted(set(split), key=lambda group: (-len(group), sorted(map(rank.__getitem__, group)))):
            if not any(group <= larger for larger in groups):
                groups.append(group)
    ordered = [tuple(sorted(group, key=rank.__getitem__)) for group in groups if group]
    return tuple(sorted(ordered, key=lambda group: [rank[model] for model in group]))


def letters(models: Sequence[str], different: Collection[frozenset[str]]) -> dict[str, str] | None:
    """Return the letters of each model; models that share a letter are not clearly different. `None` if more than 26 letters are needed."""
    groups = letter_groups(models, different)
    if len(groups) > 26:
        return None
    return {model: "".join(chr(ord("a") + i) for i, group in enumerate(groups) if model in group) for model in models}
