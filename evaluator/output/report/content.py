"""`ReportContent`: what a report is made of, before it has a form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct, field

from ...content.best_values import BestValues, best_values
from ...content.values import Formats
from ...results.comparison import Comparison
from ...results.result import Result
from ...results.spread import Spread
from ..charts.points import NamedModel, ValuePoint, points_of

CHARTS: Final = ("differences", "over_k", "distribution", "trade_off")
"""The charts that a report has, in the order of the page."""
_FEW: Final = 4


class ReportContent(Struct, frozen=True, eq=False, dict=True):
    """The models of one or several results, how they compare, and what the gates say.

    `gates` are in their JSON form. `uncompared` says why there is no comparison although there are several models. `spreads` are those of
    values, where there is one model. `closing` says which model of one result is the best. `source` is the config or the folder that it is
    of, as it was given. `charts` names the charts that are wanted, each with the measures that it is of (none: its own choice). Ids of
    users, and examples that may be ids, appear only if `show_users`.
    """

    results: Mapping[str, Result]
    models: tuple[NamedModel, ...]
    comparison: Comparison | None = None
    uncompared: str = ""
    gates: Sequence[Mapping[str, Any]] = ()
    spreads: tuple[Spread, ...] = ()
    closing: tuple[str, ...] = ()
    source: str = ""
    given_title: str | None = None
    charts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType(dict.fromkeys(CHARTS, ())))
    show_users: bool = False

    @property
    def title(self) -> str:
        """The title that was given, or the models by their names."""
        if self.given_title:
            return self.given_title
        names = [one.name for one in self.models if not one.is_yardstick]
        if len(self.results) > 1 and self.comparison is not None and self.comparison.base is not None:
            return f"{_listed(self.comparison.others)} against {self.comparison.base}"
        return f"Evaluation of {_listed(names)}"

    @cached_property
    def points(self) -> tuple[ValuePoint, ...]:
        """The values of all models with their intervals."""
        return points_of(self.models)

    @cached_property
    def formats(self) -> Formats:
        """How many decimals the values of each measure have."""
        return Formats.of([one.row for one in self.points])

    @cached_property
    def marked(self) -> BestValues:
        """The values to mark: of one result those that are concluded to be the best, of several the highest ones printed."""
        if len(self.results) == 1:
            return best_values(next(iter(self.results.values())), self.formats)
        untested: set[tuple[str, str]] = set()
        for label in self.labels:
            better = self.higher_is_better[label]
            points = [one for one in self.points if one.label == label and one.value is not None and not one.is_yardstick]
            texts = {one.name: self.formats.text(label, one.value) for one in points}
            if better is not None and len(set(texts.values())) > 1:
                top = (max if better else min)(points, key=lambda one: one.value or 0.0)
                untested |= {(name, label) for name, text in texts.items() if text == texts[top.name]}
        return BestValues(untested=frozenset(untested))

    @property
    def labels(self) -> tuple[str, ...]:
        """The measures, in the order of the results."""
        return tuple(dict.fromkeys(one.label for one in self.points))

    @cached_property
    def higher_is_better(self) -> Mapping[str, bool | None]:
        """The better direction of each measure."""
        return {one.label: one.row.higher_is_better for one in self.points}

    @property
    def judged(self) -> tuple[str, ...]:
        """The measures that are judged; all where nothing is compared."""
        return self.labels if self.comparison is None else self.comparison.judged


def _listed(names: Sequence[str]) -> str:
    if len(names) > _FEW:
        return f"{len(names)} models"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else "nothing"
