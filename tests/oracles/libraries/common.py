"""The data of the oracle scripts, in the forms that libraries take, and the file of values (standard library only)."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
MODELS = ("clean", "ties", "duplicates", "short", "missing", "extra", "unknown", "everything")
SIDE_MODELS = ("clean", "duplicates", "short", "missing", "unknown", "everything")  # for metrics that read only the lists
REPEATING = ("duplicates", "everything")  # models whose lists have an item more than once
KS = (1, 3, 5, 10)
CEILED = {"grades": "ceil(rating) as integer"}


def read(name: str) -> list[dict[str, Any]]:
    """Return the rows of a CSV file in file order, with numbers as numbers."""
    with (ROOT / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        row.update({key: float(row[key]) for key in ("rating", "score", "prediction") if key in row})
        row.update({key: int(row[key]) for key in ("rank", "timestamp") if key in row})
    return rows


def truth_rows(relevance: str) -> list[dict[str, Any]]:
    """Return the test rows; `rating>=4` leaves out those below 4, `all` and `graded` keep all."""
    return [row for row in read("test") if relevance != "rating>=4" or row["rating"] >= 4]


def grades(relevance: str) -> dict[str, dict[str, int]]:
    """Return test rows as user → item → integer: the rating rounded up for `graded`, otherwise 1."""
    result: dict[str, dict[str, int]] = {}
    for row in truth_rows(relevance):
        result.setdefault(row["user_id"], {})[row["item_id"]] = math.ceil(row["rating"]) if relevance == "graded" else 1
    return result


def ordered_rows(model: str) -> list[dict[str, Any]]:
    """Return the rows by user, then by falling score; ties stay in file order, duplicates are kept."""
    return sorted(read(model), key=lambda row: (row["user_id"], -row["score"]))


def ordered_lists(model: str) -> dict[str, list[str]]:
    """Return user → items, best first."""
    result: dict[str, list[str]] = {}
    for row in ordered_rows(model):
        result.setdefault(row["user_id"], []).append(row["item_id"])
    return result


def scores(model: str) -> dict[str, dict[str, float]]:
    """Return user → item → score; of a duplicate pair the first row of the file."""
    result: dict[str, dict[str, float]] = {}
    for row in read(model):
        result.setdefault(row["user_id"], {}).setdefault(row["item_id"], row["score"])
    return result


def documents(model: str, relevance: str, below_list: int = max(KS)) -> dict[str, list[tuple[float, int]]]:
    """Return the score and the grade of each document of a test user, for libraries of rankers, which know no others.

    Documents are the items of the list, best first, then `below_list` of grade 0, as many as the largest cut-off because a list may be
    shorter, and then the relevant items that are not listed, with scores below all others.
    """
    found: dict[str, list[tuple[float, int]]] = {}
    lists = ordered_rows(model)
    for user, wanted in grades(relevance).items():
        own = [row for row in lists if row["user_id"] == user]
        below = min((row["score"] for row in own), default=0.0) - 1.0
        unlisted = [0] * below_list + [grade for item, grade in wanted.items() if item not in {row["item_id"] for row in own}]
        found[user] = [(row["score"], wanted.get(row["item_id"], 0)) for row in own]
        found[user] += [(below - place, grade) for place, grade in enumerate(unlisted)]
    return found


def dict_note(model: str) -> str:
    """Return D1 if `scores` had to drop duplicates."""
    return "D1" if model in REPEATING else ""


def scores_of_all_rows(model: str) -> dict[str, dict[str, float]]:
    """Return user → item → score from every row: of a duplicate pair a dictionary has the last score at the place of the first."""
    result: dict[str, dict[str, float]] = {}
    for row in read(model):
        result.setdefault(row["user_id"], {})[row["item_id"]] = row["score"]
    return result


def all_rows_note(model: str) -> str:
    """Return D2 if `scores_of_all_rows` met duplicates."""
    return "D2" if model in REPEATING else ""


def genres() -> dict[str, list[str]]:
    """Return item → its genres; some items have none."""
    return {row["item_id"]: [name for name in row["genres"].split("|") if name] for row in read("items")}


class Values:
    """The values of one library, written as one JSON object a line."""

    def __init__(self, library: str, package: str | None = None) -> None:
        """Start without values; `package` is the name on the package index, if it differs from the library's."""
        self.library, self.version = library, version(package or library)
        self.rows: list[dict[str, Any]] = []

    def add(self, model: str, metric: str, k: int | None, relevance: str, value: Callable[[], Any] | float, **more: Any) -> None:
        """Note a value, or the result of a call; `more` is any of users, params and note. An error becomes a note.

        Values are rounded to 14 places, because the order of a sum, and with it the last digit, may change from run to run.
        """
        notes = [more.get("note") or ""]
        try:
            number = float(value() if callable(value) else value)
        except Exception as error:  # a library may fail in any way, and the failure is what we record
            lines = str(error).strip().splitlines() or [""]
            number, notes = math.nan, [*notes, f"ERROR {type(error).__name__}: {lines[0]}".strip()]
        else:
            notes += ["value is nan"] * math.isnan(number)
        row = {"library": self.library, "version": self.version, "dataset": "oracles", "model": model, "metric": metric, "k": k}
        row |= {"relevance": relevance, "value": round(number, 14) if math.isfinite(number) else None}
        row |= {name: more[key] for name, key in (("n_users_averaged", "users"), ("params", "params")) if more.get(key) is not None}
        self.rows.append(row | ({"note": "; ".join(filter(None, notes))} if any(notes) else {}))

    def write(self, name: str) -> None:
        """Write `reference/NAME.jsonl`, sorted."""

        def place(row: dict[str, Any]) -> tuple[Any, ...]:
            return row["model"], row["relevance"], row["metric"], json.dumps(row.get("params")), row["k"] or 0

        lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in sorted(self.rows, key=place)]
        (ROOT / "reference").mkdir(exist_ok=True)
        (ROOT / "reference" / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{self.library} {self.version}: {len(lines)} values, {sum('ERROR' in line for line in lines)} errors")
