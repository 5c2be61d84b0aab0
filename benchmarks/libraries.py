"""How the reference values of each library were computed: the convention to compare with, and the inputs of the library.

Libraries that take ordered lists got them sorted by score, ties in the order of the file; those that take a dictionary
got the first row of a duplicate pair, or, where a value has the note D2, every row; those without their own threshold got only the
relevant test rows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from sorting import as_ranx, cut

Row = dict[str, Any]


@dataclass(frozen=True)
class Library:
    """How the values of a library were computed.

    `sorted_lists`: it takes ordered lists; `dictionary`: it keeps a pair once, and test rows have a grade; `least`: its own
    threshold at which every test row is relevant, `None` if the caller filters; `unstable`: it sorts ties in no stated order; `sort`:
    its own sort; `cuts`: it cuts lists to the largest k of the call before it orders ties; `border`: it sorts items by
    popularity in no stated order; `single`: the metrics that it computes in single precision, `cancels` those of them that are
    differences of larger numbers; `more`: how it was used if the caller chooses the users; `train`: whether it
    got the train file; `truth_only`: the lists of users without a test row were removed for metrics of relevance;
    `decimals`: its values are rounded to so many; `all_items`: it ranks every item of the catalogue, and those outside of a list got the
    scores -1, -2, … in the order of the catalogue.
    """

    convention: str
    sorted_lists: bool = False
    dictionary: bool = False
    least: float | None = None
    unstable: bool = False
    sort: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    cuts: bool = False
    border: bool = False
    single: str = ""
    cancels: str = ""
    more: tuple[tuple[str, str], ...] = ()
    train: bool = True
    truth_only: bool = False
    decimals: int | None = None
    all_items: bool = False


LIBRARIES = {
    "beir": Library("beir", dictionary=True, decimals=5),
    "clayrs": Library("clayrs", sorted_lists=True, least=0.0),
    "cornac": Library("cornac", sorted_lists=True, train=False),
    "elliot": Library("elliot", least=0.0),
    "evidently": Library("evidently", sorted_lists=True),
    "implicit": Library("implicit", sorted_lists=True, train=False),
    "ir-measures": Library("ir_measures", dictionary=True),
    "lenskit": Library("lenskit", sorted_lists=True, truth_only=True, single="ExposureGini"),
    "pytrec_eval-terrier": Library("trec_eval", dictionary=True),
    "lightgbm": Library("lightgbm", dictionary=True, train=False),
    "librecommender": Library("librecommender", sorted_lists=True, train=False, single="map"),
    "lightfm": Library("lightfm", single="precision_at_k|reciprocal_rank|auc_score", all_items=True),
    "ranksys": Library("ranksys", sorted_lists=True, least=0.5),
    "pyspark": Library("mllib", sorted_lists=True, more=(("no_truth", "drop"),)),
    "ranx": Library("ranx", dictionary=True, sort=as_ranx),
    "recbole": Library("recbole", unstable=True, single="gauc"),
    "recommenders": Library("recommenders"),
    "recmetrics": Library("recmetrics", sorted_lists=True),
    "recpack": Library("recpack", train=False),
    "rectools": Library("rectools"),
    "relison": Library("relison", sorted_lists=True, more=(("missing_lists", "drop"),), train=False),
    "replay-rec": Library("replay"),
    "replay-rec (experimental)": Library("replay-experimental", cuts=True),
    "rs_metrics": Library("rs_metrics", sorted_lists=True),
    "sklearn": Library("sklearn", dictionary=True, train=False),
    "surprise": Library("surprise"),
    "torchmetrics": Library("torchmetrics", dictionary=True, unstable=True, train=False, single=".*"),
    "xgboost": Library("xgboost", dictionary=True, train=False),
    "warprec": Library("warprec", unstable=True, border=True, single=".*", cancels="(User|Item)MAD.*|BiasDisparityBD.*"),
}

HEAD = r"(?:ACLT|APLT|PopREO|PopRSP)(?:\[Pop(\d+)%\])?"
"""Metrics of head and tail, with the share of the head in percent if it is not 80."""


@dataclass(frozen=True)
class Group:
    """Rows that one run of receval can compare: the same library, files and relevance.

    Of the test file: `grades`: how ratings became grades; `level`: the level of relevance; `scaled`: predictions are scaled to
    0..1; `pairs`: only pairs with a prediction are in it; `aspects`: users none of whose items has a genre were removed.
    Of the lists: `baseline`: the model whose lists are the reference; `tested`: those of users without a test row were removed;
    `cut`: to this length first, `rows`: with duplicates; `named`: they are lists of categories, `first`: of the first of an item,
    `others`: of another for items without one.
    `border`: the share of the head, if the library's sort decides which items are in it. `repeats`: a library of dictionaries got
    every row, also duplicates. `n_users`: the number of users of lists that were measured alone, if some users were removed.
    """

    library: str
    part: str
    relevance: str
    grades: str = ""
    level: float | None = None
    baseline: str = ""
    first: bool = False
    others: bool = False
    scaled: bool = False
    pairs: bool = False
    tested: bool = False
    aspects: bool = False
    cut: int = 0
    rows: bool = False
    named: bool = False
    border: float = 0.0
    repeats: bool = False
    n_users: int | None = None

    @classmethod
    def from_row(cls, row: Row, most: int) -> Group:
        """Return the group of a row; `most` is the largest cut-off of the calls of its library."""
        params, note = row.get("params") or {}, row.get("note") or ""
        tested = LIBRARIES[row["library"]].truth_only and (row["relevance"] != "none" or "L1" in note)
        return cls(
            library=row["library"],
            part=row["dataset"].partition("/")[2],
            relevance=row["relevance"],
            grades=params.get("grades", ""),
            level=params.get("relevance_level"),
            baseline=next((params[key] for key in ("ref_reco", "base_recommendations", "base") if key in params), ""),
            others=params.get("category") == "first genre of the item",
            first="first" in params.get("category", ""),
            scaled="scaled" in params.get("prediction", ""),
            tested=tested,
            n_users=row.get("n_users_averaged") if tested and row["relevance"] == "none" else None,
            aspects="without an aspect removed first" in note,
            cut=_cut(row, most),
            rows=row["metric"].startswith(("NCIS", "Coverage")),
            border=_border(row),
            named=row["metric"] == "CategoricalDiversity",
            repeats="D2" in re.findall(r"\w+", note),
            pairs="only the pairs with a prediction are in the truth" in note,
        )


def _border(row: Row) -> float:
    """Return the share of the head if the library's sort decides which items are in it, else 0."""
    found = re.fullmatch(HEAD, row["metric"].partition("@")[0]) if LIBRARIES[row["library"]].border else None
    return int(found[1] or 80) / 100 if found else 0.0


def _cut(row: Row, most: int) -> int:
    """Return the length to which the library cut lists before it ordered ties and dropped duplicates; 0 if it did not."""
    if not LIBRARIES[row["library"]].cuts:
        return 0
    alone = {"N1", "K1"} & set(re.findall(r"\w+", row.get("note") or ""))
    return int(row["k"]) if alone else most


def truth(test: pl.DataFrame, group: Group, library: Library) -> tuple[pl.DataFrame, float | None, bool]:
    """Return the test file as the library got it, and the threshold and grading of the config."""
    bound = re.search(r">=([\d.]+)", group.relevance)
    least = float(bound[1]) if bound else None
    if "ceil" in group.grades:
        test = test.with_columns(pl.col("rating").ceil())
    most = re.search(r"min\(.*,(\d+)\)", group.grades)
    if most:
        test = test.with_columns(pl.col("rating").clip(upper_bound=float(most[1])))
    if group.relevance == "rating values":
        return test, library.least, True
    if group.n_users is not None:
        return test, None, False
    if group.scaled:
        return test, least, False
    if library.least is not None:
        default = None if "mean" in group.relevance or group.relevance == "graded" else library.least
        return test, default if least is None else least, False
    if least is not None:
        test = test.filter(pl.col("rating") >= least)
    if group.relevance == "graded":
        return test, group.level, True
    return (test.with_columns(rating=pl.lit(1.0)) if library.dictionary else test.drop("rating")), None, False


def lists_of_library(lists: pl.DataFrame, group: Group, test: pl.DataFrame) -> pl.DataFrame:
    """Return the lists as the library got or keeps them."""
    library = LIBRARIES[group.library]
    if group.repeats:  # it keeps the last row of a pair, and the order of the file among ties in lists as short as these
        return lists
    if library.dictionary:
        lists = lists.unique(["user_id", "item_id"], keep="first", maintain_order=True)
    if group.tested:
        lists = tested_lists(lists, test, group.n_users)
    if group.cut:
        lists = cut(lists, group.cut, repeats=group.rows)
    if library.sort is not None:
        lists = library.sort(lists)
    if "prediction" in lists.columns:  # predicted ratings are not a list: not changed
        return lists.rename({"prediction": "score"})
    if library.sorted_lists:
        lists = lists.sort("user_id", -pl.col("score").cast(pl.Float64), maintain_order=True)
    return lists


def with_all_items(lists: pl.DataFrame, test: pl.DataFrame, items: pl.DataFrame) -> pl.DataFrame:
    """Return the lists with every item of the catalogue for each user of the test file; those added have the scores -1, -2, …."""
    others = items.select("item_id").with_row_index("place").select("item_id", score=-1.0 - pl.col("place").cast(pl.Float64))
    added = test.select("user_id").unique(maintain_order=True).join(others, how="cross").join(lists, on=["user_id", "item_id"], how="anti")
    return pl.concat([lists.select("user_id", "item_id", pl.col("score").cast(pl.Float64)), added])


def tested_lists(lists: pl.DataFrame, test: pl.DataFrame, n_users: int | None) -> pl.DataFrame:
    """Return the lists of the users of the test file; if `n_users` says so, only of those with a rating of at least 4 there."""

    def tested_rows(rows: pl.DataFrame) -> pl.DataFrame:
        return lists.join(rows.select("user_id").unique(), on="user_id", how="semi", maintain_order="left")

    of_all = tested_rows(test)
    if n_users in (None, of_all["user_id"].n_unique()):
        return of_all
    of_some = tested_rows(test.filter(pl.col("rating") >= 4))
    return of_some if of_some["user_id"].n_unique() == n_users else of_all


def has_ties(lists: pl.DataFrame) -> bool:
    """Return whether a list has equal scores."""
    return bool(lists.select("user_id", "score").is_duplicated().any())


def first_repeat(lists: pl.DataFrame, test: pl.DataFrame) -> float:
    """Return the best rank of a relevant item that is twice in a list; infinite if there is none."""
    ranked = lists.sort("user_id", -pl.col("score").cast(pl.Float64), maintain_order=True)
    ranked = ranked.with_columns(place=pl.int_range(1, pl.len() + 1).over("user_id"))
    twice = ranked.filter(pl.len().over("user_id", "item_id") > 1).join(test, on=["user_id", "item_id"], how="semi")
    return math.inf if twice.is_empty() else float(twice["place"].min())  # type: ignore[arg-type]


def read(path: Path) -> pl.DataFrame:
    """Read a table of the folder, as Parquet or CSV."""
    if path.with_suffix(".parquet").exists():
        return pl.read_parquet(path.with_suffix(".parquet"))
    columns = {"user_id": pl.String, "item_id": pl.String}
    return pl.read_csv(path.with_suffix(".csv"), schema_overrides=columns)


def has_table(path: Path) -> bool:
    """Return whether the folder has this table."""
    return path.with_suffix(".parquet").exists() or path.with_suffix(".csv").exists()


def file_of(model: str) -> str:
    """Return the file of a model."""
    base, _, full = model.partition("/")
    return f"full_scores_{base}" if full else base
