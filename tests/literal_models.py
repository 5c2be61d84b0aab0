"""The literal second implementation of values of whole models, beside `literal_beyond`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from itertools import combinations
from math import e, log, log2, sqrt
from statistics import mean, pstdev
from typing import Any, Final

from receval.conventions import load
from receval.metrics import METRICS, resolve
from receval.syntax.measure_strings import MetricSpec

from tests import literal
from tests.literal_facts import UNKNOWN, Facts, divided

Cuts = Mapping[Any, list[Any]]
"""user → the first k items, of the counted users."""


def model_value(facts: Facts, spec: MetricSpec) -> Any:
    """Return the value of a measure of the whole model; `None` if there is none."""
    if spec.name not in OF_MODELS:
        return UNKNOWN
    k = spec.k if isinstance(spec.k, int) else None
    users = facts.lists if METRICS[spec.name].population == "lists" else facts.gains
    cuts = {user: facts.lists.get(user, [])[:k] for user in users if users[user]}
    return OF_MODELS[spec.name](facts, cuts, k, resolve(spec, load("receval")).params)


def spread(shares: Iterable[float | None]) -> float:
    """Return std/mean of the existing shares."""
    there = [share for share in shares if share is not None]
    return divided(pstdev(there), mean(there)) if there else 0.0


def share(numerator: float, denominator: float) -> float | None:
    return numerator / denominator if denominator else None


def counts(cuts: Cuts) -> Counter[Any]:
    return Counter(item for cut in cuts.values() for item in cut)


def coverage(facts: Facts, cuts: Cuts, k: int | None, p: Any) -> float:
    catalogue = facts.rows.keys() if p["of"] == "train" else facts.catalogue
    found = {item for cut in cuts.values() for item in cut if p["outside"] == "counts" or item in catalogue}
    part = divided(len(found), len(catalogue) + p["more"])
    return {"count": float(len(found)), "share": part, "percent": round(part * 100, 2), "percent_unrounded": part * 100}[p["form"]]


def gini(facts: Facts, cuts: Cuts, k: int | None, p: Any) -> float:
    c = sorted(counts(cuts).values())
    size = {"catalogue": len(facts.catalogue), "train": len(facts.rows), "recommended": len(c)}[p["of"]] + p["more"]
    divisor = sum(c) * (size if p["over"] == "n" else size - 1)
    index = divided(sum((2 * (size - len(c) + t) - size - 1) * n for t, n in enumerate(c, 1)), divisor) if divisor > 0 else 0.0
    return 1 - index if p["sign"] == "equality" else index


def entropy(facts: Facts, cuts: Cuts, k: int | None, p: Any) -> float:
    c = counts(cuts)
    weight = weights(cuts)
    first = {i: weight[i] / len(cuts) if p["weights"] == "lists" else c[i] / c.total() for i in c}
    value = -sum(first[i] * (log2 if p["log"] == "binary" else log)(c[i] / c.total()) for i in c)
    return value / len(c) if p["norm"] == "items" else value


def weights(cuts: Cuts) -> Counter[Any]:
    """Return w(i) = Σ_u [i ∈ L_u(k)] / l_u."""
    found: Counter[Any] = Counter()
    for cut in cuts.values():
        for item in cut:
            found[item] += 1 / len(cut)  # type: ignore[assignment]
    return found


def lengths(cuts: Cuts, k: int | None) -> float:
    return float(k) if k is not None else mean(map(len, cuts.values()))


def gini_simpson(facts: Facts, cuts: Cuts, k: int | None, p: Any) -> float:
    c, n = counts(cuts), len(cuts)
    iud = sum(w * (1 - c[i] / n) for i, w in weights(cuts).items()) / n
    return 1 - (1 - iud) / lengths(cuts, k)


def opportunity(facts: Facts, cuts: Cuts, groups: Iterable[set[Any]], listed: bool) -> list[float | None]:
    shares = []
    for group in groups:
        found = sum(item in group for u, cut in cuts.items() for item in (cut if listed else facts.hits(u, cut).values()))
        shares.append(share(found, sum(item in group for user in cuts for item in facts.gains[user])))
    return shares


def parity(facts: Facts, cuts: Cuts, groups: Iterable[set[Any]], candidates: str) -> list[float | None]:
    shares = []
    for group in groups:
        chances = float(len(group))
        if candidates == "unseen":
            chances = sum(len(group - facts.seen.get(user, set())) for user in cuts)
        elif candidates == "unseen_on_average":
            chances = len(cuts) * (len(group) - sum(len(facts.users_of.get(item, ())) for item in group) / facts.n_users)
        shares.append(share(sum(item in group for cut in cuts.values() for item in cut), chances))
    return shares


def head_and_tail(facts: Facts, p: Any) -> tuple[set[Any], set[Any]]:
    tail = facts.tail(p)
    return set(facts.rows) - tail, tail


def item_groups(facts: Facts, p: Any) -> list[set[Any]]:
    """Return the groups of items by name, or only the requested one."""
    names = [p["group"]] if p.get("group") else sorted(set(facts.item_group.values()))
    return [{item for item, name in facts.item_group.items() if name == wanted} for wanted in names]


def one_or_spread(p: Any, shares: list[float | None]) -> float | None:
    return shares[0] if p.get("group") else spread(shares)


def apart(means: Iterable[float | None], all_or_none: bool = False) -> float | None:
    means = list(means)
    if len(means) < 2 or (all_or_none and None in means):
        return None
    there = [abs(a - b) for a, b in combinations([value for value in means if value is not None], 2)]
    return mean(there) if there else None


def user_groups(facts: Facts, value_of: Mapping[Any, float]) -> float | None:
    names = sorted(set(facts.user_group.values()))
    values = [[value for user, value in value_of.items() if facts.user_group.get(user) == name] for name in names]
    return apart(mean(found) if found else None for found in values)


def user_ranking(facts: Facts, cuts: Cuts, k: int | None, p: Any) -> float | None:
    return user_groups(
        facts,
        {u: literal.metric("nDCG", facts.lists.get(u, []), facts.gains[u], k, facts.catalogue, facts.seen.get(u, set())) for u in cuts},
    )


def exposure_parity(facts: Facts, cuts: Cuts, k: int | None, p: Any) -> float:
    groups = {name: item_groups(facts, {"group": name})[0] for name in sorted(set(facts.item_group.values()))}
    totals = {n: sum(1 / log2(r + 1) for cut in cuts.values() for r, i in enumerate(cut, 1) if i in g) for n, g in groups.items()}
    each = {name: totals[name] / len(group) for name, group in groups.items()}
    if p["group"]:
        return divided(each[p["group"]], sum(totals.values()) / sum(map(len, groups.values())))
    return divided(min(each.values()), max(each.values()))


def correlation(facts: Facts, cuts: Cuts, k: int | None, p: Any) -> float | None:
    c = counts(cuts)
    items = list(c if p["items"] == "recommended" else c.keys() | facts.rows.keys())
    popularity = facts.popularity(p)
    n, m = [popularity.get(item, 0) for item in items], [c[item] for item in items]
    x, y = [number - mean(n) for number in n], [number - mean(m) for number in m]
    root = sqrt(sum(a * a for a in x) * sum(b * b for b in y))
    return None if len(set(n)) < 2 or len(set(m)) < 2 else sum(a * b for a, b in zip(x, y, strict=True)) / root


def far(facts: Facts, cuts: Cuts, k: int | None, p: Any) -> float | None:
    found = [facts.given_distances.get((user, item), 0) for user, cut in cuts.items() for item in cut]
    inverse = sum(1 / value for value in found if value)
    return len(found) / inverse - 2 if inverse else None


def predicted(facts: Facts, cuts: Cuts, k: int | None, p: Any, name: str) -> float | None:
    """Return the value of metric `name` over all predicted ratings together."""
    pairs = {pair: (facts.predictions[pair], t) for pair, t in facts.ratings.items() if pair in facts.predictions}
    if name == "LogLoss":
        clipped = [(min(max(q, p["eps"]), 1 - p["eps"]), t > 0) for q, t in pairs.values()]
        return -mean(log(q, e) if relevant else log(1 - q, e) for q, relevant in clipped) if clipped else None
    if name == "LabelAUC":
        right, wrong = [q for q, t in pairs.values() if t > 0], [q for q, t in pairs.values() if t <= 0]
        return share(sum((a > b) + (a == b) / 2 for a in right for b in wrong), len(right) * len(wrong))
    if len(pairs) < 2:
        return None
    errors, ratings = [q - t for q, t in pairs.values()], [t for _, t in pairs.values()]
    off = mean(errors) if name == "ExplainedVariance" else 0.0
    left = sum((error - off) ** 2 for error in errors)
    everything = sum((t - mean(ratings)) ** 2 for t in ratings)
    return 1 - left / everything if everything > 1e-9 else float(left < 1e-9)


OF_MODELS: Final[dict[str, Callable[[Facts, Cuts, int | None, Any], float | None]]] = {
    "ItemCoverage": coverage,
    "PredictionCoverage": coverage,
    "Gini": gini,
    "ShannonEntropy": entropy,
    "AggregateDiversity": lambda f, cuts, k, p: lengths(cuts, k) * sum(w / counts(cuts)[i] for i, w in weights(cuts).items()),
    "GiniSimpson": gini_simpson,
    "PopREO": lambda f, cuts, k, p: spread(opportunity(f, cuts, head_and_tail(f, p), p["numerator"] == "listed")),
    "PopRSP": lambda f, cuts, k, p: spread(parity(f, cuts, head_and_tail(f, p), p["candidates"])),
    "REO": lambda f, cuts, k, p: one_or_spread(p, opportunity(f, cuts, item_groups(f, p), False)),
    "RSP": lambda f, cuts, k, p: one_or_spread(p, parity(f, cuts, item_groups(f, p), p["candidates"])),
    "UserMADRating": lambda f, cuts, k, p: user_groups(f, {u: mean(f.scores[u][: len(cut)]) for u, cut in cuts.items() if cut}),
    "ExposureParity": exposure_parity,
    "PopularityCorrelation": correlation,
    "MeanPredictionDistance": far,
    **{
        name: lambda f, cuts, k, p, name=name: predicted(f, cuts, k, p, name) for name in ("R2", "ExplainedVariance", "LogLoss", "LabelAUC")
    },
}
