"""A slow, literal second implementation of every metric: one user, plain Python, straight from the definitions.

Its limits: the `receval` convention and the default parameters only; ids must be sortable; lists are best first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log2, sqrt
from typing import Any

SETS = {"Precision", "Recall", "HitRate", "Hits", "RPrecision", "SetMAP", "Utility", "Accuracy", "MCC", "F1"}
RANKED = {"MAP", "MAR", "MRR", "BinG", "InterpolatedPrecision", "ElevenPointPrecision", "DCG", "nDCG", "nDCGRendle2020"}
NAMES = SETS | RANKED | {"RocAuc", "AUC", "GAUC", "LAUC"}


def metric(name: str, items: Sequence[Any], gains: Mapping[Any, float], k: int | None, catalogue: set[Any], seen: set[Any]) -> float:
    """Return the value of metric `name` for a user with the list `items` and the relevant items `gains` (item → gain)."""
    relevant = set(gains)
    cut = list(items) if k is None else list(items)[:k]
    depth = len(items) if k is None else k
    first = [item in relevant and item not in cut[:place] for place, item in enumerate(cut)]
    hits = sum(first)
    ranks = [rank for rank, hit in enumerate(first, 1) if hit]
    least = len(relevant) if k is None else min(len(relevant), k)
    if name == "Precision":
        return hits / depth if depth else 0.0
    if name == "Recall":
        return hits / len(relevant)
    if name == "HitRate":
        return float(hits > 0)
    if name == "Hits":
        return float(hits)
    if name == "RPrecision":
        return len(set(items[: len(relevant)]) & relevant) / len(relevant)
    if name == "SetMAP":
        return hits / len(cut) * hits / len(relevant) if cut else 0.0
    if name == "Utility":
        return float(hits - (len(cut) - hits))
    if name in ("Accuracy", "MCC"):
        missed, wrong = len(relevant) - hits, depth - hits
        right_out = max(len(catalogue) - depth - missed, 0)
        if name == "Accuracy":
            return min((hits + right_out) / len(catalogue), 1.0)
        root = sqrt((hits + wrong) * (hits + missed) * (right_out + wrong) * (right_out + missed))
        return (hits * right_out - wrong * missed) / root if root else 0.0
    if name == "F1":
        p, r = (metric(part, items, gains, k, catalogue, seen) for part in ("Precision", "Recall"))
        return 2 * p * r / (p + r) if p + r else 0.0
    if name == "MAP":
        return sum(sum(first[:rank]) / rank for rank in ranks) / least
    if name == "MAR":
        return sum(sum(first[:rank]) / len(relevant) for rank in ranks) / least
    if name == "MRR":
        return 1 / ranks[0] if ranks else 0.0
    if name == "BinG":
        return sum(1 / log2(2 + rank - sum(first[:rank])) for rank in ranks) / len(relevant)
    if name in ("InterpolatedPrecision", "ElevenPointPrecision"):
        points = [0.1] if name == "InterpolatedPrecision" else [point / 10 for point in range(11)]
        precisions = [sum(first[:rank]) / rank for rank in ranks]
        reached = [[p for found, p in enumerate(precisions, 1) if found >= floor(point * len(relevant) + 0.9)] for point in points]
        return sum(max(values, default=0.0) for values in reached) / len(points)
    if name in ("DCG", "nDCG", "nDCGRendle2020"):
        gain = {item: 1.0 if name == "nDCGRendle2020" else 2**value - 1 for item, value in gains.items()}
        dcg = sum(gain[cut[rank - 1]] / log2(rank + 1) for rank in ranks)
        best = sorted(gain.values(), reverse=True)[: len(gain) if k is None else k]
        return dcg if name == "DCG" else dcg / sum(value / log2(rank + 1) for rank, value in enumerate(best, 1))
    if name == "RocAuc":
        pairs = [(a < b) for a in ranks for b in range(1, len(cut) + 1) if b not in ranks]
        return 0.0 if not ranks else sum(pairs) / len(pairs) if pairs else 1.0
    candidates = (catalogue - (seen - relevant)) | set(cut)
    above = [rank - 1 - sum(first[: rank - 1]) for rank in ranks]
    negatives = max([len(candidates - relevant), *above])
    right = sum((negatives - missed) / negatives if negatives else 1.0 for missed in above)
    return right / (least if name == "LAUC" else len(relevant))
