"""The names of the methods by which models are compared, for headings, legends and captions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from ..results.row import shortened
from ..stats.concluding import usual_test
from ..stats.difference import Difference, Settings

_CORRECTED: Final = "with skewness correction"
NAMES: Final[Mapping[str, str]] = {
    "t": f"paired t test {_CORRECTED}",
    "t-plain": "paired t test (Student, without correction)",
    "permutation": "permutation test",
    "bootstrap": "bootstrap test",
    "bootstrap-t": "bootstrap t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "welch": "Welch's t test",
    "geometric": f"paired t test of logarithms {_CORRECTED}",
    "micro": "paired t test of pooled ratios (jackknife)",
    "weighted": "paired t test of weighted means (jackknife)",
    "clusters": "t test over clusters (jackknife)",
    "folds": f"paired t test within folds {_CORRECTED}",
    "folds-plain": "paired t test within folds (Student, without correction)",
    "runs": "t test over users and training runs",
}
"""Method of a difference, see `Difference.test` → its name. It names what is computed, so that a reviewer can compute it again."""

_WITH_CORRECTION: Final = frozenset(method for method, name in NAMES.items() if name.endswith(_CORRECTED))


def citations(methods: Iterable[str | None]) -> tuple[str, ...]:
    """Return the sentence on the source of the skewness correction, if one of the methods has it."""
    return ("The correction of t tests for skewness is that of Hall (1992).",) if _WITH_CORRECTION & {*methods} else ()


def method_names(methods: Mapping[str, str], cluster: str | None = None) -> str:
    """Return the name of the method of most measures, and those of the others with their measures; empty without any.

    `methods` are those of each measure. `cluster` is the column of clusters.
    """
    by_method: dict[str, list[str]] = {}
    for measure, method in methods.items():
        by_method.setdefault(method, []).append(measure)
    usual, *others = sorted(by_method, key=lambda method: -len(by_method[method])) or [""]
    names = {method: NAMES.get(method, method) for method in by_method}
    if cluster is not None and "clusters" in names:
        names["clusters"] = names["clusters"].replace("clusters", f"clusters of {cluster}", 1)
    return "; ".join((*((names[usual],) if usual else ()), *(f"{shortened(by_method[method])}: {names[method]}" for method in others)))


def methods_of(differences: Iterable[Difference], settings: Settings) -> dict[str, str]:
    """Return the method of each tested measure: that of most of its differences."""
    by_measure: dict[str, list[Difference]] = {}
    for difference in differences:
        if difference.p_adjusted is not None:
            by_measure.setdefault(difference.subject.measure, []).append(difference)
    return {measure: usual_test(tested, settings) for measure, tested in by_measure.items()}
