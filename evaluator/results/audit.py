"""`Audit`: the values of the same measures under many conventions, and the settings in which two conventions differ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import combinations
from math import isclose, isfinite
from typing import Final

from msgspec import Struct

FORMAT_VERSION: Final = 1
"""The version of the JSON form."""
_NEAREST: Final = 5
"""Number of nearest values to list if no value matches."""


class AuditCell(Struct, frozen=True):
    """The value of one measure for one model under one convention.

    `n_users` is the number of users that count. `value` is `None` if the convention gives none; `reason` then says why.
    `by_file_order`: the convention ranks by the order of rows, and the scores or ranks of the file would give another value.
    """

    value: float | None
    n_users: int = 0
    reason: str = ""
    by_file_order: bool = False


class AuditedMeasure(Struct, frozen=True, dict=True):
    """One measure under every convention; `cells` maps (convention, model) to the value.

    `higher_is_better` is the better direction by the definition of the config, `directions` that of the conventions that define another.
    `by` and `group` are the grouping and the group of the values; `None` over all users.
    """

    measure: str
    higher_is_better: bool | None
    cells: Mapping[tuple[str, str], AuditCell]
    directions: Mapping[str, bool | None] = {}
    by: str | None = None
    group: str | None = None

    def better(self, convention: str) -> bool | None:
        """Return the better direction under a convention: whether higher is better, `None` if neither is."""
        return self.directions.get(convention, self.higher_is_better)

    def values(self, model: str) -> Mapping[str, float]:
        """Map the conventions that give a model a value to that value."""
        return self._by_model.get(model, {})

    @cached_property
    def _by_model(self) -> Mapping[str, Mapping[str, float]]:
        """The values of each model, computed once because every pair of models needs them."""
        found: dict[str, dict[str, float]] = {}
        for (convention, model), cell in self.cells.items():
            if cell.value is not None:
                found.setdefault(model, {})[convention] = cell.value
        return found

    def spread(self, model: str) -> float | None:
        """Return the largest value of a model minus the smallest, without `left_out`; `None` if no convention gives a value."""
        values = self.comparable(model).values()
        return max(values) - min(values) if values else None

    def comparable(self, model: str) -> Mapping[str, float]:
        """Map conventions to the values of a model, without those that rank by file order and thereby get another value."""
        return {name: value for name, value in self.values(model).items() if not self.cells[name, model].by_file_order}

    def left_out(self, model: str) -> tuple[str, ...]:
        """Return the conventions that the spread of a model leaves out."""
        return tuple(name for name in self.values(model) if self.cells[name, model].by_file_order)

    def beats(self, model: str, rival: str) -> dict[str, bool]:
        """Map each convention that gives both models a value to whether `model` is better than `rival`; equal values are not better.

        Without conventions under which neither direction is better.
        """
        values, rival_values = self.values(model), self.values(rival)
        return {
            convention: (value > rival_values[convention]) if self.better(convention) else (value < rival_values[convention])
            for convention, value in values.items()
            if convention in rival_values and self.better(convention) is not None
        }


def read_number(text: str) -> tuple[float, int]:
    """Read a printed number; return it and its number of decimals. Raises `ValueError` if `text` is not a number."""
    plain = text.replace("−", "-").replace("%", "").strip()
    if not re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)", plain, re.ASCII):
        raise ValueError(f"takes a printed number such as 0.1894, not {text!r}")
    return float(plain), len(plain.partition(".")[2])


def half_unit(places: int) -> float:
    """Return half a unit of the last digit of a number with some decimals: how far a value may be from it."""
    return 0.5 * 10.0**-places


def prints(value: float, text: str) -> bool:
    """Return whether a value is within half a unit of the last digit of a printed number: 0.1514 is from 0.15135 to 0.15145."""
    wanted, places = read_number(text)
    return isfinite(value) and abs(value - wanted) <= half_unit(places) * (1 + 1e-9) + abs(wanted) * 1e-15


class FoundValue(Struct, frozen=True):
    """A value of an audit, with its measure, convention and model."""

    value: float
    measure: str
    convention: str
    model: str


class FoundValues(Struct, frozen=True, omit_defaults=True):
    """The values that print as the number `wanted` (`exact`), or those nearest to it; `percent`: the number is a percentage.

    `without` is a setting of the config without which the values were searched as well; exact values are then without it.
    """

    wanted: str
    values: tuple[FoundValue, ...]
    exact: bool
    percent: bool
    without: str = ""


class Audit(Struct, frozen=True):
    """Measures × conventions × models.

    `own_convention` is the convention of the config, `remarks` say how files were read, `versions` are those of the programs. A model with
    several `runs` has their means; the runs have their own cells, and are not among the models.
    """

    own_convention: str
    conventions: tuple[str, ...]
    models: tuple[str, ...]
    measures: tuple[AuditedMeasure, ...]
    remarks: tuple[str, ...]
    versions: Mapping[str, str]
    runs: Mapping[str, tuple[str, ...]] = {}

    def find(self, text: str) -> FoundValues:
        """Find the values that equal a number to the digits of `text`, or else the nearest values.

        `18.94 %` means 0.1894; so does `18.94` if no value is 18.94. Raises `ValueError` if `text` is not a number.
        """
        wanted, _ = read_number(text)
        values = [
            FoundValue(cell.value, measure.measure, convention, model)
            for measure in self.measures
            for (convention, model), cell in measure.cells.items()
            if cell.value is not None
        ]
        for scale in (100,) if "%" in text else (1, 100):
            exact = tuple(value for value in values if prints(value.value * scale, text))
            if exact:
                return FoundValues(text, exact, exact=True, percent=scale == 100)
        scale = 100 if "%" in text else 1
        nearest = sorted(values, key=lambda value: abs(value.value * scale - wanted))
        distances = sorted({abs(value.value * scale - wanted) for value in values})[:_NEAREST]
        near = tuple(value for value in nearest if abs(value.value * scale - wanted) in distances)
        return FoundValues(text, near, exact=False, percent=scale == 100)

    def changes(self, measure: AuditedMeasure) -> tuple[str, ...]:
        """Return sentences on whether the order of the models depends on the convention."""
        sentences = tuple(self._reversals(measure))
        giving = {name for model in self.models for name in measure.values(model) if measure.better(name) is not None}
        if sentences or len(self.models) < 2 or len(giving) < 2:
            return sentences
        every = "both" if len(giving) == 2 else f"all {len(giving)}"
        return (f"The order of the models on {measure.measure} is the same under {every} conventions.",)

    def _reversals(self, measure: AuditedMeasure) -> Iterator[str]:
        """Yield a sentence for each pair of models that some convention orders differently than that of the config."""
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
"""Model → value, or `None`."""


class ChoiceEffect(Struct, frozen=True):
    """The effect of one setting.

    `choice` is the setting that the first convention has as `before` and the second as `after`; `decides` says what it decides. `alone` are
    the values with only this setting changed, `so_far` those with this one and all earlier ones changed.
    """

    choice: str
    decides: str
    before: str
    after: str
    meanings: tuple[str, str]
    alone: Values
    so_far: Values


class MeasureDifference(Struct, frozen=True):
    """One measure: its values under both conventions and the steps between them; `reason` says why there are none."""

    measure: str
    first: Values
    second: Values
    steps: tuple[ChoiceEffect, ...] = ()
    reason: str = ""

    def effect(self, number: int, model: str) -> float | None:
        """Return how much a step (numbered from 0) changes the value of a model."""
        before = self.first[model] if not number else self.steps[number - 1].so_far[model]
        return _less(self.steps[number].so_far[model], before)

    def effect_alone(self, number: int, model: str) -> float | None:
        """Return how much the setting of a step changes the value of a model if it alone is changed."""
        return _less(self.steps[number].alone[model], self.first[model])

    def rest(self, model: str) -> float | None:
        """Return the part of the difference that the steps do not explain; 0 unless the conventions read the measure differently."""
        last = self.steps[-1].so_far[model] if self.steps else self.first[model]
        return _less(self.second[model], last)

    def has_effect(self, number: int) -> bool:
        """Return whether a step changes the value of any model, in its turn or alone, by more than a millionth."""
        step, before = self.steps[number], self.steps[number - 1].so_far if number else self.first
        pairs = ((step.so_far, before), (step.alone, self.first))
        return any(not same_value(new[model], old[model]) for new, old in pairs for model in self.first)

    def depends_on_order(self, number: int) -> bool:
        """Return whether the effect of a setting differs when it alone is changed."""
        return any(not same_value(self.effect(number, model), self.effect_alone(number, model)) for model in self.first)


class ConventionDifference(Struct, frozen=True):
    """Two conventions, from the first to the second, over all measures of a config."""

    first: str
    second: str
    models: tuple[str, ...]
    measures: tuple[MeasureDifference, ...]
    remarks: tuple[str, ...]


def _less(value: float | None, other: float | None) -> float | None:
    """Return `value - other`, or `None` if one is missing."""
    return None if value is None or other is None else value - other


def same_value(value: float | None, other: float | None) -> bool:
    """Return whether two values agree to a millionth."""
    if value is None or other is None:
        return value is other
    return isclose(value, other, rel_tol=1e-6, abs_tol=1e-12)
