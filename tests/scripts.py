"""The arithmetic of the evaluation scripts of papers, one user at a time, in plain Python: the values that their code gives to a user.

Each function takes the ranked items, best first, the test items as the file has them, and cut-offs; it returns the value of each measure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from math import log, log2
from typing import Any, Final

Values = dict[str, float]


def _marks(ranked: Sequence[Any], test: Sequence[Any]) -> list[int]:
    return [int(item in test) for item in ranked]


def _dcg(marks: Sequence[int]) -> float:
    return sum(mark / log2(place + 2) for place, mark in enumerate(marks))


def ngcf(ranked: Sequence[Any], test: Sequence[Any], ks: Sequence[int]) -> Values:
    """NGCF: as many items are ranked as the largest k; what is sorted for the ideal is these marks."""
    marks, values = _marks(ranked[: max(ks)], test), Values()
    for k in ks:
        best = _dcg(sorted(marks, reverse=True)[:k])
        values |= {
            f"Precision@{k}": sum(marks[:k]) / len(marks[:k]),
            f"Recall@{k}": sum(marks[:k]) / len(test),
            f"nDCG@{k}": _dcg(marks[:k]) / best if best else 0.0,
            f"HitRate@{k}": float(sum(marks[:k]) > 0),
        }
    return values


def lightgcn(ranked: Sequence[Any], test: Sequence[Any], ks: Sequence[int]) -> Values:
    """LightGCN-PyTorch: the ideal has as many ones as the test row has items, at most k."""
    marks, values = _marks(ranked[: max(ks)], test), Values()
    for k in ks:
        values |= {
            f"Precision@{k}": sum(marks[:k]) / k,
            f"Recall@{k}": sum(marks[:k]) / len(test),
            f"nDCG@{k}": _dcg(marks[:k]) / _dcg([1] * min(k, len(test))),
        }
    return values


def gde(ranked: Sequence[Any], test: Sequence[Any], ks: Sequence[int]) -> Values:
    """GDE: has @10 and @20 only; places are counted from 0, and 10 is one of those of @10."""
    values: Values = {}
    for k, places in ((10, range(11)), (20, range(20))):
        at = [place for place in places if place < len(ranked) and test.count(ranked[place]) != 0]
        most = min(k, len(test))
        values |= {f"Recall@{k}": len(at) / most, f"nDCG@{k}": sum(1 / log2(2 + place) for place in at) / _dcg([1] * most)}
    return values


def higsp(ranked: Sequence[Any], test: Sequence[Any], ks: Sequence[int]) -> Values:
    """HiGSP: the first k and the test items are sets; its F1 is that of the means."""
    values: Values = {}
    for k in ks:
        both = len(set(ranked[:k]) & set(test))
        values |= {f"Precision@{k}": both / k, f"Recall@{k}": both / len(set(test))}
    return values


def mult_vae(ranked: Sequence[Any], test: Sequence[Any], ks: Sequence[int]) -> Values:
    """Mult-VAE: a template of discounts, of which the ideal takes min(R, k)."""
    values: Values = {}
    for k in ks:
        template = [1.0 / log2(place) for place in range(2, k + 2)]
        gain = sum(discount for discount, item in zip(template, ranked, strict=False) if item in test)
        most = min(k, len(test))
        values |= {f"Recall@{k}": len({*ranked[:k]} & {*test}) / most, f"nDCG@{k}": gain / sum(template[:most])}
    return values


def ncf(scores: Mapping[Any, float], test: Any, ks: Sequence[int]) -> Values:
    """NCF: the test item is the last candidate, and a stable sort by score keeps it behind those with its score."""
    candidates = [*(item for item in scores if item != test), test]
    ranked, values = sorted(candidates, key=lambda item: -scores[item]), Values()
    for k in ks:
        place = ranked[:k].index(test) if test in ranked[:k] else None
        values |= {f"HitRate@{k}": float(place is not None), f"nDCG@{k}": 0.0 if place is None else log(2) / log(place + 2)}
    return values


def sasrec(sampled: Sequence[float], score: float, ks: Sequence[int]) -> Values:
    """SASRec: the place of the test item, the first candidate, among all with the sampled ones, which may be repeated."""
    place, values = len([*takewhile(lambda other: other > score, sorted(sampled, reverse=True))]), Values()
    for k in ks:
        values |= {f"HitRate@{k}": float(place < k), f"nDCG@{k}": 1 / log2(place + 2) if place < k else 0.0}
    return values


OF_RANKED: Final[dict[str, Callable[[Sequence[Any], Sequence[Any], Sequence[int]], Values]]] = {
    "ngcf": ngcf, "lightgcn": lightgcn, "gde": gde, "higsp": higsp, "mult-vae": mult_vae,
}  # fmt: skip
"""Scripts that rank all items but those of train."""
