"""Compare receval with values that other libraries computed on the same files.

    python benchmarks/parity.py DIR                          # prints the table and the last line; exit code 1 if any differs
    python benchmarks/parity.py DIR --markdown docs/parity.md

DIR holds `test`, `train`, `items` and one file of lists per model, as Parquet or CSV with the columns user_id, item_id, rating,
score, rank, and `reference.jsonl` (or `reference/*.jsonl`): one value per line with library, dataset, model, metric, k,
relevance, value, params, note. A dataset `name/part` has its files in DIR/part. The values are used to compare, and for
nothing else. Every row is in one class: equal (to 1e-9, or 1e-6 relative where the library computes in single precision),
different, or unsupported, with the reason.

What each library was given is in libraries.py.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections import Counter, defaultdict
from pathlib import Path

import yaml
from libraries import (
    AGGREGATES,
    LIBRARIES,
    Group,
    Library,
    Row,
    file_of,
    first_repeat,
    is_tied,
    prepared,
    read,
    resolved,
    truth,
    unsupported,
)
from receval.evaluator import load_config, run
from receval.evaluator.errors import RecevalError


def main() -> int:
    """Compare, print, and say by the exit code whether any row differs."""
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
    """The printed lines as a page."""
    about = "What `python benchmarks/parity.py DIR` printed for MovieLens 100K and its messy variant; DIR is not part of the repository."
    return "\n".join(["# Parity with other libraries", "", about, "", *lines, ""])


def references(folder: Path) -> list[Row]:
    """The rows of a folder; ends the program if there are none."""
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
        try:
            found |= answer(folder, group, {place: rows[place] for place in places})
        except (RecevalError, OSError) as error:  # the library gave values where receval gives none
            print(f"{group.library}, {group.part or folder.name}, {group.relevance}: {error}", file=sys.stderr)
            found |= dict.fromkeys(places, ("different", math.inf, ""))
    return found


ROWS: list[Row] = []


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
    """The class of one row, its difference, and no reason."""
    if value is None:
        return "different", math.inf, ""
    single = bool(library.single) and re.fullmatch(library.single, row["metric"]) is not None
    difference, size = abs(value - row["value"]), abs(row["value"])
    near = 1e-6 * size if single else 1e-9 * max(size, 1.0)
    return ("equal" if difference <= near else "different"), difference, ""


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


def summary(verdicts: Verdicts) -> str:
    """The last line: how many rows are in each class."""
    said = Counter(verdict for verdict, _, _ in verdicts.values())
    return f"rows {said.total()}, equal {said['equal']}, different {said['different']}, unsupported {said['unsupported']}"


if __name__ == "__main__":
    sys.exit(main())
