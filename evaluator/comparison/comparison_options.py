"""Options of a comparison, independent of files and the command line, and the selection of measures by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct, field

from ..config.evaluation_keys import group_text
from ..config.judgement import DEFAULT, Compare
from ..metrics.registry import find
from ..results.result import Result, Row
from ..results.row import shortened
from ..results.spellings import UNDEFINED, Definitions, close_label, labels_named, without_aggregate
from ..stats.difference import Settings
from ..support.errors import ConfigError
from ..syntax.short_names import Margin, is_spread


class ComparisonOptions(Struct, frozen=True):
    """Options of a comparison.

    `baseline_model` is the model of the baseline that every model of the other results is compared with, by default the one of its name.
    `measures` are judged, by default all. `margins` has, by measure or for `default`, the largest difference that does not matter. `by` are
    columns of groups, `written_by` their texts on the command line; users with the same value in the column `cluster` are not independent.
    `common` compares on the users that count on both sides, if they differ; `unpaired` compares means of different users. `losers` is the
    number of users with the largest losses to list for each measure. `spreads` are the measures (as printed) with histograms of per-user
    differences. The models of the result with the label `unnamed` have their own names, without the label.
    """

    baseline: str | None = None
    baseline_model: str | None = None
    measures: tuple[str, ...] = ()
    margins: Mapping[str, Margin] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    by: tuple[str, ...] = ()
    written_by: Mapping[str, str] = field(default_factory=dict)
    cluster: str | None = None
    common: bool = False
    unpaired: bool = False
    all_pairs: bool = False
    losers: int = 0
    spreads: tuple[str, ...] = ()
    unnamed: str | None = None

    @classmethod
    def from_config(cls, compare: Compare) -> ComparisonOptions:
        """Return the options of the section `compare` of a config."""
        return cls(
            baseline=compare.baseline,
            measures=compare.measures,
            margins=compare.margin,
            settings=Settings(compare.test, compare.correction, compare.alpha, compare.seed),
            by=tuple(by.name for by in compare.by),
            written_by={by.name: group_text(by) for by in compare.by},
            cluster=compare.cluster,
            common=compare.users == "common",
        )


def rows_of(result: Result, model: str) -> dict[str, Row]:
    """Return the rows of a model that can be compared, by label: all but standard deviations and other measures of spread."""
    return {row.label: row for row in result.rows_by_model.get(model, ()) if not is_spread(row.aggregate)}


def named(text: str, labels: Sequence[str], where: str = "measures", definitions: Definitions = UNDEFINED) -> tuple[str, ...]:
    """Return the labels that a text names, see `labels_named`; raise `ConfigError` if there are none."""
    found = labels_named(text, labels, definitions)
    if not found:
        raise ConfigError(f"{where}: the results have no measure {text[:80]!r}", _hint(text, labels))
    return found


def _hint(text: str, labels: Sequence[str]) -> str:
    """Return a hint for a measure that results do not have: evaluate it if there is such a metric, else correct its name."""
    with_aggregates = [label for label in labels if labels_named(text, [without_aggregate(label)[0]])]
    if with_aggregates:
        return f"the results have {shortened(with_aggregates)}: name one of them, or add mean to evaluation.aggregates and evaluate again"
    try:
        find(text.partition("@")[0].partition("(")[0].strip())
    except ValueError:
        return close_label(text, labels)
    return f"add it to evaluation.metrics and evaluate again; the results have {shortened(labels)}"


def all_named(
    texts: Iterable[str], labels: Sequence[str], where: str = "measures", definitions: Definitions = UNDEFINED
) -> tuple[str, ...]:
    """Return the labels that some texts name, in the order of `labels`."""
    wanted = {label for text in texts for label in named(text, labels, where, definitions)}
    return tuple(label for label in labels if label in wanted)


def margins_of(margins: Mapping[str, Margin], labels: Sequence[str], definitions: Definitions = UNDEFINED) -> dict[str, Margin]:
    """Return the margin of each label; the margin `default` applies to all others."""
    default = margins.get(DEFAULT)
    of_labels = dict.fromkeys(labels, default) if default is not None else {}
    for text, margin in margins.items():
        if text != DEFAULT:
            of_labels |= dict.fromkeys(named(text, labels, "margin", definitions), margin)
    return {label: margin for label, margin in of_labels.items() if margin is not None}
