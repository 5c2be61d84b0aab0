"""Compare receval with values that other libraries computed on the same files.

    python benchmarks/parity.py DIR                          # prints the table and the last line; exit code 1 if any differs
    python benchmarks/parity.py DIR --markdown docs/parity.md

DIR holds `test`, `train`, `items` and one file of lists per model, as Parquet or CSV with the columns user_id, item_id, rating,
score, rank, and `reference.jsonl` (or `reference/*.jsonl`): one value per line with library, dataset, model, metric, k,
relevance, value, params, note. A dataset `name/part` has its files in DIR/part. The values are used to compare, and for
nothing else. Every row is in one class: equal (to 1e-9, or 1e-6 relative where the library computes in single precision),
different, or unsupported, with the reason.

Libraries that take ordered lists were given them sorted by score, ties in the order of the file; those that take a dictionary
hold the first row of a repeated pair; those without a threshold of their own were given the relevant test rows only.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import yaml
from receval.evaluator import conventions, load_config, metrics, run
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


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--markdown", type=Path, help="also write the table into this file")
    arguments = parser.parse_args()
    verdicts = compare(arguments.folder)
    lines = [*table(verdicts), "", *reasons(verdicts), "", summary(verdicts)]
    print("\n".join(lines))
    if arguments.markdown:
        arguments.markdown.write_text(markdown(lines))
    return int(any(verdict == "different" for verdict, _, _ in verdicts.values()))


def markdown(lines: list[str]) -> str:
    about = "What `python benchmarks/parity.py DIR` printed for MovieLens 100K and its messy variant; DIR is not part of the repository."
    return "\n".join(["# Parity with other libraries", "", about, "", *lines, ""])


def references(folder: Path) -> list[Row]:
    files = sorted([*folder.glob("reference*.jsonl"), *folder.glob("reference/*.jsonl")])
    rows: list[Row] = [json.loads(line) for file in files for line in file.read_text().splitlines() if line.strip()]
    if not rows:
        sys.exit(f"{folder}: no reference.jsonl with values to compare with")
    return rows


Verdicts = dict[int, tuple[str, float, str]]
"""Row → class, relative difference, reason."""


def compare(folder: Path) -> Verdicts:
    """The class of every row of the references, by its place; `rows` of the table are kept beside in `ROWS`."""
    rows = references(folder)
    ROWS[:] = rows
    found: Verdicts = {}
    groups: dict[Group, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        reason = unsupported(row)
        if reason:
            found[place] = ("unsupported", 0.0, reason)
        else:
            params = row.get("params") or {}
            part = row["dataset"].partition("/")[2]
            group = Group(row["library"], part, row["relevance"], "grades" in params, params.get("relevance_level"))
            groups[group].append(place)
    for group, places in groups.items():
        found |= answer(folder, group, {place: rows[place] for place in places})
    return found


ROWS: list[Row] = []


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
        if is_known(library, name):  # then its parameters are to be mended here
            raise ValueError(f"{row['library']} {row['metric']} {row.get('params')}: {error}") from None
        return f"not built yet: {name}"
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
    convention = conventions.load(LIBRARIES[row["library"]].convention)
    text = measure(row)
    spec = convention.parse(text)
    entry = metrics.find(convention.read(spec).name)
    if not entry.cut:
        spec = spec.at(UNSET)
    elif not isinstance(convention.read(spec).k, int):
        spec = spec.at(None)
    return metrics.resolve(spec, convention, conventions.load)


def answer(folder: Path, group: Group, rows: dict[int, Row]) -> Verdicts:
    """Run receval once for a group, and compare."""
    library = LIBRARIES[group.library]
    source = folder / group.part
    with tempfile.TemporaryDirectory() as made:
        work = Path(made)
        test, least, graded = truth(read(source / "test"), group, library)
        test.write_parquet(work / "test.parquet")
        models = sorted({row["model"] for row in rows.values()})
        tied, joined = {}, {}
        for place, model in enumerate(models):
            lists = prepared(read(source / file_of(model)), library, test)
            tied[model] = is_tied(lists, library)
            joined[model] = first_repeat(lists, test)
            lists.write_parquet(work / f"{place}.parquet")
        data: Row = {"test": "test.parquet", "recommendations": {model: f"{place}.parquet" for place, model in enumerate(models)}}
        if library.catalogue:
            for name in ("train", "items"):
                read(source / name).write_parquet(work / f"{name}.parquet")
                data[name] = f"{name}.parquet"
        asked = {place: resolved(row) for place, row in rows.items()}
        modes = {place: AGGREGATES.get((row.get("params") or {}).get("mode", "")) for place, row in rows.items()}
        values: dict[tuple[str, str, str | None], float | None] = {}
        for mode in dict.fromkeys(modes.values()):
            labels = dict.fromkeys(definition.label for place, definition in asked.items() if modes[place] == mode)
            evaluation: Row = {"convention": library.convention, "metrics": list(labels), "relevance": {"graded": graded}}
            evaluation |= {"aggregates": [mode]} if mode else {}
            evaluation["relevance"] |= {} if least is None else {"threshold": least}
            (work / "config.yaml").write_text(yaml.safe_dump({"data": data, "evaluation": evaluation}))
            result = run(load_config(work / "config.yaml"))
            for one in result.rows:
                values[one.model, re.sub(r" \(\w+\)$", "", one.label), mode] = one.value
        verdicts = {}
        for place, row in rows.items():
            if tied[row["model"]]:
                verdicts[place] = ("unsupported", 0.0, "the library sorts equal scores in no stated order")
            elif row["metric"] == "ndcg_at_k" and joined[row["model"]] <= row["k"]:
                verdicts[place] = ("unsupported", 0.0, "the library joins a repeated relevant item with itself, in the ideal by k")
            else:
                verdicts[place] = verdict(values[row["model"], asked[place].label, modes[place]], row, library)
        return verdicts


def verdict(value: float | None, row: Row, library: Library) -> tuple[str, float, str]:
    if value is None:
        return "different", math.inf, ""
    single = bool(library.single) and re.fullmatch(library.single, row["metric"]) is not None
    difference, size = abs(value - row["value"]), abs(row["value"])
    near = 1e-6 * size if single else 1e-9 * max(size, 1.0)
    return ("equal" if difference <= near else "different"), difference, ""


def truth(test: pl.DataFrame, group: Group, library: Library) -> tuple[pl.DataFrame, float | None, bool]:
    """The test file as the library was given it, and its threshold and grading as the config says them."""
    bound = re.search(r">=(\d+)", group.relevance)
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
    if path.with_suffix(".parquet").exists():
        return pl.read_parquet(path.with_suffix(".parquet"))
    columns = {"user_id": pl.String, "item_id": pl.String}
    return pl.read_csv(path.with_suffix(".csv"), schema_overrides=columns)


def file_of(model: str) -> str:
    base, _, full = model.partition("/")
    return f"full_scores_{base}" if full else base


def table(verdicts: Verdicts) -> list[str]:
    """Library × metric: rows, equal, different, unsupported, largest difference."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    largest: dict[tuple[str, str], float] = defaultdict(float)
    for place, (said, difference, _) in verdicts.items():
        key = (ROWS[place]["library"], re.sub(r"@\d+", "@k", re.sub(r"_(\d+)$", "_k", ROWS[place]["metric"])))
        counts[key][said] += 1
        largest[key] = max(largest[key], difference)
    lines = ["| library | metric | rows | equal | different | unsupported | largest difference |", "|---|---|---:|---:|---:|---:|---:|"]
    for key in sorted(counts):
        said = counts[key]
        metric = key[1].replace("|", "\\|")
        shown = f"{largest[key]:.1e}" if said["equal"] + said["different"] else ""
        lines.append(f"| {key[0]} | {metric} | {said.total()} | {said['equal']} | {said['different']} | {said['unsupported']} | {shown} |")
    return lines


def reasons(verdicts: Verdicts) -> list[str]:
    """Why rows are unsupported, and how many."""
    counts = Counter((ROWS[place]["library"], reason) for place, (said, _, reason) in verdicts.items() if said == "unsupported")
    lines = ["| library | why unsupported | rows |", "|---|---|---:|"]
    return lines + [f"| {library} | {reason.replace('|', chr(92) + '|')} | {n} |" for (library, reason), n in sorted(counts.items())]


def summary(verdicts: Iterable[Any] | Verdicts) -> str:
    said = Counter(verdict for verdict, _, _ in verdicts.values())  # type: ignore[union-attr]
    return f"rows {said.total()}, equal {said['equal']}, different {said['different']}, unsupported {said['unsupported']}"


if __name__ == "__main__":
    sys.exit(main())
