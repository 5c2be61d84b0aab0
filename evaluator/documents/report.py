"""`ReportContent`: the content of a report, independent of its form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from ..results.candidates import candidates_by_place
from ..results.comparison import Comparison
from ..results.description import Spread
from ..results.gates import Gate
from ..results.result import Result
from ..results.row import listed
from ..results.slices import Slices
from .best_values import BestValues, Place, best_values, highest_printed
from .values import Formats, NamedModel, ValuePoint, by_label, points_of

CHARTS: Final = ("differences", "over_k", "precision_recall", "gamma_curve", "distribution", "trade_off", "groups")
"""The charts of a report, in the order of the page."""


class ReportContent(Struct, frozen=True, eq=False, dict=True):
    """The models of one or several results, their comparison, and the gates.

    `uncompared` says why there is no comparison although there are several models. `spreads` are histograms of values, if there is one
    model. `closing` are sentences on the best model of one result. `source` is the config or the folder, as given. `charts` has the
    wanted charts, each with its measures (none: chosen automatically). User ids, and examples that may be ids, appear only if
    `show_users`. With `relative`, differences also have a column in percent. `date` is that of the report, if it has one.
    """

    results: Mapping[str, Result]
    models: tuple[NamedModel, ...]
    comparison: Comparison | None = None
    uncompared: str = ""
    gates: Sequence[Gate] = ()
    spreads: tuple[Spread, ...] = ()
    closing: tuple[str, ...] = ()
    source: str = ""
    given_title: str | None = None
    charts: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType(dict.fromkeys(CHARTS, ())))
    show_users: bool = False
    relative: bool = False
    date: str = ""
    slices: Slices | None = None
    """Slices of users in which a model is worse, or better, if they were searched."""

    @property
    def title(self) -> str:
        """The given title, or the names of the models."""
        if self.given_title:
            return self.given_title
        names = [model.name for model in self.models if not model.is_reference]
        if len(self.results) > 1 and self.comparison is not None and self.comparison.base is not None:
            return f"{_listed(self.comparison.others)} against {self.comparison.base}"
        return f"Evaluation of {_listed(names)}"

    @cached_property
    def points(self) -> tuple[ValuePoint, ...]:
        """The values of all models with their intervals."""
        return points_of(self.models)

    @cached_property
    def formats(self) -> Formats:
        """The number of decimals of the values of each measure."""
        return Formats.from_rows([point.row for point in self.points])

    @cached_property
    def marked(self) -> BestValues:
        """The values to mark: for one result by its conclusions, for several the highest printed ones."""
        if len(self.results) == 1:
            return best_values(next(iter(self.results.values())), self.formats)
        untested: set[Place] = set()
        if len(set(candidates_by_place([(model.result, model.model) for model in self.models if not model.is_reference]))) > 1:
            return BestValues()
        for label, row in by_label(self.points).items():
            values = {point.name: point.value for point in row.values() if not point.is_reference}
            untested |= highest_printed(label, values, self.higher_is_better[label], self.formats)
        return BestValues(untested=frozenset(untested))

    @property
    def labels(self) -> tuple[str, ...]:
        """The measures, in the order of the results."""
        return tuple(dict.fromkeys(point.label for point in self.points))

    @cached_property
    def higher_is_better(self) -> Mapping[str, bool | None]:
        """The better direction of each measure."""
        return {point.label: point.row.higher_is_better for point in self.points}


def _listed(names: Sequence[str]) -> str:
    return f"{len(names)} models" if len(names) > 4 else listed(names) or "nothing"
