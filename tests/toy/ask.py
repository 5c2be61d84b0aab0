"""Run a library on the toy in the library's own environment: `python ask.py LIBRARY` writes reference/LIBRARY.json.

Libraries are called as in their documents, with k = 3 and defaults otherwise. Versions and packages: tests/oracles/README.md.
"""

from __future__ import annotations

import csv
import json
import sys
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
K = 3
FLAWS = {
    "clean": ("truth", "clean", int),
    "user 2 has no list": ("truth", "one_user", int),
    "rows twice in the lists": ("truth", "twice", int),
    "a row twice in the truth": ("truth_twice", "clean", int),
    "all scores tied, relevant rows first": ("truth", "tied_first", int),
    "all scores tied, relevant rows last": ("truth", "tied_last", int),
    "ids are numbers in the truth and texts in the lists": ("truth", "clean", str),
}
"""Flaw → the test file, the file of lists, and the type of the ids of the lists; ids of the test file are integers."""
MEASURES = ("P", "R", "nDCG", "MAP")
Rows = list[dict[str, Any]]
Asked = dict[str, Callable[[], Any]]


def rows(name: str, kind: type) -> Rows:
    """Return the rows of a file, with ids of this type."""
    with (HERE / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    ids = [{"user": kind(row["user"]), "item": kind(row["item"])} for row in found]
    return [id_row | {"score": float(row["score"])} if "score" in row else id_row for id_row, row in zip(ids, found, strict=True)]


def nested(found: Rows) -> dict[Any, dict[Any, Any]]:
    """Return user → item → score, or 1; of duplicate rows the last one."""
    held: dict[Any, dict[Any, Any]] = {}
    for row in found:
        held.setdefault(row["user"], {})[row["item"]] = row.get("score", 1)
    return held


def texts(held: dict[Any, dict[Any, Any]]) -> dict[str, dict[str, Any]]:
    """Return the same with text ids, the only ones that ranx and ir_measures accept: the caller makes them equal."""
    return {str(user): {str(item): value for item, value in items.items()} for user, items in held.items()}


def ranx(truth: Rows, lists: Rows) -> Asked:
    """Return the calls of `evaluate` with dictionaries."""
    from ranx import Qrels, Run, evaluate

    names = {"P": "precision", "R": "recall", "nDCG": "ndcg", "MAP": "map"}
    return {
        key: lambda name=name: evaluate(Qrels(texts(nested(truth))), Run(texts(nested(lists))), f"{name}@{K}")
        for key, name in names.items()
    }


def ir_measures(truth: Rows, lists: Rows) -> Asked:
    """Return the calls of `calc_aggregate` with dictionaries."""
    from ir_measures import AP, P, R, calc_aggregate, nDCG

    asked = {"P": P @ K, "R": R @ K, "nDCG": nDCG @ K, "MAP": AP @ K}
    return {
        key: lambda asked_measure=measure_object: calc_aggregate([asked_measure], texts(nested(truth)), texts(nested(lists)))[asked_measure]
        for key, measure_object in asked.items()
    }


def rectools(truth: Rows, lists: Rows) -> Asked:
    """Return the calls of `calc` with frames; ranks are the positions in the file, because the library takes no scores."""
    import pandas as pd
    from rectools.metrics import MAP, NDCG, Precision, Recall

    if len({row["score"] for row in lists}) == 1:
        return {}
    reco = pd.DataFrame(lists).rename(columns={"user": "user_id", "item": "item_id"})
    reco["rank"] = reco.groupby("user_id").cumcount() + 1
    interactions = pd.DataFrame(truth).rename(columns={"user": "user_id", "item": "item_id"})
    asked = {"P": Precision, "R": Recall, "nDCG": NDCG, "MAP": MAP}
    return {key: lambda metric=metric: metric(k=K).calc(reco=reco, interactions=interactions) for key, metric in asked.items()}


def replay(truth: Rows, lists: Rows) -> Asked:
    """Return the calls of metrics on Polars frames."""
    import polars as pl
    from replay.metrics import MAP, NDCG, Precision, Recall

    columns = {"query_column": "user", "item_column": "item", "rating_column": "score"}
    asked = {"P": Precision, "R": Recall, "nDCG": NDCG, "MAP": MAP}
    return {
        key: lambda metric=metric: metric(K, **columns)(pl.DataFrame(lists), pl.DataFrame(truth))[f"{metric.__name__}@{K}"]
        for key, metric in asked.items()
    }


def recommenders(truth: Rows, lists: Rows) -> Asked:
    """Return the calls of `python_evaluation` on pandas frames; MAP@k is its `map_at_k`."""
    import pandas as pd
    from recommenders.evaluation import python_evaluation

    columns = {"col_user": "user", "col_item": "item", "col_rating": "rating", "col_prediction": "score", "k": K}
    asked = {"P": "precision_at_k", "R": "recall_at_k", "nDCG": "ndcg_at_k", "MAP": "map_at_k"}
    frames = (pd.DataFrame(truth).assign(rating=1.0), pd.DataFrame(lists))
    return {key: lambda name=name: getattr(python_evaluation, name)(*frames, **columns) for key, name in asked.items()}


LIBRARIES = {
    "ranx": (ranx, "ranx"),
    "ir_measures": (ir_measures, "ir-measures"),
    "rectools": (rectools, "rectools"),
    "replay": (replay, "replay-rec"),
    "recommenders": (recommenders, "recommenders"),
}


def answer(ask: Callable[[], Any]) -> dict[str, Any]:
    """Return the value, or the type of the error, and the warning of the library on its input."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found: dict[str, Any] = {"value": round(float(ask()), 12)}
        except Exception as error:  # a library may fail in any way, and the failure is what we record
            found = {"error": type(error).__name__}
    said = sorted({type(warning.message).__name__ for warning in caught if "Metric" in type(warning.message).__name__})
    return found | ({"warning": said[0]} if said else {})


def main(library: str) -> None:
    """Compute everything, and write the answers."""
    ask, package = LIBRARIES[library]
    answers = {}
    for flaw, (truth, lists, kind) in FLAWS.items():
        asked = ask(rows(truth, int), rows(lists, kind))
        answers[flaw] = {measure: answer(function) for measure, function in asked.items()}
    said = {"library": package, "version": version(package), "k": K, "answers": answers}
    (HERE / "reference" / f"{library}.json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
