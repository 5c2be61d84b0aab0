"""The literal second implementation of the metrics beyond accuracy: plain Python, every parameter, straight from the docstrings.

Its limits: the protocol of the `receval` convention, and side inputs as `tests.worlds` makes them. Values of whole models are in
`literal_models`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from math import e, exp, floor, fsum, log2, prod, sqrt
from typing import Any, Final

from receval.conventions import load
from receval.metrics import METRICS, resolve
from receval.syntax.measure_strings import MetricSpec

from tests import literal
from tests.literal_facts import UNKNOWN, Facts, divided


def entry_combines(spec: MetricSpec) -> bool:
    """Return whether a measure combines other than its default metrics, or other points; golden cases test these."""
    return bool(METRICS[spec.name].combines and (spec.components or spec.params))


def user_value(facts: Facts, spec: MetricSpec, user: Any) -> Any:
    """Return the value of a measure for a user; `None` if the user is not counted."""
    if entry_combines(spec):
        return UNKNOWN
    entry, made = METRICS[spec.name], resolve(spec, load("receval"))
    if not (facts.lists if entry.population == "lists" else facts.gains).get(user):
        return None
    k = spec.k if isinstance(spec.k, int) else None
    items = facts.lists.get(user, [])
    return OF_USERS[spec.name](facts, user, items if k is None else items[:k], k, made.params)


def worth(facts: Facts, user: Any, item: Any, p: Any) -> float:
    return facts.price.get(item, 0.0) if p["column"] == "items.price" else facts.ratings[user, item]


def hit_sum(facts: Facts, user: Any, cut: Sequence[Any], p: Any) -> float:
    return fsum(worth(facts, user, item, p) for item in facts.hits(user, cut).values())


def relevant_sum(facts: Facts, user: Any, p: Any) -> float:
    return fsum(worth(facts, user, item, p) for item in facts.gains[user])


def best_hit(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float | None:
    best = max(worth(facts, user, item, p) for item in facts.gains[user])
    return max((worth(facts, user, item, p) for item in facts.hits(user, cut).values()), default=0.0) / best if best else None


def snips(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float | None:
    """Return Σ gain/(discount · P) over the hits, divided by Σ 1/P over the relevant items; items without a propensity are left out."""
    popularity, weights = facts.popularity(p), {}
    for item in facts.gains[user]:
        if p["ips"] == "popularity":
            propensity = max((popularity.get(item, 0) / max(popularity.values())) ** ((p["gamma"] + 1) / 2), p["floor"])
        else:
            propensity = worth(facts, user, item, {"column": p["ips"]})
        weights[item] = 1 / propensity if propensity > 0 else 0.0
    found = 0.0
    for rank, item in facts.hits(user, cut).items():
        grade = facts.gains[user][item]
        gain = {
            "binary": 1.0,
            "linear": grade,
            "exp2": 2**grade - 1,
            "exp2_plus1": 2 ** (grade + 1) - 1,
            "exp2_offset": 2 ** (grade + 1) - 1,
        }
        shifted = p.get("discount") != "log_max_r_2"
        by = log2(rank + 1 if shifted else max(rank, 2)) / log2(p["log_base"]) if "log_base" in p else 1.0
        found += weights[item] * (gain[p["gain"]] if "gain" in p else 1.0) / by
    return found / fsum(weights.values()) if fsum(weights.values()) else None


def depth(cut: Sequence[Any], k: int | None, over: str) -> int:
    return k if k is not None and over == "k" else len(cut)


def discounted(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any, novelty: Callable[[Any], float]) -> float:
    """Return Σ rel · d · novelty / Σ d."""

    def d(rank: int) -> float:
        return 1 / log2(rank + 1) if p["discount"] == "log" else 1.0

    if p["relevance"] == "none":
        found = {rank: 1.0 for rank, _ in enumerate(cut, 1)}
    else:
        found = {
            rank: facts.gain(user, i, p["gain"] if p["relevance"] == "gain" else "binary") for rank, i in facts.hits(user, cut).items()
        }
    total = sum(worth * d(rank) * novelty(cut[rank - 1]) for rank, worth in found.items())
    return divided(total, sum(d(rank) for rank in range(1, depth(cut, k, "k" if p["norm"] == "k" else "list_length") + 1)))


def surprise(facts: Facts, item: Any, p: Any) -> float:
    rows = p["unit"] == "rows"
    everything = len(facts.train) if rows else facts.n_users
    n = facts.rows.get(item, 0) if rows else len(facts.users_of.get(item, ()))
    if not n and p["unseen"] == "zero":
        return 0.0
    bits = -log2(max(n, 1) / everything)
    return divided(bits, log2(everything)) if p["norm"] == "log2_users" else bits


def free_discovery(facts: Facts, item: Any, p: Any) -> float:
    n = facts.popularity(p)
    return -log2(n.get(item, 1 if p["unseen"] == "one" else min(n.values())) / sum(n.values()))


def popularity(facts: Facts, item: Any, p: Any) -> float:
    n = len(facts.users_of.get(item, ())) if "user" in p["unit"] else facts.rows.get(item, 0)
    n = max(n, 1) if p["unseen"] == "one" else n
    return n / {"row_share": len(facts.train), "user_share": facts.n_users}.get(p["unit"], 1)


def mean_place(facts: Facts, item: Any, unit: str) -> float:
    popular = {i: len(facts.users_of[i]) if unit == "users" else n for i, n in facts.rows.items()}
    if item not in popular:
        return 0.0
    below = sum(n < popular[item] for n in popular.values())
    same = sum(n == popular[item] for n in popular.values())
    return (below + (same + 1) / 2) / len(popular)


def tail_percentage(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    n = facts.popularity(p)
    order = sorted(n, key=lambda item: (n[item], item))
    ratio = p["ratio"]
    tail = {i for i in order if n[i] <= ratio} if ratio > 1 else set(order[: max(floor(ratio * len(order)), 1)])
    return divided(sum(item in tail for item in cut), len(cut))


def shared(facts: Facts, user: Any, cut: Sequence[Any], ref_k: int | None) -> int:
    return len(set(cut) & set(facts.baseline.get(user, [])[:ref_k]))


def rbo(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    """Return equation 32 of Webber, Moffat and Zobel (2010), or the weighted mean of the agreements down to k."""
    other, q = facts.baseline.get(user, [])[:k], p["p"]
    if not other:
        return 0.0
    short, long = sorted((len(cut), len(other)))
    both = [len(set(cut[:d]) & set(other[:d])) for d in range(max(long, k or 0) + 1)]
    if p["form"] == "down_to_k":
        depths = range(1, (k or long) + 1)
        return sum(both[d] / d * q ** (d - 1) for d in depths) / sum(q ** (d - 1) for d in depths)
    within = sum(both[d] / d * q**d for d in range(1, long + 1))
    below = sum(both[short] * (d - short) / (short * d) * q**d for d in range(short + 1, long + 1))
    return (1 - q) / q * (within + below) + ((both[long] - both[short]) / long + both[short] / short) * q**long


def unexpectedness(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    known = bool(facts.baseline.get(user)) or p["absent"] == "one"
    return 1 - divided(shared(facts, user, cut, k), depth(cut, k, p["over"])) if known else 0.0


def between(facts: Facts, one: Any, other: Any, p: Any) -> float | None:
    """Return the distance of two items; 1 if they have none and the parameter `featureless` says so."""
    far = facts.distance(one, other, p["distance"])
    return 1.0 if far is None and p["featureless"] == "unlike" else far


def pairs(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any, similar: bool = False) -> float | None:
    found = [far for first, other in combinations(cut, 2) if (far := between(facts, first, other, p)) is not None]
    if p.get("norm") == "items":
        return divided(2 * sum(found), len(cut) ** 2)  # its own ratio, whose divisor is the length, too
    if p.get("norm") == "list_length":
        return divided(sum(found), len(cut))
    values = [1 - far if similar else far for far in found]
    without = {"zero": 0.0, "one": 1.0, "left_out": None, "short_zero": 0.0 if len(cut) < 2 else None}
    return sum(values) / len(values) if values else without[p["single"]]


def s_recall(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    found = facts.hits(user, cut).values() if p["relevance"] == "binary" else cut
    covered = set().union(*(facts.tags(user, item, p) for item in found))
    whole = {"catalogue": facts.all_categories, "train": facts.categories_in(list(facts.rows)), "relevant": facts.wanted(user, p)}
    return divided(len(covered), len(whole[p["of"]]))


def aspects(facts: Facts, user: Any, cut: Sequence[Any], p: Any, above: str = "hits") -> list[tuple[int, str, int]]:
    """Return rank, category, and the number of hits (or items) above with this category, for every category of a hit."""
    hits = facts.hits(user, cut)
    found = []
    for rank, item in hits.items():
        higher = [i for r, i in hits.items() if r < rank] if above == "hits" else list(cut[: rank - 1])
        found += [(rank, c, sum(c in facts.tags(user, i, p) for i in higher)) for c in facts.tags(user, item, p)]
    return found


def greedy_gains(facts: Facts, user: Any, k: int | None, p: Any, left: float) -> list[float]:
    """Return the gain at each rank of the relevant items in greedy order; `left` is what a covered category is still worth."""
    text_desc = p["ideal"] == "greedy_text_desc"
    remaining = sorted(facts.gains[user], key=str, reverse=True) if text_desc else sorted(facts.gains[user])
    gains, seen = [], Counter[str]()
    for _ in range(len(remaining) if k is None else min(k, len(remaining))):
        worth_of = {item: sum(left ** seen[c] for c in facts.tags(user, item, p)) for item in remaining}
        chosen = next(item for item in remaining if worth_of[item] > max(worth_of.values()) - 1e-12)
        gains.append(worth_of[chosen])
        seen.update(facts.tags(user, chosen, p))
        remaining.remove(chosen)
    return gains


def ideal_sum(facts: Facts, user: Any, k: int | None, p: Any, left: float, worth: Callable[[int], float]) -> float:
    """Return the sum over the ideal list of gain times `worth` of the rank."""
    if p["ideal"] == "every_category":
        assert k is not None
        return sum(len(facts.wanted(user, p)) * left ** (rank - 1) * worth(rank) for rank in range(1, k + 1))
    return sum(gain * worth(rank) for rank, gain in enumerate(greedy_gains(facts, user, k, p, left), 1))


def alpha_ndcg(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    left = 1 - p["alpha"]
    gained = sum(left**seen / log2(rank + 1) for rank, _, seen in aspects(facts, user, cut, p, p["redundancy"]))
    wanted = facts.wanted(user, p)
    if p["ideal"] == "none":
        return gained
    if p["ideal"] == "places":
        rounds = len(cut) // len(wanted) if wanted else 0
        worth = [1.0] * (rounds * len(wanted)) + [left**rounds] * len(cut)
        return divided(gained, sum(worth[rank - 1] / log2(rank + 1) for rank in range(1, len(cut) + 1)))
    return divided(gained, ideal_sum(facts, user, k, p, left, lambda rank: 1 / log2(rank + 1)))


def err_ia(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    g, mine = p["grade"], facts.seen.get(user, set()) | facts.gains[user].keys()
    found = aspects(facts, user, cut, p)
    if p["ideal"] != "none":
        gained = sum((1 - g) ** seen / rank for rank, _, seen in found)
        return divided(gained, ideal_sum(facts, user, k, p, 1 - g, lambda rank: 1 / rank))
    of_mine = Counter(category for item in mine for category in facts.categories.get(item, ()))
    n_all = len(facts.wanted(user, p)) if p["categories_of"] == "test" else len(facts.all_categories)
    total = 0.0
    for rank, category, seen in found:
        share = 1 / n_all if p["intent"] == "uniform" else of_mine[category] / sum(of_mine.values())
        total += share * g * (1 - g) ** seen / rank
    return total


def precision_ia(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    return divided(len(aspects(facts, user, cut, p)), depth(cut, k, p["over"]) * len(facts.wanted(user, p)))


def map_ia(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    sizes = Counter(category for item in facts.gains[user] for category in facts.tags(user, item, p))
    return divided(sum((seen + 1) / rank / sizes[c] for rank, c, seen in aspects(facts, user, cut, p)), len(sizes))


def nrbp(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    left, patience = 1 - p["alpha"], p["p"]
    gained = sum(patience ** (rank - 1) * left**seen for rank, _, seen in aspects(facts, user, cut, p))
    if p["ideal"] == "every_category":
        return divided(gained * (1 - left * patience), len(facts.wanted(user, p)))
    return divided(gained, ideal_sum(facts, user, k, p, left, lambda rank: patience ** (rank - 1)))


def serendipity(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    n, popularity = len(facts.catalogue), facts.popularity(p)
    levels = sorted(set(popularity.values()), reverse=True)

    def pr(item: Any) -> float:
        return (n - levels.index(popularity[item])) / n if item in popularity else 0.0

    return divided(sum(max((n + 1 - rank) / n - pr(item), 0) for rank, item in facts.hits(user, cut).items()), len(cut))


def to_profile(facts: Facts, user: Any, cut: Sequence[Any], ranks: Sequence[int], p: Any) -> float:
    """Return 1/l · Σ over `ranks` of the mean distance to the user's items in train."""
    total = 0.0
    for rank in ranks:
        known = [far for j in facts.seen.get(user, ()) if (far := between(facts, cut[rank - 1], j, p)) is not None]
        total += divided(sum(known), len(known))
    return divided(total, len(cut))


def cosine_serendipity(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float | None:
    ranks = list(facts.hits(user, cut)) if p["relevance"] == "binary" else range(1, len(cut) + 1)
    return to_profile(facts, user, cut, list(ranks), p) if facts.seen.get(user) else None


def weights(facts: Facts, user: Any, cut: Sequence[Any], p: Any) -> list[float]:
    """Return the weight of every rank; 0 for an item that already has a higher rank."""

    def activated(values: Sequence[float]) -> list[float]:
        if p["activation"] == "softmax":
            return [exp(value) / sum(map(exp, values)) for value in values]
        return [1 / (1 + e**-value) if p["activation"] == "sigmoid" else value for value in values]

    now, before = activated(facts.scores[user][: len(cut)]), activated([facts.policy.get(item, 0.0) for item in cut])
    t = p["threshold"]
    found = [t if not b else min(max(a / b, 1 / t), t) for a, b in zip(now, before, strict=True)]
    return [0.0 if item in cut[:place] else weight for place, (item, weight) in enumerate(zip(cut, found, strict=True))]


def ncis(name: str) -> Callable[..., float]:
    def value(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
        w, n = weights(facts, user, cut, p), len(facts.gains[user])
        by = (lambda rank: 1 / log2(rank + 1)) if name == "NCISnDCG" else (lambda rank: 1.0)
        hit = divided(sum(w[rank - 1] * by(rank) for rank in facts.hits(user, cut)), sum(w))
        if name == "NCISPrecision":
            return hit
        if name == "NCISHitRate":
            return min(1.0, hit * len(cut))
        ideal = sum(1 / log2(rank + 1) for rank in range(1, (n if k is None else min(n, k)) + 1))
        return hit * len(cut) / (n if name == "NCISRecall" else ideal)

    return value


def both(facts: Facts, user: Any, k: int | None) -> list[float]:
    """Return precision and recall."""
    names = ("Precision", "Recall")
    return [literal.metric(name, facts.lists.get(user, []), facts.gains[user], k, facts.catalogue, set()) for name in names]


def hypervolume(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    return prod(max(value, 0.0) for value in both(facts, user, k))


def share(name: str, facts: Facts, cut: Sequence[Any], k: int | None, p: Any) -> float:
    """Return the value of a metric of popularity for one list."""
    if name in ("APLT", "ACLT"):
        found = sum(item in facts.tail(p) for item in cut)
        return divided(found, depth(cut, k, p["over"])) if name == "APLT" else float(found)
    each = {
        "ARP": lambda item: popularity(facts, item, p),
        "MeanPopRank": lambda item: mean_place(facts, item, p["unit"]),
        "LongTailNovelty": lambda item: 1 - len(facts.users_of.get(item, ())) / facts.n_users,
        "Surprisal": lambda item: surprise(facts, item, p),
    }
    return divided(sum(map(each[name], cut)), depth(cut, k, p.get("over", "list_length")))


def gain_per_item(facts: Facts, user: Any, cut: Sequence[Any], last: int, p: Any, going_on: Callable[[int, float, float], float]) -> float:
    """Return the gain per item of a reader who goes on with a probability that depends on the rank, its gain and the gain so far."""
    low, high = p["min_rel"], p["max_rel"]
    scaled = {rank: min(max(facts.gains[user][item] - low, 0) / (high - low), 1) for rank, item in facts.hits(user, cut).items()}
    reaches, gained, read, so_far = 1.0, 0.0, 0.0, 0.0
    for rank in range(1, last + 1):
        here = scaled.get(rank, 0.0)
        gained, read, so_far = gained + reaches * here, read + reaches, so_far + here
        reaches *= going_on(rank, here, so_far)
    return divided(gained, read)


def towards_goal(rank: int, p: Any, gained: float = 0.0) -> float:
    return (1 - 1 / (rank + 2 * p["T"] - gained)) ** 2


OfUser = Callable[[Facts, Any, Sequence[Any], "int | None", Any], "float | None"]


def coverage_error(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    scores, ranks = facts.scores.get(user, []), facts.hits(user, cut)
    missed = len(facts.gains[user]) - len(ranks)
    found = [sum(score >= scores[rank - 1] for score in scores) for rank in ranks]
    return float(len(cut) + missed if missed else max(found, default=0))


def ranking_loss(facts: Facts, user: Any, cut: Sequence[Any], k: int | None, p: Any) -> float:
    scores, ranks = facts.scores.get(user, []), facts.hits(user, cut)
    misses = [score for rank, score in enumerate(scores, 1) if rank not in ranks]
    unlisted = len(facts.gains[user]) - len(ranks)
    wrong = [miss >= scores[rank - 1] for rank in ranks for miss in misses] + [True] * unlisted * len(misses)
    return sum(wrong) / len(wrong) if wrong else 0.0


OF_USERS: Final[dict[str, OfUser]] = {
    "UserCoverage": lambda f, u, cut, k, p: float(bool(cut)),
    "SufficientReco": lambda f, u, cut, k, p: min(len(cut) / (k or 1), 1.0) if p["form"] == "share" else float(len(cut) >= (k or 1)),
    "UnrepeatedReco": lambda f, u, cut, k, p: len(set(cut)) / len(cut) if p["form"] == "share" else float(len(set(cut)) == len(cut)),
    "DuplicateShare": lambda f, u, cut, k, p: divided(len(cut) - len(set(cut)), len(cut)),
    "InvalidShare": lambda f, u, cut, k, p: divided(sum(i not in f.catalogue and i not in f.rows for i in cut), len(cut)),
    "NumRetrieved": lambda f, u, cut, k, p: float(len(cut)),
    "NumRelevant": lambda f, u, cut, k, p: float(len(f.gains[u])),
    "NumUsers": lambda f, u, cut, k, p: 1.0,
    "Intersection": lambda f, u, cut, k, p: divided(shared(f, u, cut, int(p["ref_k"]) or k), len(cut)),
    "RBO": rbo,
    "Unexpectedness": unexpectedness,
    "Novelty": lambda f, u, cut, k, p: 1 - divided(len(set(cut) & f.seen.get(u, set())), len(cut)),
    "TailPercentage": tail_percentage,
    "Revenue": lambda f, u, cut, k, p: hit_sum(f, u, cut, p),
    "RevenueShare": lambda f, u, cut, k, p: hit_sum(f, u, cut, p) / relevant_sum(f, u, p) if relevant_sum(f, u, p) else None,
    "Profit": lambda f, u, cut, k, p: hit_sum(f, u, cut, p),
    "WeightedPrecision": lambda f, u, cut, k, p: divided(hit_sum(f, u, cut, p), fsum(f.price.get(i, 0.0) for i in cut)),
    "WeightedRecall": lambda f, u, cut, k, p: hit_sum(f, u, cut, p) / relevant_sum(f, u, p) if relevant_sum(f, u, p) else None,
    "WeightedHitRate": best_hit,
    "SNIPSRecall": snips,
    "SNIPSDCG": snips,
    "EPC": lambda f, u, cut, k, p: discounted(
        f, u, cut, k, p, lambda item: 1 - max(f.popularity(p).get(item, 0), p["unseen"] == "one") / f.n_users
    ),
    "EFD": lambda f, u, cut, k, p: discounted(f, u, cut, k, p, lambda item: free_discovery(f, item, p)),
    "ILD": pairs,
    "ILS": lambda f, u, cut, k, p: pairs(f, u, cut, k, p, similar=True),
    "CategoricalDiversity": lambda f, u, cut, k, p: divided(len(f.categories_in(cut)), depth(cut, k, p["over"])),
    "SRecall": s_recall,
    "AlphaNDCG": alpha_ndcg,
    "ERRIA": err_ia,
    "PrecisionIA": precision_ia,
    "MAPIA": map_ia,
    "NRBP": nrbp,
    "Serendipity": serendipity,
    "CosineSerendipity": cosine_serendipity,
    "ProfileDistance": lambda f, u, cut, k, p: to_profile(f, u, cut, range(1, len(cut) + 1), p),
    "NERR8": lambda f, u, cut, k, p: gain_per_item(f, u, cut, depth(cut, k, "k"), p, lambda rank, c, so_far: 1 - c),
    "NERR9": lambda f, u, cut, k, p: gain_per_item(f, u, cut, depth(cut, k, "k"), p, lambda rank, c, so_far: rank / (rank + 1) * (1 - c)),
    "NERR10": lambda f, u, cut, k, p: gain_per_item(f, u, cut, 1000, p, lambda rank, c, so_far: p["p"] * (1 - c)),
    "NERR11": lambda f, u, cut, k, p: gain_per_item(f, u, cut, 1000, p, lambda rank, c, so_far: towards_goal(rank, p) * (1 - c)),
    "INSQ": lambda f, u, cut, k, p: gain_per_item(f, u, cut, 1000, p, lambda rank, c, so_far: towards_goal(rank, p)),
    "INST": lambda f, u, cut, k, p: gain_per_item(f, u, cut, 1000, p, lambda rank, c, so_far: towards_goal(rank, p, so_far)),
    "CoverageError": coverage_error,
    "RankingLoss": ranking_loss,
    "EucDistance": lambda f, u, cut, k, p: sqrt(sum((value - 1) ** 2 for value in both(f, u, k))),
    "Hypervolume": hypervolume,
    **{
        name: lambda f, u, cut, k, p, name=name: share(name, f, cut, k, p)
        for name in ("ARP", "MeanPopRank", "APLT", "ACLT", "LongTailNovelty", "Surprisal")
    },
    **{name: ncis(name) for name in ("NCISPrecision", "NCISRecall", "NCISHitRate", "NCISnDCG")},
}
