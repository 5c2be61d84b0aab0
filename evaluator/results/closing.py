"""What a run of several models ends with, in sentences: made of its `Conclusion`s and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..stats.conclusion import Conclusion, Rival
from ..stats.digits import decimals, percent, plain, span
from .wording import listed, shortened

_OWN_WORDS = ("no clear difference", "not tested against")
"""How sentences begin that do not begin with the name of a model."""
_FEW = 10
"""With fewer users nothing is said of what they can detect."""


def closing_sentences(conclusions: Sequence[Conclusion]) -> list[str]:
    """What is concluded of the first measure that was tested; nothing without such a measure."""
    tested = next((one for one in conclusions if one.is_tested), None)
    if tested is None:
        return []
    first, *more = _sentences(tested)
    return [" ".join((f"{tested.measure}: {first}", *(_capitalised(sentence) for sentence in more)))]


def _capitalised(sentence: str) -> str:
    return sentence[0].upper() + sentence[1:] if sentence.startswith(_OWN_WORDS) else sentence


def _sentences(one: Conclusion) -> Iterator[str]:
    if one.best is None:
        yield "no model is best: each is behind another one on the users whom the two have in common."
        return
    if one.has_other_users and len(one.models) == 2:
        yield _of_two_with_other_users(one, one.best, one.rivals[0])
        return
    if one.has_other_users:
        counts = sorted(one.users.values())
        common = [rival.n_users for rival in one.rivals if rival.n_users]
        users = f"{counts[0]:,} each" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
        yield f"models count different users ({users}); every two are compared on the users in common (at least {min(common):,})."
    yield from _of_best(one, one.best)


def _of_best(one: Conclusion, best: str) -> Iterator[str]:
    """Which models the best one beats, and which it does not."""
    by_verdict = {verdict: [rival for rival in one.rivals if rival.verdict == verdict] for verdict in ("equivalent", "identical")}
    inconclusive = [rival for rival in one.rivals if rival.verdict == "inconclusive"]
    beaten = one.beaten
    if beaten:
        nearest = beaten[0]
        names = listed([rival.model for rival in one.rivals if rival.verdict == "better"])
        lead = "" if len(beaten) < len(one.rivals) else f"; its lead over the runner-up, {nearest.model}, is {_size(one, nearest)}"
        yield f"{best} beats {names} by {_size(one, nearest)}." if len(one.rivals) == 1 else f"{best} beats {names}{lead}."
    if inconclusive:
        yield f"no clear difference between {best} and {shortened(rival.model for rival in inconclusive)}.{_can_detect(inconclusive)}"
    if by_verdict["equivalent"]:
        names = shortened(rival.model for rival in by_verdict["equivalent"])
        yield f"{best} and {names} are equivalent within {plain(max(rival.margin or 0.0 for rival in by_verdict['equivalent']))}."
    if by_verdict["identical"] and not beaten and not inconclusive:
        yield f"{best} and {shortened(rival.model for rival in by_verdict['identical'])} are identical for every user."
    if one.untested:
        yield f"not tested against {best}: {shortened(one.untested)}."


def _of_two_with_other_users(one: Conclusion, best: str, rival: Rival) -> str:
    """Which of two models is better where they count different users, with both numbers."""
    numbers = " and ".join(f"{one.users[model]:,}" for model in one.models)
    start = f"{' and '.join(one.models)} count different users ({numbers}); on the {rival.n_users:,} in common"
    ends = {
        "better": f"{best} is {'higher' if (rival.difference or 0.0) > 0 else 'lower'} by {_size(one, rival)}",
        "equivalent": f"they are equivalent within {plain(rival.margin or 0.0)}",
        "identical": "they are identical",
    }
    return f"{start} {ends.get(rival.verdict or '', 'there is no clear difference')}.{_can_detect([rival])}"


def _size(one: Conclusion, rival: Rival) -> str:
    """The size of a lead with its interval, both as sizes."""
    digits, size = _digits(rival), abs(rival.difference or 0.0)
    if rival.low is None or rival.high is None or rival.low == rival.high:
        return plain(size, digits)
    low, high = sorted((abs(rival.low), abs(rival.high))) if rival.low >= 0 or rival.high <= 0 else (rival.low, rival.high)
    return f"{plain(size, digits)} ({percent(one.level)} interval {span(low, high, digits)})"


def _can_detect(rivals: Sequence[Rival]) -> str:
    """What so many users can detect, of the comparison that can detect least; empty where that is not known."""
    least = max(rivals, key=lambda rival: rival.detectable or 0.0)
    if least.verdict != "inconclusive" or not least.detectable or least.n_users < _FEW:
        return ""
    return f" {least.n_users:,} users can detect {plain(least.detectable, _digits(least))} with 80 % power."


def _digits(rival: Rival) -> int | None:
    return None if rival.low is None or rival.high is None else decimals((rival.high - rival.low) / 2)
