"""`ConventionDifference`: by which choices two conventions give different values, and how much each choice adds."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose
from typing import Final

from msgspec import Struct

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""

Values = Mapping[str, float | None]
"""Model → value; `None` where there is none."""


class ChoiceEffect(Struct, frozen=True):
    """What one choice adds.

    `choice` is what the first convention makes otherwise (`before`) than the second (`after`), and `decides` says of what. `alone` are the
    values with this choice alone changed, `so_far` those with this one and all above it.
    """

    choice: str
    decides: str
    before: str
    after: str
    meanings: tuple[str, str]
    alone: Values
    so_far: Values


class MeasureDifference(Struct, frozen=True):
    """One measure: its values under both conventions, and the steps from the one to the other; `reason` says why there is nothing."""

    measure: str
    first: Values
    second: Values
    steps: tuple[ChoiceEffect, ...] = ()
    reason: str = ""

    def added(self, number: int, model: str) -> float | None:
        """What the step at a number adds to the value of a model."""
        before = self.first[model] if not number else self.steps[number - 1].so_far[model]
        return _less(self.steps[number].so_far[model], before)

    def added_alone(self, number: int, model: str) -> float | None:
        """What the choice of that step adds if it is changed alone."""
        return _less(self.steps[number].alone[model], self.first[model])

    def rest(self, model: str) -> float | None:
        """What the choices together leave open, which are all that conventions differ in; 0 unless they read the measure differently."""
        last = self.steps[-1].so_far[model] if self.steps else self.first[model]
        return _less(self.second[model], last)

    def has_effect(self, number: int) -> bool:
        """Whether a step changes the value of any model, in its turn or alone, by more than a millionth of it."""
        step, before = self.steps[number], self.steps[number - 1].so_far if number else self.first
        pairs = ((step.so_far, before), (step.alone, self.first))
        return any(not _same(new[model], old[model]) for new, old in pairs for model in self.first)

    def depends_on_order(self, number: int) -> bool:
        """Whether a choice adds something else when it is changed alone."""
        return any(not _same(self.added(number, model), self.added_alone(number, model)) for model in self.first)


class ConventionDifference(Struct, frozen=True):
    """Two conventions, from the first to the second, over all measures of a config."""

    first: str
    second: str
    models: tuple[str, ...]
    measures: tuple[MeasureDifference, ...]
    remarks: tuple[str, ...]


def _less(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other


def _same(value: float | None, other: float | None) -> bool:
    if value is None or other is None:
        return value is other
    return isclose(value, other, rel_tol=1e-6, abs_tol=1e-12)
