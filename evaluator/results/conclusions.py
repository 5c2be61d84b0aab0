"""What a comparison says in a sentence or two, for each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..stats.digits import decimals, plain
from ..stats.records import Difference
from .comparison import Comparison
from .wording import shortened

_SAME_AS = {"identical": "identical for every user", "same": "the same within the margin", "tiny": "different by less than the margin"}


def conclusions(comparison: Comparison) -> list[str]:
    """For each pair what is concluded over all judged measures, and of the first measure that shows it how large it is."""
    pairs: dict[tuple[str, str], list[Difference]] = {}
    for one in comparison.differences:
        if one.subject.measure in comparison.judged:
            pairs.setdefault((one.subject.base, one.subject.model), []).append(one)
    return [sentence for (base, model), differences in pairs.items() for sentence in _of_pair(base, model, differences)]


def _of_pair(base: str, model: str, differences: Sequence[Difference]) -> Iterator[str]:
    if len(differences) == 1:
        yield differences[0].sentence
        return
    by_verdict = {verdict: [one for one in differences if one.verdict == verdict] for verdict in ("better", "worse", *_SAME_AS)}
    better, worse = by_verdict["better"], by_verdict["worse"]
    n = len(differences)
    if better or worse:
        most, fewest = (better, worse) if len(better) >= len(worse) else (worse, better)
        against = f", and {fewest[0].verdict} on {len(fewest)} ({shortened(one.subject.measure for one in fewest)})" if fewest else ""
        detail = most[0].sentence.partition(": ")[2]
        yield f"{model} is {most[0].verdict} than {base} on {_of(len(most), n)}{against}: {detail}"
    for verdict, meaning in _SAME_AS.items():
        if by_verdict[verdict]:
            yield f"{model} and {base} are {meaning} on {_of(len(by_verdict[verdict]), n)}."
    unknown = [one for one in differences if one.verdict == "unknown"]
    if len(unknown) == n:
        yield f"Whether {model} differs from {base} cannot be told on any of {n} measures{_would_be_seen(unknown[0])}."
    elif unknown:
        yield f"It cannot be told on {_of(len(unknown), n)}{_would_be_seen(unknown[0])}."


def _of(some: int, n: int) -> str:
    return f"all {n} measures" if some == n else f"{some} of {n} measures"


def _would_be_seen(difference: Difference) -> str:
    """What could have been seen."""
    if difference.detectable is None or difference.interval is None:
        return ""
    size = plain(difference.detectable, decimals((difference.interval[1] - difference.interval[0]) / 2))
    return f": with {difference.n_users:,} users a difference of {size} in {difference.subject.measure} would be seen 4 times out of 5"
