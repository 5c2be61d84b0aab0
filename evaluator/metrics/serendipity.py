"""Serendipity: relevant items that the user would hardly find alone, and the distance of recommendations from known items."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from ..support.lazy import np, pl
from ..syntax.measure_strings import Scalar
from ..tables.array import Array
from ..tables.distances import FileDistance, distance_of
from ..tables.graph import TableNotes, note_sentence, table
from ..tables.hits import top_items
from ..tables.lists import Reading
from ..tables.prepared import Prepared
from ..tables.rows import PartData, Rows
from .arrays import NO_VALUE, divide, divide_or_missing, where
from .diversity import needs_of_pairs
from .measure import Measure, Ratio
from .notation import DISTANCES, tex
from .registry import metric
from .table_views import CutTable

_MOST_PAIRS = 1 << 21
"""Most pairs of a listed and a train item that are compared at once, unless one item has more."""

note_sentence(
    "profile_pairs_without_distance",
    lambda n, total: f"{n:,} of {total:,} pairs of a listed and a train item have no distance in data.distances",
)
note_sentence(
    "users_without_distance",
    lambda n, total: f"{n:,} {'recommendation has' if n == 1 else 'recommendations have'} no distance to their user in data.distances",
)


@table(
    "from_profile",
    uses=("reading", "profile", "is_hit", "prepared", "notes"),
    params=("distance", "featureless", "depth"),
    columns=("rank", "item"),
    title="The items of the list, and how far they are from the profile",
)
def from_profile(
    reading: Reading, profile: Rows, is_hit: Array, prepared: Prepared, notes: TableNotes, distance: str, featureless: str, depth: int
) -> Rows:
    """Return the recommended items down to `depth`: the mean `distance` from the user's train items, and `hit`, 1 if it is a hit.

    Pairs without a distance are left out of the mean, or have distance 1 (`featureless` = `unlike`); without any pair the mean is 0.
    """
    rows, index = top_items(reading, depth)
    measured = distance_of(prepared, distance)
    assert rows.item is not None
    assert profile.item is not None
    listed_index, profile_index = measured.index_of(rows.item), measured.index_of(profile.item)
    starts = profile.starts()
    counts, sums = np.zeros(len(rows)), np.zeros(len(rows))
    pairs_of_row = np.diff(starts)[rows.user]
    for block in _blocks(pairs_of_row):
        lengths = pairs_of_row[block]
        row = np.repeat(np.arange(len(lengths)), lengths)
        within = np.arange(len(row)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        known_item = starts[rows.user[block]][row] + within
        value = measured.between(listed_index[block][row], profile_index[known_item])
        if featureless == "unlike":
            value = np.where(np.isnan(value), 1.0, value)
        known = ~np.isnan(value)
        counts[block] = np.bincount(row, known, len(lengths))
        sums[block] = np.bincount(row, np.where(known, value, 0.0), len(lengths))
    if distance == "file":
        every = int(pairs_of_row.sum())
        notes.count("profile_pairs_without_distance", every - int(counts.sum()), every)
    return rows.with_columns(distance=sums / np.maximum(counts, 1.0), hit=is_hit[index].astype(np.float64))


def _blocks(pairs_of_row: Array) -> Iterator[slice]:
    """Yield blocks of rows with at most `_MOST_PAIRS` pairs together, but at least one row."""
    before = np.concatenate([[0], np.cumsum(pairs_of_row)])
    start = 0
    while start < len(pairs_of_row):
        end = max(int(np.searchsorted(before, before[start] + _MOST_PAIRS, side="right")) - 1, start + 1)
        yield slice(start, end)
        start = end


@table(
    "user_distance",
    uses=("reading", "part", "prepared", "notes"),
    columns=("rank", "item"),
    title="Recommended people, and how far they are from the user",
)
def user_distance(reading: Reading, part: PartData, prepared: Prepared, notes: TableNotes) -> Rows:
    """Return the recommended items with a `distance` from the user in data.distances, where the user is one of the items."""
    rows, _ = top_items(reading, 0)
    measured = _between_texts(prepared)
    assert rows.item is not None
    of_user = measured.index_of(part.users.cast(pl.String))
    value = measured.between(of_user[rows.user], measured.index_of(rows.item.cast(pl.String)))
    known = ~np.isnan(value)
    notes.count("users_without_distance", int((~known).sum()), len(rows))
    return rows.take(known).with_columns(distance=value[known])


def _between_texts(prepared: Prepared) -> FileDistance:
    """Return the distances of the file between ids as texts, because ids of users and of items may have different types."""
    if "distance_of_texts" not in prepared.memo:
        assert prepared.distances is not None
        texts = prepared.distances.with_columns(pl.col("item").cast(pl.String), pl.col("other").cast(pl.String))
        prepared.memo["distance_of_texts"] = FileDistance(texts)
    made: FileDistance = prepared.memo["distance_of_texts"]
    return made


_FAR = r"\mathrm{mean}_{j \in <featureless>}\,d(i_r, j) \\ d(i,j) = <distance>"
_NEAR = {"left_out": "H_{u,i_r}", "unlike": "H_u"}


@metric(
    "Serendipity",
    family="serendipity",
    axes={"count": "popularity_count"},
    needs=("train", "items?"),
    uses=("hits", "reading"),
    population="lists",
    tex=(
        r"\frac{1}{|L_u|} \sum_{r=1}^{k} h_r \max\left(\frac{|I| + 1 - r}{|I|} - \pi_{i_r}, 0\right) \\ "
        r"\pi_i = \frac{|I| + 1 - \nu_i}{|I|} \text{ for } i \in I_{\mathrm{train}} \text{, else } 0"
    ),
    reference="RecTools metrics/serendipity.py, after Ge, Delgado-Battenfeld and Jannach, RecSys 2010",
)
def serendipity(m: Measure) -> Ratio:
    """How much higher hits rank than their popularity alone would place them; use it to reward hits that are not obvious.

    No position ν_i is skipped.

    Edge cases: a user without a hit counts 0, and so does one without test rows; an empty list counts 0.
    """
    n, rank, place = m.number("items"), m.hits["rank"], m.hits.item("dense_rank", count=str(m.params["count"]))
    popular = where(place > 0, (n + 1.0 - place) / n, 0.0)
    return Ratio(m.hits.sum(np.maximum((n + 1.0 - rank) / n - popular, 0.0), "unexpectedness"), m.n_listed)


_DISTANCE = {"distance": "item_distance", "featureless": "featureless_items"}


def _needs(params: Mapping[str, Scalar]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("train", *needs_of_pairs(params))))


def _from_profile(m: Measure) -> CutTable:
    return m.table("from_profile", distance=str(m.params["distance"]), featureless=str(m.params["featureless"]), depth=m.deepest)


@metric(
    "CosineSerendipity",
    family="serendipity",
    axes={"relevance": "serendipity_relevance", **_DISTANCE},
    bounds=(-math.inf, math.inf),
    needs=_needs,
    uses=("from_profile", "n_profile", "reading"),
    population="lists",
    tex=tex(
        r"\frac{1}{|L_u|} \sum_{r=1}^{k} <relevance>" + _FAR,
        relevance={"binary": r"h_r\,", "none": ""},
        distance=DISTANCES,
        featureless=_NEAR,
    ),
    reference="Zhang et al., Auralist: introducing serendipity into music recommendation, WSDM 2012; recommenders evaluation",
)
def cosine_serendipity(m: Measure) -> Array:
    """How different the hits are from the items that the user knows; use it to reward hits outside the user's habits.

    Edge cases: pairs without a distance are left out of the mean, or have distance 1 (`featureless`, as for ILD); an item without any such
    pair adds 0; users without train rows are left out.
    """
    far = _from_profile(m)
    row = far["distance"] * (far["hit"] if m.params["relevance"] == "binary" else 1.0)
    return where(m.user("n_profile") > 0, divide(far.sum(row, "distance"), m.n_listed), NO_VALUE)


@metric(
    "ProfileDistance",
    family="novelty",
    axes=_DISTANCE,
    bounds=(0.0, math.inf),
    aliases=("EPD", "FeatureUnexpectedness"),
    needs=_needs,
    uses=("from_profile", "reading"),
    average="micro",
    population="lists",
    higher_is_better=None,
    tex=tex(r"\frac{1}{|L_u|} \sum_{r=1}^{k} " + _FAR, distance=DISTANCES, featureless=_NEAR),
    reference="Castells, Hurley and Vargas, in Recommender Systems Handbook, 2nd ed. (2015), chapter 26; Unexpectedness of RELISON",
)
def profile_distance(m: Measure) -> Ratio:
    """How different the recommended items are from those that the user knows, relevant or not; use it to see how far a model explores.

    Every recommendation weighs the same.

    Edge cases: pairs without a distance are left out of the mean, or have distance 1 (`featureless`, as for ILD); an item without any such
    pair adds 0. Pooled over users (`micro`).
    """
    far = _from_profile(m)
    return Ratio(far.sum(far["distance"], "distance"), m.n_listed)


@metric(
    "MeanPredictionDistance",
    family="novelty",
    bounds=(-2.0, math.inf),
    needs=("distances",),
    uses=("user_distance", "reading"),
    per_model=True,
    population="lists",
    higher_is_better=None,
    tex=r"\frac{\sum_{u \in U} |L_u|}{\sum_{u \in U} \sum_{i \in L_u} 1/d(u,i)} - 2",
    reference="RELISON metrics, mean prediction distance of contact recommendation",
)
def mean_prediction_distance(m: Measure) -> Array:
    """How far recommended people are from the user in a social network; use it if you recommend contacts.

    Users are items of the network, and data.distances has their distances. A pair that is not in data.distances, or has distance 0, is
    unreachable and adds nothing to the sum.

    Edge cases: no value if no pair has a distance; 0 without a recommendation.
    """
    pairs = m.table("user_distance")
    distance = pairs["distance"]
    inverse = m.total(pairs.sum(divide(1.0, distance)))
    everything = m.total(m.n_listed)
    return where(everything > 0, divide_or_missing(everything, inverse) - 2.0, 0.0)
