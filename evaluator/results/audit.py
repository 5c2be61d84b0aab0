"""`Audit`: the values of the same measures under many conventions; and by which choices two conventions differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations
from math import isclose
from typing import Final

from msgspec import Struct

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""
_NEAREST: Final = 5
"""How many different values are named where none is the one that is looked for."""


class AuditCell(Struct, frozen=True):
    """The value of one measure for one model under one convention.

    `n_users` is the number of users it is taken over. `value` is `None` where the convention gives none; `reason` then says why.
    `by_file_order`: the convention reads no scores or ranks, and the order of the rows in the file, which it reads, gives another value.
    """

    value: float | None
    n_users: int = 0
    reason: str = ""
    by_file_order: bool = False


class AuditedMeasure(Struct, frozen=True, dict=True):
    """One measure under every convention; `cells` maps (convention, model) to the value."""

    measure: str
    higher_is_better: bool | None
    cells: Mapping[tuple[str, str], AuditCell]

    def values(self, model: str) -> Mapping[str, float]:
        """Map the conventions that give a model a value to that value."""
        return self._by_model.get(model, {})

    @cached_property
    def _by_model(self) -> Mapping[str, Mapping[str, float]]:
        """The values of each model, found once: they are asked for by every pair of models."""
        found: dict[str, dict[str, float]] = {}
        for (convention, model), cell in self.cells.items():
            if cell.value is not None:
                found.setdefault(model, {})[convention] = cell.value
        return found

    def spread(self, model: str) -> float | None:
        """The largest value of a model less the smallest, without `left_out`; `None` if no convention gives a value."""
        values = self.comparable(model).values()
        return max(values) - min(values) if values else None

    def comparable(self, model: str) -> Mapping[str, float]:
        """Map the conventions that give a model a value to that value, without those that rank by file order where this is another one."""
        return {name: value for name, value in self.values(model).items() if not self.cells[name, model].by_file_order}

    def left_out(self, model: str) -> tuple[str, ...]:
        """Return the conventions that the spread of a model leaves out."""
        return tuple(name for name in self.values(model) if self.cells[name, model].by_file_order)

    def beats(self, model: str, rival: str) -> dict[str, bool]:
        """Map each convention that gives both models a value to whether `model` is better than `rival`; equal values are not better."""
        values, rival_values = self.values(model), self.values(rival)
        return {
            convention: (value > rival_values[convention]) if self.higher_is_better is not False else (value < rival_values[convention])
            for convention, value in values.items()
            if convention in rival_values
        }


def read_number(text: str) -> tuple[float, int]:
    """A number as it is printed, and its decimals; `ValueError` if `text` is none."""
    plain = text.replace("−", "-").replace("%", "").strip()
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", plain, re.ASCII):
        raise ValueError(f"takes a printed number such as 0.1894, not {text!r}")
    return float(plain), len(plain.partition(".")[2])


class FoundValue(Struct, frozen=True):
    """A value of an audit, with where it stands."""

    value: float
    measure: str
    convention: str
    model: str


class FoundValues(Struct, frozen=True):
    """The values that print as a number (`exact`), or those nearest to it; `percent` if a hundred times the value is meant."""

    wanted: str
    values: tuple[FoundValue, ...]
    exact: bool
    percent: bool


class Audit(Struct, frozen=True):
    """Measures × conventions × models.

    `own_convention` is that of the config, `remarks` say how files were read, `versions` are those of the programs.
    """

    own_convention: str
    conventions: tuple[str, ...]
    models: tuple[str, ...]
    measures: tuple[AuditedMeasure, ...]
    remarks: tuple[str, ...]
    versions: Mapping[str, str]

    def find(self, text: str) -> FoundValues:
        """Say which convention, measure and model has a number, to the digits of `text`; the nearest values where none has it.

        `18.94 %` and, where no value is 18.94, also `18.94` is looked for as 0.1894. Raises `ValueError` if `text` is not a number.
        """
        wanted, places = read_number(text)
        values = [
            FoundValue(cell.value, measure.measure, convention, model)
            for measure in self.measures
            for (convention, model), cell in measure.cells.items()
            if cell.value is not None
        ]
        for scale in (100,) if "%" in text else (1, 100):
            exact = tuple(one for one in values if f"{one.value * scale:.{places}f}" == f"{wanted:.{places}f}")
            if exact:
                return FoundValues(text, exact, exact=True, percent=scale == 100)
        scale = 100 if "%" in text else 1
        nearest = sorted(values, key=lambda one: abs(one.value * scale - wanted))
        distances = sorted({abs(one.value * scale - wanted) for one in values})[:_NEAREST]
        near = tuple(one for one in nearest if abs(one.value * scale - wanted) in distances)
        return FoundValues(text, near, exact=False, percent=scale == 100)

    def changes(self, measure: AuditedMeasure) -> tuple[str, ...]:
        """Say in full sentences whether the order of the models depends on the convention."""
        sentences = tuple(self._reversals(measure))
        giving = {convention for model in self.models for convention in measure.values(model)}
        if sentences or len(self.models) < 2 or len(giving) < 2:
            return sentences
        every = "both" if len(giving) == 2 else f"all {len(giving)}"
        return (f"The order of the models on {measure.measure} is the same under {every} conventions.",)

    def _reversals(self, measure: AuditedMeasure) -> Iterator[str]:
        """One sentence for each pair of models that a convention puts in another order than that of the config does."""
        for pair in combinations(self.models, 2):
            first, second = measure.beats(*pair), measure.beats(*reversed(pair))
            reference = self.own_convention if self.own_convention in first else next(iter(first), "")
            if not first or (not first[reference] and not second[reference]):
                continue
            winner, loser, against = (pair[0], pair[1], second) if first[reference] else (pair[1], pair[0], first)
            turned = [convention for convention, loser_wins in against.items() if loser_wins]
            if turned:
                names = ", ".join(turned) if len(turned) <= 5 else f"{', '.join(turned[:4])} and {len(turned) - 4} more"
                yield (
                    f"Under {len(turned)} of {len(first)} conventions {loser} beats {winner} on {measure.measure} ({names}); "
                    f"under {reference} {winner} beats {loser}."
                )


DIFFERENCE_VERSION: Final = 1
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
        return any(not same_value(new[model], old[model]) for new, old in pairs for model in self.first)

    def depends_on_order(self, number: int) -> bool:
        """Whether a choice adds something else when it is changed alone."""
        return any(not same_value(self.added(number, model), self.added_alone(number, model)) for model in self.first)


class ConventionDifference(Struct, frozen=True):
    """Two conventions, from the first to the second, over all measures of a config."""

    first: str
    second: str
    models: tuple[str, ...]
    measures: tuple[MeasureDifference, ...]
    remarks: tuple[str, ...]


def _less(value: float | None, other: float | None) -> float | None:
    return None if value is None or other is None else value - other


def same_value(value: float | None, other: float | None) -> bool:
    """Return whether two values agree to a millionth."""
    if value is None or other is None:
        return value is other
    return isclose(value, other, rel_tol=1e-6, abs_tol=1e-12)
