"""`Audit`: what every convention says of the same files, how far they are apart, and whether they rank the models alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Final

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""


@dataclass(frozen=True)
class Cell:
    """What one convention says of one model: a value over `n_users` users, or why there is none."""

    value: float | None
    n_users: int = 0
    reason: str = ""


@dataclass(frozen=True)
class Audited:
    """One measure under every convention; `cells` maps (convention, model)."""

    measure: str
    higher_is_better: bool | None
    cells: Mapping[tuple[str, str], Cell]

    def values(self, model: str) -> dict[str, float]:
        """Convention → value, for those that give one."""
        return {convention: cell.value for (convention, named), cell in self.cells.items() if named == model and cell.value is not None}

    def spread(self, model: str) -> float | None:
        """The largest value of a model less the smallest; `None` without any."""
        values = self.values(model).values()
        return max(values) - min(values) if values else None

    def beats(self, one: str, other: str) -> dict[str, bool]:
        """Convention → whether it puts `one` before `other`; equal values put neither before."""
        ones, others = self.values(one), self.values(other)
        return {
            convention: (value > others[convention]) if self.higher_is_better is not False else (value < others[convention])
            for convention, value in ones.items()
            if convention in others
        }


@dataclass(frozen=True)
class Audit:
    """Measures × conventions × models. `usual` is the convention of the config; `remarks` say how files were read."""

    usual: str
    conventions: tuple[str, ...]
    models: tuple[str, ...]
    audited: tuple[Audited, ...]
    remarks: tuple[str, ...]
    versions: Mapping[str, str]

    def changes(self, audited: Audited) -> tuple[str, ...]:
        """Whether the order of the models depends on the convention, in full sentences."""
        found = tuple(self._changes(audited))
        giving = {convention for model in self.models for convention in audited.values(model)}
        if found or len(self.models) < 2 or len(giving) < 2:
            return found
        return (f"The order of the models on {audited.measure} is the same under all {len(giving)} conventions.",)

    def _changes(self, audited: Audited) -> Iterator[str]:
        for pair in combinations(self.models, 2):
            first, second = audited.beats(*pair), audited.beats(*reversed(pair))
            known = self.usual if self.usual in first else next(iter(first), "")
            if not first or (not first[known] and not second[known]):
                continue
            winner, loser, against = (pair[0], pair[1], second) if first[known] else (pair[1], pair[0], first)
            turned = [convention for convention, wins in against.items() if wins]
            if turned:
                names = ", ".join(turned) if len(turned) <= 5 else f"{', '.join(turned[:4])} and {len(turned) - 4} more"
                yield (
                    f"Under {len(turned)} of {len(first)} conventions {loser} beats {winner} on {audited.measure} ({names}); "
                    f"under {known} {winner} beats {loser}."
                )
