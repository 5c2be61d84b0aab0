"""`Questions`: what is asked of a comparison, free of files and of the command line."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from ..config.judgement import Compare
from ..names.short_names import Margin
from ..stats.difference import Settings


class Questions(Struct, frozen=True):
    """What is asked of a comparison.

    `measures` are judged, all if none is named; `margins` say by measure, or for `default`, how small a difference does not matter. `by`
    are columns of groups, `cluster` the column of those who belong together. `common` compares the users who count on both sides where
    not the same do; `unpaired` compares means of different users. Of each measure the `losers` with the largest losses are listed. Of
    the measures in `spreads` (as they are printed) histograms of the differences of users are made.
    """

    baseline: str | None = None
    measures: tuple[str, ...] = ()
    margins: Mapping[str, Margin] = field(default_factory=dict)
    settings: Settings = field(default_factory=Settings)
    by: tuple[str, ...] = ()
    cluster: str | None = None
    common: bool = False
    unpaired: bool = False
    all_pairs: bool = False
    losers: int = 0
    spreads: tuple[str, ...] = ()

    @classmethod
    def of(cls, compare: Compare) -> Questions:
        """The questions of the section `compare` of a config."""
        return cls(
            baseline=compare.baseline,
            measures=compare.measures,
            margins=compare.margin,
            settings=Settings(compare.test, compare.correction, compare.alpha, compare.seed),
            by=tuple(by.name for by in compare.by),
            cluster=compare.cluster,
            common=compare.users == "common",
        )
