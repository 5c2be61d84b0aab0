"""Words of verdicts, of the outcomes of gates, and of tests, for every form."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from ..document import SIGNS, Cell
from ..results.gates import Gate, Outcome
from ..stats.difference import MEANINGS, Difference, Verdict

NOT_JUDGED: Final = "(not judged)"
_CORRECTIONS: Final = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}
_TESTS: Final = {
    "t": "paired t test",
    "permutation": "permutation test",
    "bootstrap": "bootstrap test",
    "bootstrap-t": "bootstrap t test",
    "wilcoxon": "Wilcoxon signed-rank test",
}
_UNPAIRED: Final = "Welch's t test"
_OUTCOMES: Final[dict[Outcome, str]] = {"pass": "pass", "fail": "FAIL", "inconclusive": "inconclusive", "skipped": "not judged"}
_EXPLAINED: Final[tuple[Verdict, ...]] = ("equivalent", "identical", "inconclusive")
"""The verdicts whose words do not say everything."""


def verdict_cell(one: Difference, judged: Collection[str]) -> Cell:
    """Return the verdict of a difference, a dash where there is none, or `(not judged)` if its measure is not among the `judged`."""
    if one.subject.measure not in judged:
        return Cell(NOT_JUDGED)
    return Cell(one.verdict or "–", mark=one.verdict or "")


def meanings(verdicts: Iterable[str | None]) -> str:
    """Return a sentence with the meaning of those verdicts that need one; empty without them."""
    found = set(verdicts)
    explained = "; ".join(f"{verdict}: {MEANINGS[verdict]}" for verdict in _EXPLAINED if verdict in found)
    return f"{explained}." if explained else ""


def legend() -> str:
    """Return the signs of the verdicts that a page explains, with their meanings."""
    return "; ".join(f"{SIGNS[verdict]} {verdict}: {MEANINGS[verdict]}" for verdict in ("equivalent", "inconclusive"))


def corrected_text(correction: str, family: int) -> str:
    """Return how p values were corrected: `Holm over 12 comparisons`, or `not corrected`."""
    by = _CORRECTIONS.get(correction)
    return f"{by} over {family:,} comparison{'' if family == 1 else 's'}" if by else "not corrected"


def how_tested(test: str, correction: str, family: int, alpha: float, paired: bool = True) -> str:
    """Return the test, how p values were corrected, and the level."""
    return f"{_TESTS[test] if paired else _UNPAIRED}, {corrected_text(correction, family)}, {100 * alpha:g} %"


def outcome_cell(gate: Gate) -> Cell:
    """Return how a gate ended."""
    return Cell(_OUTCOMES[gate.outcome], mark=gate.outcome)
