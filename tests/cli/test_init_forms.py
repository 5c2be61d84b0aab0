"""`receval init` knows the forms of files that `receval run` reads: TREC, MovieLens, RecBole, lists in a row, JSON, decimal commas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tests.cli.inits import EVERY, LISTS, PLAIN, RANKED, SCORED, STARS, TEST, models, pairs, text

QRELS = text([(user, 0, item, rating) for user, item, rating, _ in TEST], separator=" ")
RUN = text([(*row[:1], "Q0", *row[1:], round(1 - row[2] / 10, 1), "als") for row in RANKED], separator=" ")
DAT = text(TEST, separator="::")
TRUTH = {user: [item for other, item, *_ in TEST if other == user] for user in (1, 2, 3)}
SCORES = [0.9, 0.8, 0.7, 0.6, 0.5]
COMMAS = [(user, item, f"{score:.3f}".replace(".", ",")) for user, item, score in SCORED]
TEST_CSV, ALS_CSV = PLAIN["test.csv"], PLAIN["als.csv"]


def objects(lists: Any, **more: Any) -> str:
    return "".join(json.dumps({"user": user, "items": list(items), **more}) + "\n" for user, items in lists.items())


def split(sign: str, between: str = ",", header: str = "") -> str:
    return header + "".join(f"{user}{between}{sign.join(map(str, items))}\n" for user, items in LISTS.items())


ARRAYS = "user,items\n" + "".join(f'{user},"{list(items)}"\n' for user, items in LISTS.items())
FRAME = pl.DataFrame({"user": list(LISTS), "items": [list(items) for items in LISTS.values()]})
ODD_TREC = {"format": "trec"}
FORMS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], float]] = {
    "qrels and a run": ({"test.qrels": QRELS, "a_trec.run": RUN}, {}, {}, STARS),
    "qrels and a run with comments and words behind the tag": (
        {"test.qrels": "# judged\n" + QRELS, "a_trec.run": "# als, k = 5\n" + RUN.replace("\n", " second stage\n")},
        {},
        {},
        STARS,
    ),
    "blank lines": ({"test.csv": TEST_CSV + "\n\n", "als.csv": ALS_CSV.replace("\n", "\n\n", 1)}, {}, {}, STARS),
    "a run of another second field": ({"test.csv": TEST_CSV, "als.run": RUN.replace("Q0", "0")}, {}, ODD_TREC, STARS),
    "qrels of another second field": ({"test.qrels": QRELS.replace(" 0 ", " i "), "als.csv": ALS_CSV}, ODD_TREC, {}, STARS),
    "MovieLens": (
        {"test.dat": DAT, "als.csv": ALS_CSV},
        {"separator": "::", "header": False, "columns": {"user": 1, "item": 2, "rating": 3, "timestamp": 4}},
        {},
        STARS,
    ),
    "JSON arrays": ({"test.csv": TEST_CSV, "als.csv": ARRAYS}, {}, {}, STARS),
    "JSON arrays without a header": (
        {"test.csv": TEST_CSV, "als.csv": ARRAYS.partition("\n")[2]},
        {},
        {"header": False, "columns": {"user": 1, "item": 2}},
        STARS,
    ),
    "NDJSON lists": ({"test.csv": TEST_CSV, "als.jsonl": objects(LISTS)}, {}, {}, STARS),
    "NDJSON lists with scores": ({"test.csv": TEST_CSV, "als.jsonl": objects(LISTS, scores=SCORES)}, {}, {}, STARS),
    "the test set in lists": ({"test.jsonl": objects(TRUTH), "als.jsonl": objects(LISTS)}, {}, {}, EVERY),
    "the test set in lists, with a column of its own": (
        {"test.jsonl": objects(TRUTH, source="web"), "als.csv": ALS_CSV},
        {},
        {},
        EVERY,
    ),
    "Parquet lists": ({"test.csv": TEST_CSV, "als.parquet": FRAME}, {}, {}, STARS),
    "lists of another name": (
        {"test.csv": TEST_CSV, "als.parquet": FRAME.rename({"items": "best"})},
        {},
        {"columns": {"user": "user", "item": "best"}},
        STARS,
    ),
    "lists in text": ({"test.csv": TEST_CSV, "als.csv": split(" ", header="user,items\n")}, {}, {"split": " "}, STARS),
    "lists in text without a header": (
        {"test.csv": TEST_CSV, "als.csv": split(" ")},
        {},
        {"header": False, "split": " ", "columns": {"user": 1, "item": 2}},
        STARS,
    ),
    "lists in text after tabs": (
        {"test.csv": TEST_CSV, "als.tsv": split("|", "\t")},
        {},
        {"header": False, "split": "|", "columns": {"user": 1, "item": 2}},
        STARS,
    ),
    "lists with scores in text": (
        {
            "test.csv": TEST_CSV,
            "als.csv": "user;items;scores\n" + split("|", ";").replace("\n", ";.9|.8|.7|.6|.5\n"),
        },
        {},
        {"separator": ";", "split": "|"},
        STARS,
    ),
    "objects in a JSON file": ({"test.json": objects(TRUTH), "als.csv": ALS_CSV}, {}, {}, EVERY),
    "decimal commas after semicolons": (
        {"test.csv": TEST_CSV, "als.csv": text(COMMAS, ("user_id", "item_id", "score"), ";")},
        {},
        {"separator": ";"},
        STARS,
    ),
    "decimal commas after tabs": (
        {"test.csv": TEST_CSV, "als.tsv": text(COMMAS, ("user_id", "item_id", "score"), "\t")},
        {},
        {"decimal_comma": True},
        STARS,
    ),
    "RecBole": (
        {
            "ml.test.inter": text(TEST, ("user_id:token", "item_id:token", "rating:float", "timestamp:float"), "\t"),
            "als.csv": ALS_CSV,
        },
        {},
        {},
        STARS,
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_form_that_run_reads_is_recognised_and_written_with_only_the_needed_keys(name, init):
    files, of_test, of_model, mrr = FORMS[name]
    done = init(files)
    test, model = files
    (lists,) = done.data["recommendations"].values()
    assert {key: value for key, value in done.data["test"].items() if key != "path"} == of_test
    assert {key: value for key, value in lists.items() if key != "path"} == of_model
    assert (done.data["test"]["path"], lists["path"]) == (test, model)
    assert [value for (_, metric), value in done.values.items() if metric == "MRR@5"] == [pytest.approx(mrr)]
    assert "text such as" not in done.doubts
    assert "refuse" not in done.doubts


def test_trec_files_are_recognised_beside_csv_files(init):
    done = init({"test.csv": TEST_CSV, "test.qrels": QRELS, "a_trec.run": RUN, "als.csv": ALS_CSV})
    assert "  # test: test.qrels  # could also be the test set\n" in done.config
    assert models(done) == {"a_trec": "a_trec.run", "als": "als.csv"}
    assert done.said["a_trec.run"].startswith("the model a_trec: a TREC run; up to 5 items per user;")


def test_a_trec_file_with_an_unknown_ending_is_read_by_its_content(init, receval, folder):
    done = init({"judged.xyz": QRELS, "als.xyz": RUN}, "judged.xyz", "als.xyz")
    assert done.data["test"] in ("judged.xyz", {"path": "judged.xyz"})
    assert done.data["recommendations"] == {"als.xyz": {"path": "als.xyz"}}  # the ending is not one of data files
    assert done.values["als.xyz", "MRR@5"] == pytest.approx(STARS)


def test_the_guessed_meaning_of_text_fields_is_reported(init):
    commas = text(COMMAS, ("user_id", "item_id", "score"), "\t")
    done = init({"test.csv": TEST_CSV, "als.tsv": commas, "knn.csv": split(" ", header="user,items\n")})
    assert "als.tsv: column 'score' is used as numbers with a decimal comma, such as '0,970'" in done.doubts
    assert "knn.csv: column 'items' is used as lists of items separated by ' '" in done.doubts


def test_titles_and_categories_are_not_read_as_lists_of_items(init):
    titles = text([(11, "Alien 3"), (12, "2001 A Space Odyssey"), (13, "Toy Story 2")])
    tags = pl.DataFrame({"item_id": [11, 12], "genres": [["SciFi"], ["SciFi", "Comedy"]]})
    done = init({"test.csv": TEST_CSV, "als.csv": ALS_CSV, "items.csv": titles, "item_tags.parquet": tags})
    assert done.data["items"]["path"] in ("items.csv", "item_tags.parquet")
    assert models(done) == {"als": "als.csv"}


def test_long_lists_of_many_users_are_recognised(receval, folder):
    long = [list(range(user, user + 400)) for user in range(3_000)]
    lists = pl.DataFrame({"user": range(3_000), "items": long})
    folder({"test.csv": text([(user, user, 1) for user in range(3_000)], ("user", "item", "rating")), "als.parquet": lists})
    code, _, err = receval("init", "-o", "config.yaml")
    assert code == 0, err
    assert "als.parquet: the model als: a list of items per user; up to 400 items per user; user=user, item=items; 3,000 rows" in err


def test_words_for_missing_values_are_reported_as_missing(receval, folder):
    folder({**PLAIN, "test.csv": TEST_CSV + "3,15,NA,1\n"})
    code, _, err = receval("init", "-o", "config.yaml")
    assert code == 0
    assert "not sure: test.csv: column 'rating' has no value in 1 row; the config leaves such rows out" in err
    assert Path("config.yaml").exists()


def test_a_further_column_of_lists_does_not_change_pairs(init):
    rows = [{"user": user, "item": item, "rating": rating, "helpful": [0, 1]} for user, item, rating, _ in TEST]
    done = init({"test.jsonl": "".join(json.dumps(row) + "\n" for row in rows), "als.csv": text(pairs(SCORED), ("user", "item"))})
    assert done.said["test.jsonl"].endswith("; user=user, item=item, rating=rating; 4 rows")
