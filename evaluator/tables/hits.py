"""Lists × truth → hits: the recommended items that are relevant, and other facts of the test file about listed items."""

from __future__ import annotations

from msgspec import Struct

from ..conventions.axis import Lists, Truth
from ..support.errors import DataError
from ..support.lazy import np, pl
from .array import Array
from .graph import table
from .ids import Pairs, gather
from .lists import ListRows, Reading, first_of_each, in_run, ranks_are_of_file, ranks_of_file, tie_key
from .prepared import Prepared
from .rows import PartData, Rows, in_order, number_rows, starts_of
from .tied_scores import reorder_hits, runs_of
from .truth import ONE_ROW, TestPairs, TruthTable, one_row_per_pair, rows_that_pass

AMONG = ("among_rated", "among_judged")
"""Positions that count only items of the test file."""


@table(
    "judged_rows", uses=("reading", "test_pairs"), varies=("positions",), columns=("rank",), title="Listed items that are in the test file"
)
def judged_rows(reading: Reading, test_pairs: TestPairs, positions: str) -> Rows:
    """Return the recommended items that are in the test file, relevant or not: `rank`, `pair` (the index of the test pair).

    If `positions` is one of `AMONG`, `rank` counts only these items, and `real_rank` is the rank in the list.
    """
    row, pair = test_pairs.lookup.find(reading.pairs)
    if reading.one_hit_per_item and len(row):
        first = np.sort(np.unique(pair, return_index=True)[1])
        row, pair = row[first], pair[first]
    rows = reading.table(row).with_columns(pair=pair)
    return ranked_among(rows, test_pairs, positions) if positions in AMONG else rows


def ranked_among(rows: Rows, test_pairs: TestPairs, positions: str) -> Rows:
    """Return listed items of the test file with their ranks among these items, of which `among_judged` leaves out ratings below 0."""
    if positions == "among_judged" and test_pairs.rating is not None:
        best = np.full(len(test_pairs), -np.inf)
        np.maximum.at(best, test_pairs.row_pair, test_pairs.rating)
        rows = rows.take(np.flatnonzero(best[rows["pair"]] >= 0))
    rank = number_rows(rows.user, rows.n_users)  # k cuts these items, not the list
    return Rows(rows.n_users, rows.user, {"rank": rank, "pair": rows["pair"], "real_rank": rows.real_rank}, rows.item)


@table("rated", uses=("reading", "test_pairs"), columns=("rank",), title="Listed items that are in the test file")
def rated(reading: Reading, test_pairs: TestPairs) -> Rows:
    """Return the recommended items that are in the test file, with their ranks in the list: `rank`, `pair`."""
    return judged_rows(reading, test_pairs, "real")


@table("truth_with_repeats", uses=("truth_table", "reading", "test_pairs"), varies=("lists",))
def truth_with_repeats(truth_table: TruthTable, reading: Reading, test_pairs: TestPairs, lists: Lists) -> tuple[TruthTable, Array | None]:
    """Return the truth table and how often each relevant pair is listed again: `None` unless duplicates count as more relevant items."""
    if lists.duplicates != "keep_all_as_relevant" or not reading.repeats:
        return truth_table, None
    _, pair = test_pairs.lookup.find(reading.pairs)
    more = np.maximum(np.bincount(pair, minlength=len(test_pairs)) - 1, 0)
    if truth_table.as_hits and truth_table.copies is not None:  # each listing counts as many hits as the test file has copies
        more = more * truth_table.copies
    return truth_table, np.where(truth_table.relevant, more, 0)


@table("relevant_with_repeats", uses=("truth_with_repeats",), columns=("item",), title="The relevant items")
def relevant_with_repeats(truth_with_repeats: tuple[TruthTable, Array | None]) -> Rows:
    """Return the relevant items, each as often as it counts, all with rank 1: `gain`, `pair` (the index of the test pair)."""
    truth, more = truth_with_repeats
    index = truth.index
    if more is not None:
        index = np.sort(np.concatenate([index, np.repeat(np.arange(len(more)), more)]), kind="stable")
    columns = {"rank": np.ones(len(index), dtype=np.int64), "gain": truth.gain[index], "pair": index}
    return Rows(len(truth.n_relevant), truth.pairs.user[index], columns, gather(truth.pairs.item, index))


@table("n_relevant", uses=("truth_with_repeats",), title="R, the relevant items")
def n_relevant(truth_with_repeats: tuple[TruthTable, Array | None]) -> Array:
    """Return the number of relevant items of each user."""
    truth, more = truth_with_repeats
    if more is None:
        return truth.n_relevant
    added: Array = truth.n_relevant + np.bincount(truth.pairs.user, more, len(truth.n_relevant)).astype(np.int64)
    return added


@table(
    "hits",
    uses=("judged_rows", "truth_table", "n_relevant", "reading"),
    varies=("lists",),
    columns=("rank", "item", "gain"),
    title="The hits",
)
def hits(judged_rows: Rows, truth_table: TruthTable, n_relevant: Array, reading: Reading, lists: Lists) -> Rows:
    """Return the recommended items that are relevant: `rank`, `gain`, `found` (hits up to this one), `n_relevant` (of the user)."""
    is_hit = truth_table.relevant[judged_rows["pair"]]
    if lists.hit_scores == "positive" and "score" in reading.source.rows and len(reading):  # reference lists have no rows here
        is_hit &= reading.score[reading.starts[judged_rows.user] + judged_rows.real_rank - 1] > 0
    rows = judged_rows.take(np.flatnonzero(is_hit))
    rows = rows.with_columns(found=number_rows(rows.user, rows.n_users))
    if truth_table.as_hits and truth_table.copies is not None:  # copies of a hit share its rank and `found`
        rows = rows.take(np.repeat(np.arange(len(rows)), truth_table.copies[rows["pair"]]))
    rows = rows.with_columns(gain=truth_table.gain[rows["pair"]], n_relevant=n_relevant[rows.user])
    if lists.ties not in ("worst", "best") or not (column := tie_key(reading.source.rows, lists)) or reading.file_rank is not None:
        return rows
    return reorder_hits(rows.with_columns(real_rank=rows.real_rank), runs_of(reading, in_run(reading, column)), best=lists.ties == "best")


@table("retrieved", uses=("hits",), columns=("rank", "gain"), title="The hits in their best order")
def retrieved(hits: Rows) -> Rows:
    """Return the hits in their best order, highest gain first: `rank`, `gain`."""
    order = in_order(hits.user, [(hits["gain"], True)])
    return Rows(hits.n_users, hits.user, {"rank": number_rows(hits.user, hits.n_users), "gain": hits["gain"][order]})


@table("retrieved_at_k", uses=("hits",), params=("depth",), columns=("rank", "gain"), title="The hits above the cut in their best order")
def retrieved_at_k(hits: Rows, depth: int) -> Rows:
    """Return the hits down to rank `depth` (0: all) in their best order, highest gain first: `rank`, `gain`."""
    return retrieved(hits.take(hits.columns[hits.cut] <= depth) if depth else hits)


@table(
    "outside",
    uses=("reading", "part", "prepared", "test_pairs", "truth_table"),
    columns=("rank",),
    title="Listed items that are not candidates",
)
def outside(reading: Reading, part: PartData, prepared: Prepared, test_pairs: TestPairs, truth_table: TruthTable) -> Rows:
    """Return the recommended items, each once, that are irrelevant and not candidates (not in the catalogue, or seen in train): `rank`."""
    mask = ~np.append(prepared.in_catalogue, False)[reading.item_index]
    if "train" in part:
        row, _ = part.lookup_of_train.find(reading.pairs)
        mask[row] = True
    row, pair = test_pairs.lookup.find(reading.pairs)
    mask[row[truth_table.relevant[pair]]] = False
    rows = np.flatnonzero(mask)
    return reading.table(rows[np.sort(first_of_each(reading.pairs.take(rows)))])


@table("n_candidates", uses=("part", "prepared", "test_pairs", "truth_table"), title="candidates that are not relevant")
def n_candidates(part: PartData, prepared: Prepared, test_pairs: TestPairs, truth_table: TruthTable) -> Array:
    """Return for each user the number of candidates that are not relevant: the catalogue without relevant items and train items."""
    catalogue = np.append(prepared.in_catalogue, False)
    relevant = np.flatnonzero(truth_table.relevant)
    taken = np.bincount(
        test_pairs.user[relevant][catalogue[prepared.items.index_of(gather(test_pairs.item, relevant))]], minlength=part.n_users
    )
    left = int(prepared.number("items")) - taken
    if "train" in part:
        train = train_pairs(part)
        known = catalogue[prepared.items.index_of(train.item)]
        row, pair = test_pairs.lookup.find(train)
        known[row[truth_table.relevant[pair]]] = False
        left = left - np.bincount(train.user[known], minlength=part.n_users)
    return left


@table("n_unseen", uses=("part", "prepared"), title="items of data.train that the user has not seen")
def n_unseen(part: PartData, prepared: Prepared) -> Array:
    """Return for each user the number of items of train without the user's own; without train, of the catalogue."""
    if "train" not in part:
        return np.full(part.n_users, int(prepared.number("items")))
    left: Array = int(prepared.number("train_items")) - np.bincount(train_pairs(part).user, minlength=part.n_users)
    return left


def train_pairs(part: PartData) -> Pairs:
    """Return the distinct train pairs of the users of a part."""
    pairs = part.pairs["train"]
    return pairs.take(np.sort(first_of_each(pairs)))


@table("n_items", uses=("prepared",))
def n_items(prepared: Prepared) -> float:
    """Return the number of items of the catalogue."""
    return prepared.number("items")


@table("profile", uses=("part",), columns=("item",), title="The items of data.train")
def profile(part: PartData) -> Rows:
    """Return the train items of each user, each once, all with rank 1, in the order of items."""
    pairs = train_pairs(part)
    order = in_order(pairs.user, [(pairs.item, False)])
    pairs = pairs.take(order)
    return Rows(part.n_users, pairs.user, {"rank": np.ones(len(pairs), dtype=np.int64)}, pairs.item)


@table("n_profile", uses=("profile",), title="items of the user's train rows")
def n_profile(profile: Rows) -> Array:
    """Return the number of distinct train items of each user."""
    return np.diff(profile.starts())


@table("baseline_ranks", uses=("part", "prepared"))
def baseline_ranks(part: PartData, prepared: Prepared) -> Rows:
    """Return the list of the reference model, ranked by the convention of the config, each item once: `other_rank`."""
    assert prepared.baseline_lists is not None
    source, lists = ListRows(part.rows("baseline"), part.pairs["baseline"], prepared), prepared.baseline_lists
    order = source.order_by(lists)
    pairs = source.pairs if order is None else source.pairs.take(order)
    first = np.sort(first_of_each(pairs))
    rank = number_rows(pairs.user, part.n_users)
    if ranks_are_of_file(source, lists):
        rank = ranks_of_file(source, order, pairs.user, part.n_users)
    return Rows(part.n_users, pairs.user[first], {"other_rank": rank[first]}, gather(pairs.item, first))


@table(
    "overlap",
    uses=("reading", "baseline_ranks"),
    columns=("rank", "item", "other_rank"),
    title="Listed items that the reference model lists as well",
)
def overlap(reading: Reading, baseline_ranks: Rows) -> Rows:
    """Return the recommended items, each once, that are also in the list of the reference model: `rank`, `other_rank`."""
    assert baseline_ranks.item is not None
    left = pl.DataFrame({"user": reading.user, "item": reading.item}).with_row_index("row")
    right = pl.DataFrame({"user": baseline_ranks.user, "item": baseline_ranks.item, "other": baseline_ranks["other_rank"]})
    both = left.join(right, on=["user", "item"]).sort("row").unique(["user", "item"], keep="first", maintain_order=True)
    return reading.table(both["row"].to_numpy().astype(np.int64)).with_columns(other_rank=both["other"].to_numpy())


@table("n_baseline", uses=("baseline_ranks",), title="the length of the list of the reference model")
def n_baseline(baseline_ranks: Rows) -> Array:
    """Return the number of items in each user's list of the reference model."""
    return np.diff(baseline_ranks.starts())


class TestRatings(Struct, frozen=True, eq=False):
    """Test pairs that count, in the order of users and items: the index of each (`pair`) and its `rating`, 1 without ratings.

    If every row of the test file counts, a pair has one entry per row, the lowest rating first.
    """

    __test__ = False

    pair: Array
    rating: Array

    def rating_of_pair(self, n_pairs: int) -> Array:
        """Return the highest rating of every test pair, NaN for pairs that do not count."""
        ratings = np.full(n_pairs, np.nan)
        np.fmax.at(ratings, self.pair, self.rating)
        return ratings

    def pair_ratings(self, pairs: Array) -> tuple[Array, Array]:
        """Return every rating of these `pairs`, in their order: the index of its pair among them, and the rating."""
        first, end = (np.searchsorted(self.pair, pairs, side) for side in ("left", "right"))
        n = end - first
        index = np.repeat(np.arange(len(pairs)), n)
        return index, self.rating[np.arange(len(index)) - np.repeat(np.cumsum(n) - n - first, n)]


@table("test_ratings", uses=("part", "prepared", "test_pairs"), varies=("truth",))
def test_ratings(part: PartData, prepared: Prepared, test_pairs: TestPairs, truth: Truth) -> TestRatings:
    """Return every test pair that passes the filter, relevant or not, with its highest, first, last or summed rating, or once per row."""
    passing = rows_that_pass(part, prepared, test_pairs, truth.filter)
    pair, rating = test_pairs.row_pair, test_pairs.rating
    if "row" in truth.duplicates and test_pairs.repeats:
        rows = np.flatnonzero(passing)
        ratings = np.ones(len(rows)) if rating is None else rating[rows]
        order = np.lexsort((ratings, pair[rows]))
        return TestRatings(pair[rows][order], ratings[order])
    if rating is None:
        pairs = np.unique(pair[passing])
        return TestRatings(pairs, np.ones(len(pairs)))
    if truth.duplicates in ONE_ROW:
        pair, rating, passing = one_row_per_pair(test_pairs, rating, passing, truth.duplicates)
    largest = np.full(len(test_pairs), -np.inf)
    np.maximum.at(largest, pair[passing], rating[passing])
    pairs = np.unique(pair[passing])
    return TestRatings(pairs, largest[pairs])


@table("scored_pairs", uses=("reading", "rated"), reads_scores=True)
def scored_pairs(reading: Reading, rated: Rows) -> Rows:
    """Return the test pairs that are in the list, in the order of users and items, at their best rank: `rank`, `pair`, maybe `score`."""
    _, first = np.unique(rated["pair"], return_index=True)
    rows = rated.take(first)
    if "score" not in reading.source.rows:
        return rows
    return rows.with_columns(score=reading.score[starts_of(reading.user, reading.n_users)[rows.user] + rows.real_rank - 1])


def scores_of(scored_pairs: Rows) -> Array:
    """Return the scores of test pairs; `DataError` if the lists have none."""
    if "score" not in scored_pairs:
        raise DataError(
            "data.recommendations: the lists of a model have no scores; correlations need scores, "
            "and rating errors need scores or data.predictions",
            "set the score column in the config, columns: {score: NAME}, or give data.predictions",
        )
    return scored_pairs["score"]


def top_items(reading: Reading, depth: int) -> tuple[Rows, Array]:
    """Return the recommended items above a cut-off at `depth` (0: all), and their indexes among all rows of the lists.

    Their `rank` is the one that cut-offs use.
    """
    rank = reading.rank if reading.cut is None else reading.cut
    index = np.flatnonzero(rank <= depth) if depth else np.arange(len(reading))
    item_index = reading.item_index[index]
    rows = Rows(reading.n_users, reading.user[index], {"rank": rank[index]}, gather(reading.item, index), memo={"item_index": item_index})
    return rows, index


@table("is_hit", uses=("reading", "test_pairs", "hits"))
def is_hit(reading: Reading, test_pairs: TestPairs, hits: Rows) -> Array:
    """Return for each row of the lists whether it is a hit; of an item listed several times, the first rows, as many as count."""
    counts = np.bincount(hits["pair"], minlength=len(test_pairs))
    row, pair = test_pairs.lookup.find(reading.pairs)
    order = np.argsort(pair, kind="stable")
    ordered = pair[order]
    first = np.searchsorted(ordered, ordered)  # the first row of the same pair
    before = np.empty(len(pair), dtype=np.int64)
    before[order] = np.arange(len(pair)) - first
    marks = np.zeros(len(reading), dtype=np.bool_)
    marks[row[before < counts[pair]]] = True
    return marks
