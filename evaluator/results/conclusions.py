"""What a comparison says in a sentence or two, for each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..stats.digits import decimals, plain
from ..stats.records import Difference
from .comparison import Comparison
from .wording import shortened

_SAME_AS = {"identical": "identical for every user", "equivalent": "equivalent within the margin"}


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
    yield from _open(base, model, differences)


def _open(base: str, model: str, differences: Sequence[Difference]) -> Iterator[str]:
    """Which measures are inconclusive, and how many have no interval."""
    n = len(differences)
    inconclusive = [one for one in differences if one.verdict == "inconclusive"]
    if len(inconclusive) == n:
        yield f"No clear difference between {base} and {model} on any of {n} measures.{_can_detect(inconclusive[0])}"
    elif inconclusive:
        yield f"Inconclusive: {shortened(one.subject.measure for one in inconclusive)}.{_can_detect(inconclusive[0])}"
    untested = [one for one in differences if one.p is None and one.verdict is None]
    if untested:
        yield f"Not tested, without an interval: {shortened(one.subject.measure for one in untested)}."


def _of(some: int, n: int) -> str:
    return f"all {n} measures" if some == n else f"{some} of {n} measures"


def _can_detect(difference: Difference) -> str:
    """What so many users can detect; empty where that is not known."""
    if difference.detectable is None or difference.interval is None:
        return ""
    size = plain(difference.detectable, decimals((difference.interval[1] - difference.interval[0]) / 2))
    users = f"{difference.n_users:,} user{'s' * (difference.n_users != 1)}"
    return f" {users} can detect {size} in {difference.subject.measure} with 80 % power."
