"""How differences were tested, in words for legends and captions."""

from __future__ import annotations

from typing import Final

_CORRECTIONS: Final = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}
_TESTS: Final = {
    "t": "paired t test",
    "permutation": "permutation test",
    "bootstrap": "bootstrap test",
    "bootstrap-t": "bootstrap t test",
    "wilcoxon": "Wilcoxon signed-rank test",
}
_UNPAIRED: Final = "Welch's t test"


def how_tested(test: str, correction: str, family: int, alpha: float, paired: bool = True) -> str:
    """By which test, how p values were corrected, and at which level."""
    name = _TESTS[test] if paired else _UNPAIRED
    by = _CORRECTIONS.get(correction)
    corrected = f"{by} over {family:,} comparison{'' if family == 1 else 's'}" if by else "not corrected"
    return f"{name}, {corrected}, {100 * alpha:g} %"
