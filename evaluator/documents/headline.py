"""The headline of a run: the best model over all measures, its lead on the main measure, and the models that it does not beat."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from ..results.candidates import groups_of, incomparable_text
from ..results.comparison import count_of_measures, main_measure
from ..results.list_lengths import caution
from ..results.result import Result
from ..results.row import listed, shortened
from ..stats.concluding import decimals, percent, plain, span, users_text
from ..stats.difference import Conclusion, Rival

_MOST_OTHERS: Final = 2
"""Number of sentences on models that are best on some measures, or not shown to be."""
_OWN_WORDS = ("no clear difference", "not tested against")
"""The first words of sentences that do not begin with the name of a model."""
_FEW = 10
"""With fewer users, no sentence on what they can detect is written."""


def closing_sentences(conclusions: Sequence[Conclusion], n_folds: int = 0, lists: Collection[str] = (), among: str = "") -> list[str]:
    """Return the headline over all measures that were tested, over folds if there are any; empty without such a measure.

    A model is best on a measure only if the corrected test shows that it beats all others. `lists` are models with one set of lists
    beside others with several runs: a claim on such a model is about these lists. `among` names the models if others are not compared.
    """
    tested = [conclusion for conclusion in conclusions if conclusion.is_tested]
    if not tested:
        return []
    main = next(conclusion for conclusion in tested if conclusion.measure == main_measure([other.measure for other in tested]))
    if len(tested) == 1 and (_winner(main) is None or main.has_other_users):
        return [" ".join((f"{main.measure}:", *_measure_sentences(main, n_folds)))]
    sentences = [*_overall_sentences(tested, main, lists, among)]
    if main.has_other_users or _winner(main) is None:
        sentences.append(f"{main.measure}: {' '.join(_measure_sentences(main, n_folds))}")
    else:
        sentences += main.notes
    return [" ".join(sentences)]


def _winner(conclusion: Conclusion) -> str | None:
    """Return the model that is shown to beat all others; `None` if there is none."""
    return conclusion.best if conclusion.best is not None and all(rival.verdict == "better" for rival in conclusion.rivals) else None


def _overall_sentences(tested: Sequence[Conclusion], main: Conclusion, lists: Collection[str], among: str) -> Iterator[str]:
    """Yield the sentence on the model that is best on most measures, then those on the other models that are best on some."""
    won: dict[str, list[str]] = {}
    unclear: dict[tuple[str, str], list[str]] = {}
    for conclusion in tested:
        if winner := _winner(conclusion):
            won.setdefault(winner, []).append(conclusion.measure)
        else:
            rivals = listed([rival.model for rival in conclusion.rivals if rival.verdict != "better"])
            unclear.setdefault((conclusion.best or "", rivals), []).append(conclusion.measure)
    if not won:
        yield f"No model is clearly best on any of {len(tested)} measures."
        return
    leader = max(won, key=lambda model: (len(won[model]), model == main.best))
    best = f"The lists of {leader} are best{among}" if leader in lists else f"{leader} is best{among}"
    has_lead = _winner(main) == leader and not main.has_other_users
    if len(tested) == 1:
        yield f"{best} on {main.measure}{f', by {_lead(main)}' if has_lead else ''}."
        return
    own = "".join(f", not clearly different from {rivals} on {_some(of)}" for (model, rivals), of in unclear.items() if model == leader)
    lead = f"; on {main.measure} by {_lead(main)}" if has_lead else ""
    yield f"{best} on {count_of_measures(len(won[leader]), len(tested))}{own}{lead}."
    others = [f"{model} is best on {_some(of)}." for model, of in won.items() if model != leader]
    others += [
        f"{model} is not clearly different from {rivals} on {_some(of)}." if model else f"No model is best on {_some(of)}."
        for (model, rivals), of in unclear.items()
        if model != leader
    ]
    yield from others[:_MOST_OTHERS]
    if len(others) > _MOST_OTHERS:
        yield "The table marks the best values of the other measures."


def _some(measures: Sequence[str]) -> str:
    """Return measures by their names, and their number if they are many."""
    return listed(measures) if len(measures) <= _MOST_OTHERS else f"{len(measures)} ({shortened(measures)})"


def _lead(conclusion: Conclusion) -> str:
    """Return the lead of the best model over the next one, which is named if there are more."""
    nearest = conclusion.beaten[0]
    return _size(conclusion, nearest, f" over {nearest.model}" if len(conclusion.rivals) > 1 else "")


def closing_of_result(result: Result, measures: Collection[str] | None = None) -> list[str]:
    """Return the headline over `measures` (by default all) that were tested.

    Before it stands a caution if lists of models differ in length, after it which models are not comparable.
    """
    labels = [label for label in result.labels() if measures is None or label in measures]
    models = {model: (result, model) for model in result.models if model not in result.yardsticks}
    repeated = {row.model for row in result.repeated if row.run is not None}
    lists = [model for model in models if repeated and model not in repeated]
    concluded = [conclusion for conclusion in result.conclusions if conclusion.measure in labels]
    compared = concluded[0].models if concluded else ()
    among = f" among {listed(compared)}" if 0 < len(compared) < len(models) else ""
    closing = closing_sentences(concluded, len(result.folds), lists, among)
    sampled = ["Values and comparisons are among the sampled candidates, not over the whole catalogue."] if result.catalogue_bounds else []
    return [*caution(models, labels), *closing, *sampled, *filter(None, (incomparable_text(groups_of(result)),))]


def _measure_sentences(conclusion: Conclusion, n_folds: int) -> list[str]:
    """Return the sentences on one measure; those after the first begin with a capital, unless with a name."""
    first, *more = _sentences(conclusion, n_folds)
    return [first, *(text[0].upper() + text[1:] if text.startswith(_OWN_WORDS) else text for text in more)]


def _sentences(conclusion: Conclusion, n_folds: int) -> Iterator[str]:
    if conclusion.best is None:
        yield _no_best_sentence(conclusion)
        return
    if conclusion.has_other_users and len(conclusion.models) == 2:
        yield _different_users_sentence(conclusion, conclusion.best, conclusion.rivals[0], n_folds)
        return
    if conclusion.has_other_users:
        counts = sorted(conclusion.users.values())
        common = [rival.n_users for rival in conclusion.rivals if rival.n_users]
        users = f"{counts[0]:,} each" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
        yield f"models count different users ({users}); each pair is compared on its common users (at least {min(common):,})."
    yield from _best_sentences(conclusion, conclusion.best, n_folds)
    if any(rival.verdict in ("better", "inconclusive") for rival in conclusion.rivals):
        yield from conclusion.notes


def _no_best_sentence(conclusion: Conclusion) -> str:
    """Return the pairs that are shown to differ, if each model has a lower value than another one on their common users."""
    common = "on the users that both have in common"
    if not conclusion.shown:
        return f"no clear difference between any two of {len(conclusion.models)} models {common}."
    of_models: dict[str, list[str]] = {}
    for better, worse in conclusion.shown:
        of_models.setdefault(better, []).append(worse)
    beaten = "; ".join(f"{better} beats {shortened(worse)}" for better, worse in of_models.items())
    return f"no model is best, but some pairs differ {common}: {beaten}."


def _best_sentences(conclusion: Conclusion, best: str, n_folds: int) -> Iterator[str]:
    """Yield sentences on the models that the best one beats, and those that it does not."""
    by_verdict = {verdict: [rival for rival in conclusion.rivals if rival.verdict == verdict] for verdict in ("equivalent", "identical")}
    inconclusive = [rival for rival in conclusion.rivals if rival.verdict == "inconclusive"]
    beaten = conclusion.beaten
    if beaten:
        nearest = beaten[0]
        names = listed([rival.model for rival in conclusion.rivals if rival.verdict == "better"])
        lead = (
            ""
            if len(beaten) < len(conclusion.rivals)
            else f"; its lead over the runner-up, {nearest.model}, is {_size(conclusion, nearest)}"
        )
        yield f"{best} beats {names} by {_size(conclusion, nearest)}." if len(conclusion.rivals) == 1 else f"{best} beats {names}{lead}."
    if inconclusive:
        names = shortened(rival.model for rival in inconclusive)
        yield f"no clear difference between {best} and {names}.{_detectable_lead(inconclusive, n_folds)}"
    if by_verdict["equivalent"]:
        names = shortened(rival.model for rival in by_verdict["equivalent"])
        yield f"{best} and {names} are equivalent within {plain(max(rival.margin or 0.0 for rival in by_verdict['equivalent']))}."
    if by_verdict["identical"] and not beaten and not inconclusive:
        yield f"{best} and {shortened(rival.model for rival in by_verdict['identical'])} are identical for every user."
    if conclusion.untested:
        yield f"not tested against {best}: {shortened(conclusion.untested)}."


def _different_users_sentence(conclusion: Conclusion, best: str, rival: Rival, n_folds: int) -> str:
    """Return which of two models that count different users is better, with both numbers of users."""
    numbers = " and ".join(f"{conclusion.users[model]:,}" for model in conclusion.models)
    start = f"{' and '.join(conclusion.models)} count different users ({numbers}); on the {rival.n_users:,} in common"
    ends = {
        "better": f"{best} is {'higher' if (rival.difference or 0.0) > 0 else 'lower'} by {_size(conclusion, rival)}",
        "equivalent": f"they are equivalent within {plain(rival.margin or 0.0)}",
        "identical": "they are identical",
    }
    return f"{start} {ends.get(rival.verdict or '', 'there is no clear difference')}.{_detectable_lead([rival], n_folds)}"


def _size(conclusion: Conclusion, rival: Rival, over: str = "") -> str:
    """Return the size of a lead with its interval, without signs if the interval has one sign, and the pairs that it is corrected for."""
    digits, size = _digits(rival), abs(rival.difference or 0.0)
    if rival.low is None or rival.high is None or rival.low == rival.high:
        return f"{plain(size, digits)}{over}"
    low, high = sorted((abs(rival.low), abs(rival.high))) if rival.low >= 0 or rival.high <= 0 else (rival.low, rival.high)
    corrected = f", corrected over {conclusion.n_pairs:,} pairs" if conclusion.n_pairs > 1 else ""
    return f"{plain(size, digits)}{over} ({percent(conclusion.level)} interval {span(low, high, digits)}{corrected})"


def _detectable_lead(rivals: Sequence[Rival], n_folds: int) -> str:
    """Return what the least sensitive of the comparisons can detect; empty if it is not inconclusive or has few users."""
    least = max(rivals, key=lambda rival: rival.detectable or 0.0)
    if least.verdict != "inconclusive" or not least.detectable or least.n_users < _FEW:
        return ""
    return f" {users_text(least.n_users, n_folds)} can detect {plain(least.detectable, _digits(least))} with 80 % power."


def _digits(rival: Rival) -> int | None:
    return None if rival.low is None or rival.high is None else decimals((rival.high - rival.low) / 2)
