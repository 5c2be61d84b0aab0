"""Run cases from the test suites of other libraries, and print how many values receval reproduces.

    python benchmarks/peers_tests.py CASES.jsonl                        # the table by library; exit code 1 if a case differs or is refused
    python benchmarks/peers_tests.py CASES.jsonl --failures             # also every other case, with both values
    python benchmarks/peers_tests.py CASES.jsonl --failures RecTools    # those of one library

A line is one case: `library`, `test`, `convention` (a name, or the YAML text of one), `measure`, `input` (arguments of `receval.evaluate`:
columns, or the path of a table with tabs beside the file), `options` (more arguments), `expected` (a number, or `users` and their
`values`), `tol` and `note`. A case of `NAMED` that is not equal is shown with its reason. A case with `status` inexpressible is one that
no input of receval can say. Cases without input or expected value are not counted. A case of a version of a library uses the convention of
that version.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl
import receval
from receval.support.errors import RecevalError

VERSIONS = {
    "trec_eval 10": "trec_eval10",
    "TorchMetrics": "torchmetrics",
    "Surprise": "surprise",
    "Spark MLlib": "mllib",
    "recmetrics": "recmetrics",
    "Evidently": "evidently",
    "Cornac": "cornac",
    "RecPack": "recpack",
    "TensorFlow Ranking": "tf-ranking",
    "XGBoost": "xgboost",
}
"""The convention of a library, or of one version, by the beginning of its name; a case has one as it was tried before."""
NAMED = {
    ("RecTools", "TestMAP.test_when_duplicates_in_interactions"): "an average precision above 1: a test pair that is twice counts twice "
    "in the precision at a rank, but the rank is one",
    ("RecTools", "test_when_no_interactions"): "an empty table is refused, because it is nearly always a mistake",
    ("RecBole", "test_tailpercentage"): "its counts of train rows have an item with 0 rows, which is no item of train here",
}
"""Cases that stay different or refused, by library and the beginning of the name of the test, with the reason."""
CLASSES = ("equal", "different", "refused", "named", "inexpressible")
Case = dict[str, Any]


def main() -> int:
    """Run the cases and print the table; the exit code is 1 if a case is different or refused."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("cases", type=Path)
    parser.add_argument("--failures", nargs="?", const="", metavar="LIBRARY", help="name the other cases, of all libraries or of one")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    cases = [case for case in map(json.loads, arguments.cases.read_text().splitlines()) if case["input"] and case["expected"] is not None]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for case, (kind, value) in zip(cases, results(cases, arguments.cases.parent), strict=True):
        kind = "named" if kind in ("different", "refused") and named(case) else kind
        counts[case["library"]][kind] += 1
        if kind != "equal" and arguments.failures in ("", case["library"]):
            print(failure(case, kind, value))
    print("\n".join(table(counts)))
    return int(any(counts_of_library["different"] or counts_of_library["refused"] for counts_of_library in counts.values()))


def table(counts: dict[str, Counter[str]]) -> list[str]:
    """Return the lines of the table by library, and its total."""
    rows = [(library, counts[library]) for library in sorted(counts, key=str.lower)]
    rows.append(("all", sum((tally for _, tally in rows), Counter())))
    lines = [f"{'library':22}" + "".join(f"{kind:>15}" for kind in CLASSES)]
    lines += [f"{library:22}" + "".join(f"{tally[kind]:15,}" for kind in CLASSES) for library, tally in rows]
    total = rows[-1][1]
    return [*lines, "", f"equal: {total['equal']:,} of {total.total():,} ({total['equal'] / max(total.total(), 1):.1%})"]


def failure(case: Case, kind: str, value: Any) -> str:
    """Return the lines that describe a case that is not equal."""
    note = f"  ({case['note']})" if case.get("note") else ""
    asked = f"{kind}: {case['library']}, {case['test']}: {case['measure']}{note}"
    if kind == "named":
        asked += f"\n  because {named(case)}"
    return asked if kind == "inexpressible" else f"{asked}\n  expected {shown(case['expected'])}\n  got      {value}"


def named(case: Case) -> str:
    """Return why a case is not equal, if there is a reason beside receval; else an empty text."""
    reasons = (reason for (library, test), reason in NAMED.items() if case["library"] == library and case["test"].startswith(test))
    return next(reasons, "")


def shown(expected: Any) -> str:
    """Return an expected value as text."""
    if not isinstance(expected, dict):
        return f"{expected}"
    return ", ".join(f"{user}: {value}" for user, value in zip(expected["users"], expected["values"], strict=True))


Values = tuple[float | None, dict[str, float]]
"""The value of a measure, and the value of each user."""


def results(cases: list[Case], folder: Path) -> list[tuple[str, Any]]:
    """Return the class of each case, and the value of receval as text; cases of the same input run together if none is refused."""
    groups: dict[str, list[int]] = defaultdict(list)
    for index, case in enumerate(cases):
        groups[json.dumps([case["input"], convention(case), case.get("options")])].append(index)
    found: dict[int, tuple[str, Any]] = {}
    for indexes in groups.values():
        try:
            found |= {index: judged(cases[index], *values) for index, values in computed(cases, indexes, folder).items()}
        except (RecevalError, ValueError):
            for index in indexes:
                try:
                    found[index] = judged(cases[index], *computed(cases, [index], folder)[index])
                except (RecevalError, ValueError) as error:
                    found[index] = ("refused", f"{type(error).__name__}: {error}")
    inexpressible = {index: ("inexpressible", "") for index, case in enumerate(cases) if case["status"].startswith("inexpressible")}
    return [{**found, **inexpressible}[index] for index in range(len(cases))]


def computed(cases: list[Case], indexes: list[int], folder: Path) -> dict[int, Values]:
    """Return receval's values of cases that have the same input, convention and options."""
    case, measures = cases[indexes[0]], list(dict.fromkeys(cases[index]["measure"] for index in indexes))
    tables = {name: read(folder / value) if isinstance(value, str) else value for name, value in case["input"].items()}
    options = case.get("options") or {}
    values = receval.evaluate(**tables, metrics=measures, convention=convention(case), health=False, **options)
    frame = next(iter(values.per_user.values()))
    columns = [column for column in frame.columns if column not in ("user", "n_relevant", "n_recommended")]
    if len(measures) > 1 and not len(values.rows) == len(columns) == len(measures):
        raise ValueError("some of these measures have several values, no per-user values, or the same name")
    ids = [str(user) for user in frame["user"].to_list()]
    users = [dict(zip(ids, frame[column].to_list(), strict=True)) for column in columns] or [{}]
    named = dict(zip(measures, zip([row.value for row in values.rows], users, strict=False), strict=False))
    return {index: named[cases[index]["measure"]] for index in indexes}


def judged(case: Case, value: float | None, of_users: dict[str, float]) -> tuple[str, Any]:
    """Return whether a case is equal or different, and the value of receval as text."""
    if not isinstance(case["expected"], dict):
        return ("equal" if is_near(value, case["expected"], case["tol"]) else "different"), value
    expected = dict(zip(map(str, case["expected"]["users"]), case["expected"]["values"], strict=True))
    equal = all(is_near(of_users.get(user), value, case["tol"]) for user, value in expected.items())
    return ("equal" if equal else "different"), shown({"users": of_users.keys(), "values": of_users.values()})


def is_near(value: float | None, expected: float | None, tolerance: float) -> bool:
    """Return whether a value is the expected one; no value equals NaN and none."""
    if value is None or expected is None or math.isnan(expected):
        return value is None and (expected is None or math.isnan(expected))
    return abs(value - expected) <= tolerance


@cache
def read(path: Path) -> pl.DataFrame:
    """Read a table with tabs; ids are text."""
    return pl.read_csv(path, separator="\t", schema_overrides={"user": pl.String, "item": pl.String})


@cache
def convention_file(text: str) -> str:
    """Write the text of a convention into a file, once, and return its path."""
    path = Path(tempfile.mkdtemp()) / "tried.yaml"
    path.write_text(text)
    return str(path)


def convention(case: Case) -> str:
    """Return the convention of a case: that of the library's version, a name, or the path of a file with its text."""
    version = next((name for library, name in VERSIONS.items() if case["library"].startswith(library)), None)
    name: str = version or case["convention"]
    return convention_file(name) if "\n" in name else name


if __name__ == "__main__":
    sys.exit(main())
