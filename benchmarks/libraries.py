"""How the reference values of each library were made: the convention that answers them, and what the library was given.

Libraries that take ordered lists were given them sorted by score, ties in the order of the file; those that take a dictionary
hold the first row of a repeated pair; those without a threshold of their own were given the relevant test rows only.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from receval.evaluator import conventions, metrics
from receval.evaluator.naming import UNSET, MetricSpec

Row = dict[str, Any]


@dataclass(frozen=True)
class Library:
    """How the values of a library were made.

    `sorted_lists`: it takes ordered lists; `dictionary`: it holds a pair once; `least`: its own threshold where every test row
    is relevant, `None` if the caller filters; `unstable`: it sorts ties in no stated order, in lists longer than this;
    `single`: the metrics it computes in single precision; `more`: how it was used where it leaves the choice of users to the caller.
    """

    convention: str
    sorted_lists: bool = False
    dictionary: bool = False
    least: float | None = None
    unstable: int | None = None
    single: str = ""
    more: tuple[tuple[str, str], ...] = ()
    catalogue: bool = False
    truth_only: bool = False


LIBRARIES = {
    "clayrs": Library("clayrs", sorted_lists=True, least=0.0),
    "elliot": Library("elliot", least=0.0, catalogue=True),
    "ir-measures": Library("ir_measures", dictionary=True),
    "lenskit": Library("lenskit", sorted_lists=True, truth_only=True),
    "pytrec_eval-terrier": Library("trec_eval", dictionary=True),
    "ranksys": Library("ranksys", sorted_lists=True, least=0.5),
    "ranx": Library("ranx", dictionary=True, unstable=15),
    "recbole": Library("recbole", unstable=0, single="gauc", catalogue=True),
    "recommenders": Library("recommenders"),
    "rectools": Library("rectools", catalogue=True),
    "relison": Library("relison", sorted_lists=True, more=(("missing_lists", "drop"),)),
    "replay-rec": Library("replay"),
    "replay-rec (experimental)": Library("replay-experimental", unstable=0),
    "rs_metrics": Library("rs_metrics", sorted_lists=True),
    "warprec": Library("warprec", unstable=0, single=".*", catalogue=True),
}
ABOUT_INPUT = {"relevance_level", "backend", "grades", "make_comparable", "relevance_threshold", "num_items", "aspects", "truth"}
EVERY_USER = (("no_relevant", "zero"), ("no_truth", "zero"))
LISTED_USERS = (("missing_lists", "drop"),)
AGGREGATES = {"Median": "median", "ConfidenceInterval": "ci95"}
REASONS = (
    ("debias", "the library draws a sample that only its own random generator can repeat"),
    ("min-max scaled", "not built yet: metrics of predicted labels"),
    ("exp-log2", "the program behind it rounds every user to five decimals"),
)


@dataclass(frozen=True)
class Group:
    """Rows that one run of receval answers: the same library, files and truth."""

    library: str
    part: str
    relevance: str
    ceiled: bool
    level: float | None


def unsupported(row: Row) -> str:
    """Why a row cannot be compared, as far as the row itself says; empty if it can."""
    library = LIBRARIES.get(row["library"])
    if library is None:
        return "a library without a convention"
    if row["relevance"] in ("none", "rating values"):
        return "not built yet: no accuracy metric"
    text = f"{row['metric']} {json.dumps(row.get('params') or {})}"
    for sign, reason in REASONS:
        if sign in text:
            return reason
    if row["value"] is None:
        return f"the library gives no number: {(row.get('note') or '').partition(';')[0][:60]}"
    try:
        resolved(row)
    except ValueError as error:
        name = re.split(r"[@(\[]| \| |-l\d", row["metric"])[0]
        return f"{row['metric']}: {error}" if is_known(library, name) else f"not built yet: {name}"
    return ""


def is_known(library: Library, name: str) -> bool:
    """Whether receval has a metric of that name."""
    try:
        return bool(metrics.find(conventions.load(library.convention).read(MetricSpec(name)).name))
    except ValueError:
        return False


def measure(row: Row) -> str:
    """The measure string of a row, in the library's own spelling."""
    library = LIBRARIES[row["library"]]
    params = {key: value for key, value in (row.get("params") or {}).items() if key not in ABOUT_INPUT and key != "mode"}
    name = row["metric"].partition(" | ")[0].partition("-" + str((row.get("params") or {}).get("mode")))[0]
    if str(params.get("gain")).startswith("2^"):
        params.pop("gain")
    if "set" in params:
        params |= dict(part.split("=") for part in params.pop("set").replace("True", "true").replace("False", "false").split(","))
    if "metric_0" in params:
        name += f"({params.pop('metric_0')},{params.pop('metric_1')}"
    else:
        name += "("
    if name.startswith("KCall"):
        params["at_least"] = params.pop("k", 1)
    if name.startswith("r_precision_at_k"):
        params["within"] = row["k"]
    params = {key: value for key, value in params.items() if key not in ("provider", "input", "relevance model", "discount")}
    given = [f"{key}={str(value).lower() if isinstance(value, bool) else value}" for key, value in params.items() if value is not None]
    users = EVERY_USER if row.get("note") == "U1" else LISTED_USERS if "truth" in (row.get("params") or {}) else ()
    given += [f"{key}={value}" for key, value in (*library.more, *users)]
    whole, _, inner = row["metric"].partition("(")
    if inner:  # ir-measures writes parameters itself
        return str(row["metric"]).replace(" ", "")
    head = f"{name}{',' if given and not name.endswith('(') else ''}{','.join(given)})".replace("()", "")
    return head if "@" in whole or row["k"] is None else f"{head}@{row['k']}"


def resolved(row: Row) -> metrics.Definition:
    """The definition that answers a row."""
    convention = conventions.load(LIBRARIES[row["library"]].convention)
    text = measure(row)
    spec = convention.parse(text)
    entry = metrics.find(convention.read(spec).name)
    if not entry.cut:
        spec = spec.at(UNSET)
    elif not isinstance(convention.read(spec).k, int):
        spec = spec.at(None)
    return metrics.resolve(spec, convention, conventions.load)


def truth(test: pl.DataFrame, group: Group, library: Library) -> tuple[pl.DataFrame, float | None, bool]:
    """The test file as the library was given it, and its threshold and grading as the config says them."""
    bound = re.search(r">=([\d.]+)", group.relevance)
    least = float(bound[1]) if bound else None
    if group.ceiled:
        test = test.with_columns(pl.col("rating").ceil())
    if library.least is not None:
        default = None if "mean" in group.relevance or group.relevance == "graded" else library.least
        return test, default if least is None else least, False
    if least is not None:
        test = test.filter(pl.col("rating") >= least)
    return (test, group.level, True) if group.relevance == "graded" else (test.drop("rating"), None, False)


def prepared(lists: pl.DataFrame, library: Library, test: pl.DataFrame) -> pl.DataFrame:
    """The lists as the library was given them."""
    if library.dictionary:
        lists = lists.unique(["user_id", "item_id"], keep="first", maintain_order=True)
    if library.truth_only:
        lists = lists.join(test.select("user_id").unique(), on="user_id", how="semi", maintain_order="left")
    if "prediction" in lists.columns:  # predicted ratings are no list: given as they are
        return lists.rename({"prediction": "score"})
    if library.sorted_lists:
        lists = lists.sort("user_id", -pl.col("score").cast(pl.Float64), maintain_order=True)
    return lists


def is_tied(lists: pl.DataFrame, library: Library) -> bool:
    """Whether the order of a list depends on how the library sorts equal scores."""
    if library.unstable is None:
        return False
    long = lists.filter(pl.len().over("user_id") > library.unstable)
    return bool(long.select("user_id", "score").is_duplicated().any())


def first_repeat(lists: pl.DataFrame, test: pl.DataFrame) -> float:
    """The best rank of a relevant item that stands twice in a list; infinite if there is none."""
    ranked = lists.sort("user_id", -pl.col("score").cast(pl.Float64), maintain_order=True)
    ranked = ranked.with_columns(place=pl.int_range(1, pl.len() + 1).over("user_id"))
    twice = ranked.filter(pl.len().over("user_id", "item_id") > 1).join(test, on=["user_id", "item_id"], how="semi")
    return math.inf if twice.is_empty() else float(twice["place"].min())  # type: ignore[arg-type]


def read(path: Path) -> pl.DataFrame:
    """A table of the folder, as Parquet or CSV."""
    if path.with_suffix(".parquet").exists():
        return pl.read_parquet(path.with_suffix(".parquet"))
    columns = {"user_id": pl.String, "item_id": pl.String}
    return pl.read_csv(path.with_suffix(".csv"), schema_overrides=columns)


def file_of(model: str) -> str:
    """The file of a model."""
    base, _, full = model.partition("/")
    return f"full_scores_{base}" if full else base
