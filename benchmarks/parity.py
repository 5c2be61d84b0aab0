"""Compare receval with values that other libraries computed on the same files.

    python benchmarks/parity.py DIR                          # prints the table and the last line; exit code 1 if any differs
    python benchmarks/parity.py DIR --markdown docs/parity.md
    python benchmarks/parity.py DIR --library rectools        # the rows of one library

DIR has `test`, `train`, `items` and one file of lists per model, as Parquet or CSV with the columns user_id, item_id, rating,
score, rank, and `reference.jsonl` (or `reference/*.jsonl`): one value per line with library, dataset, model, metric, k,
relevance, value, params, note. A dataset `name/part` has its files in DIR/part. The values are used only to compare.
Every row is in one class: equal (to 1e-9, or 1e-6 relative if the library computes in single precision, or to the decimals that it
rounds to), different, or unsupported, with the reason.

libraries.py describes the inputs of each library.
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
from pathlib import Path

import polars as pl
import yaml
from border import find_exchange
from feeds import categories, data, group_names
from libraries import LIBRARIES, Group, Row, file_of, first_repeat, has_ties, lists_of_library, read, truth, with_all_items
from receval import load_config, run
from receval.support.errors import RecevalError
from spelling import Query, combination, query_of, unsupported


def main() -> int:
    """Compare and print; the exit code is 1 if any row differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--markdown", type=Path, help="also write the table into this file")
    parser.add_argument("--library", default="", help="only the rows of this library")
    arguments = parser.parse_args()
    verdicts = compare(arguments.folder, arguments.library)
    lines = [*table(verdicts), "", *reasons(verdicts), "", summary(verdicts)]
    print("\n".join(lines))
    if arguments.markdown:
        arguments.markdown.write_text(markdown(lines))
    return int(any(verdict == "different" for verdict, _, _ in verdicts.values()))


def markdown(lines: list[str]) -> str:
    """Return the printed lines as a page."""
    about = "What `python benchmarks/parity.py DIR` printed for MovieLens 100K and its messy variant; DIR is not part of the repository."
    return "\n".join(["# Parity with other libraries", "", about, "", *lines, ""])


def references(folder: Path) -> list[Row]:
    """Read the rows of a folder; end the program if there are none."""
    files = sorted([*folder.glob("reference*.jsonl"), *folder.glob("reference/*.jsonl")])
    rows: list[Row] = [json.loads(line) for file in files for line in file.read_text().splitlines() if line.strip()]
    if not rows:
        sys.exit(f"{folder}: no reference.jsonl with values to compare with")
    return rows


Verdicts = dict[int, tuple[str, float, str]]
"""Row → class, relative difference, reason."""


def compare(folder: Path, library: str = "") -> Verdicts:
    """Return the class of every row of the references, or of one library's, by its index; the rows themselves are kept in `ROWS`."""
    ROWS[:] = [row for row in references(folder) if library in ("", row["library"])]
    found: Verdicts = {}
    groups: dict[Group, list[int]] = defaultdict(list)
    most: dict[tuple[str, str], int] = defaultdict(int)
    for row in ROWS:
        most[row["library"], row["dataset"]] = max(row["k"] or 0, most[row["library"], row["dataset"]])
    names = {part: group_names(folder / part) for part in {row["dataset"].partition("/")[2] for row in ROWS}}
    for place, row in enumerate(ROWS):
        reason = unsupported(row, names[row["dataset"].partition("/")[2]])
        if reason:
            found[place] = ("unsupported", 0.0, reason)
        else:
            groups[Group.from_row(row, most[row["library"], row["dataset"]])].append(place)
    for group, places in groups.items():
        try:
            found |= answer(folder / group.part, group, {place: ROWS[place] for place in places})
        except (RecevalError, OSError) as error:  # the library has values, but receval has none
            print(f"{group}: {error}", file=sys.stderr)
            found |= dict.fromkeys(places, ("different", math.inf, ""))
    return found


ROWS: list[Row] = []
Values = dict[tuple[str, str, str | None], float | None]
"""Model, label and aggregate → value."""


def answer(source: Path, group: Group, rows: dict[int, Row]) -> Verdicts:
    """Run receval once for a group, and compare."""
    library = LIBRARIES[group.library]
    test, least, graded = truth(read(source / "test"), group, library)
    if group.aspects:
        test = test.join(test.join(categories(source, group), on="item_id", how="semi"), on="user_id", how="semi")
    models = sorted({row["model"] for row in rows.values()})
    lists = {model: lists_of_library(read(source / file_of(model)), group, test) for model in models}
    if library.all_items:
        lists = {model: with_all_items(frame, test, read(source / "items")) for model, frame in lists.items()}
    names = group_names(source)
    wanted = {place: query_of(row, names) for place, row in rows.items()}
    relevance: Row = {"graded": graded} | ({} if least is None else {"threshold": least})
    moved = find_exchange(source, group.border, [row for row in ROWS if row["library"] == group.library]) if group.border else {}
    if moved is None:
        return dict.fromkeys(rows, ("unsupported", 0.0, "the library sorts equally popular items in no stated order"))
    with tempfile.TemporaryDirectory() as made:
        files = data(source, Path(made), group, test, lists, moved)
        values = compute(Path(made), files, wanted.values(), {"convention": library.convention, "relevance": relevance})
    scales = {model: max(1.0, float(frame.select(pl.col("score").abs().max()).item())) for model, frame in lists.items()}
    verdicts: Verdicts = {}
    for place, row in rows.items():
        reason = why_not(row, wanted[place], lists[row["model"]], test)
        verdicts[place] = ("unsupported", 0.0, reason) if reason else verdict(values, wanted[place], row, scales[row["model"]])
    return verdicts


def compute(work: Path, files: Row, wanted: Iterable[Query], evaluation: Row) -> Values:
    """Compute the values of receval, with one run for each aggregate."""
    values: Values = {}
    by_mode: dict[str | None, dict[str, None]] = defaultdict(dict)
    for measure in wanted:
        by_mode[measure.mode][measure.definition.label] = None
    for mode, labels in by_mode.items():
        config = evaluation | {"metrics": list(labels)} | ({"aggregates": [mode]} if mode else {})
        (work / "config.yaml").write_text(yaml.safe_dump({"data": files, "evaluation": config, "health": "off"}))
        for row in run(load_config(work / "config.yaml")).rows:
            values[row.model, re.sub(r" \(\w+\)$", "", row.label), mode] = row.value
    return values


def why_not(row: Row, one: Query, lists: pl.DataFrame, test: pl.DataFrame) -> str:
    """Return the reason in the lists why a row cannot be compared; empty if it can."""
    library, metric = LIBRARIES[row["library"]], row["metric"]
    if one.definition.metric.family != "rating" and library.unstable and has_ties(lists):
        return "the library sorts equal scores in no stated order"
    if metric == "ndcg_at_k" and first_repeat(lists, test) <= row["k"]:
        return "the library joins a repeated relevant item with itself, in the ideal by k"
    if metric == "CategoricalDiversity" and (row.get("params") or {}).get("backend") == "pandas" and has_ties(lists):
        return "the library sorts equal scores in no stated order"
    if metric == "Compat" and has_ties(lists):
        return "the library orders relevant items with equal grades and equal scores by the rows of the judgements, in the ideal list"
    if metric.startswith("diversity") and lists.select("user_id", "item_id").is_duplicated().any():
        return "the library takes lists without repeated items: it leaves out the pair of such an item with itself"
    return ""


def verdict(values: Values, one: Query, row: Row, scale: float = 1.0) -> tuple[str, float, str]:
    """Return the class of one row, its difference, and no reason; `scale` is that of the scores, for differences in single precision.

    Two missing values are equal; a value of the whole model is missing per list.
    """
    library = LIBRARIES[row["library"]]
    per_list = "lists without a value" in (row.get("note") or "") and one.definition.metric.per_model
    value = None if per_list else values.get((row["model"], one.label, one.mode))
    if value is None or row["value"] is None:
        return ("equal", 0.0, "") if value is row["value"] else ("different", math.inf, "")
    single = bool(library.single) and re.fullmatch(library.single, row["metric"]) is not None
    difference, size = abs(value - row["value"]), abs(row["value"])
    cancels = bool(library.cancels) and re.fullmatch(library.cancels, row["metric"]) is not None
    near = 1e-9 * max(size, 1.0)
    if library.decimals is not None:
        near = 0.5 * 10.0**-library.decimals + 1e-12
    if single:
        near = 1e-5 * max(size, scale if "MADRating" in row["metric"] else 1.0) if cancels else 1e-6 * size
    return ("equal" if difference <= near else "different"), difference, ""


def table(verdicts: Verdicts) -> list[str]:
    """Return library × metric: rows, equal, different, unsupported, largest difference."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    largest: dict[tuple[str, str], float] = defaultdict(float)
    for place, (said, difference, _) in verdicts.items():
        key = (ROWS[place]["library"], combination(ROWS[place]))
        counts[key][said] += 1
        largest[key] = max(largest[key], difference)
    lines = ["| library | metric | rows | equal | different | unsupported | largest difference |", "|---|---|---:|---:|---:|---:|---:|"]
    for key in sorted(counts):
        classes = counts[key]
        metric = key[1].replace("|", "\\|")
        shown = f"{largest[key]:.1e}" if classes["equal"] + classes["different"] else ""
        cells = (*(classes[name] for name in ("equal", "different", "unsupported")), shown)
        lines.append(f"| {key[0]} | {metric} | {classes.total()} | {' | '.join(map(str, cells))} |")
    return lines


def reasons(verdicts: Verdicts) -> list[str]:
    """Return the reasons of unsupported rows, with counts."""
    counts = Counter((ROWS[place]["library"], reason) for place, (said, _, reason) in verdicts.items() if said == "unsupported")
    lines = ["| library | why unsupported | rows |", "|---|---|---:|"]
    return lines + [f"| {library} | {reason.replace('|', chr(92) + '|')} | {n} |" for (library, reason), n in sorted(counts.items())]


def summary(verdicts: Verdicts) -> str:
    """Return the last line: the number of rows in each class."""
    said = Counter(verdict for verdict, _, _ in verdicts.values())
    return f"rows {said.total()}, equal {said['equal']}, different {said['different']}, unsupported {said['unsupported']}"


if __name__ == "__main__":
    sys.exit(main())
