"""What a reader has to know first: whether it may ship, whether the data are sound, and which model is better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from ...results.conclusions import conclusions
from ...stats.digits import decimals, percent, plain, users_text
from .content import ReportContent

Level = Literal["good", "bad", "doubtful", "plain"]
_MOST = 3
"""How many conclusions stand above everything; the others are below, with the differences."""


class VerdictLine(Struct, frozen=True):
    """One sentence, and how bad it is."""

    level: Level
    sentence: str


def verdict(content: ReportContent) -> tuple[VerdictLine, ...]:
    """Gates first, then checks that failed, then what is concluded of the models."""
    lines = [*_gates(content), *_checks(content)]
    if content.comparison is not None:
        said = conclusions(content.comparison)
        said = list(content.closing) or said
        lines += [VerdictLine("plain", sentence) for sentence in said[:_MOST]]
        if len(said) > _MOST:
            lines.append(VerdictLine("plain", f"{len(said) - _MOST} more conclusions are under Differences."))
    else:
        lines += _of_values(content)
    return tuple(lines)


def _gates(content: ReportContent) -> Iterator[VerdictLine]:
    """How many gates failed, or that none did."""
    if not content.gates:
        return
    counts = Counter(gate["outcome"] for gate in content.gates)
    n, failing = len(content.gates), sum(gate["consequence"] == "fail" for gate in content.gates)
    total = f"{n} gate{'s' * (n != 1)}"
    parts = [f"{counts['fail']} of {total} failed" if counts["fail"] else f"No gate of {n} failed"]
    parts += [f"{counts['inconclusive']} {'is' if counts['inconclusive'] == 1 else 'are'} inconclusive"] if counts["inconclusive"] else []
    parts += [f"{counts['skipped']} could not be judged"] if counts["skipped"] else []
    if failing:
        yield VerdictLine("bad", f"{', '.join(parts)}.")
    elif counts["pass"] < n:
        yield VerdictLine("doubtful", f"{', '.join(parts)}.")
    else:
        yield VerdictLine("good", f"{'The gate' if n == 1 else f'All {total}'} passed.")


def _checks(content: ReportContent) -> Iterator[VerdictLine]:
    """How many health checks found errors or warnings, by result where there are several."""
    for label, result in content.results.items():
        of = f" of {label}" if len(content.results) > 1 else ""
        for severity, word, level in (("error", "error", "bad"), ("warn", "warning", "doubtful")):
            found = list(dict.fromkeys(one.check for one in result.findings if one.severity == severity))
            n = sum(one.severity == severity for one in result.findings)
            if found:
                yield VerdictLine(level, f"The health checks{of} found {n} {word}{'s' * (n != 1)} ({', '.join(found)}).")  # type: ignore[arg-type]


def _of_values(content: ReportContent) -> Iterator[VerdictLine]:
    """Without a comparison the first measure of each model, and why nothing is compared."""
    if content.uncompared:
        yield VerdictLine("doubtful", f"The models are not compared: {content.uncompared}")
    first = [one for one in content.points if one.label == content.labels[0] and not one.is_yardstick] if content.labels else []
    for one in first[:_MOST]:
        if one.value is None:
            yield VerdictLine("plain", f"{one.label} of {one.name} has no value.")
            continue
        ends = ""
        if one.low is not None and one.high is not None:
            digits = decimals(one.half_width)
            ends = f" ({percent(0.95)} interval {plain(one.low, digits)} to {plain(one.high, digits)})"
        over = f" over {users_text(one.row.n_users)}" if one.row.n_users else ""
        yield VerdictLine("plain", f"{one.label} of {one.name} is {content.formats.shown(one.row)}{ends}{over}.")
