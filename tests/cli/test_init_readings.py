"""`receval init` reads each file as `receval run` does, says what content decided, and leaves questions to the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.inits import EVERY, LISTS, PLAIN, RANKED, SCORED, STARS, TEST, models, pairs, text

TEST_CSV, ALS_CSV = PLAIN["test.csv"], PLAIN["als.csv"]


def test_ranks_without_a_header_are_ranks_and_said(init):
    done = init({"test.csv": TEST_CSV, "llm.csv": text(RANKED)})
    assert done.data["recommendations"]["llm"]["columns"] == {"user": 1, "item": 2, "rank": 3}
    assert "llm.csv: no header; user = column 1, item = column 2, rank = column 3 (1 to 5 in every list)" in done.doubts
    assert done.values["llm", "MRR@5"] == pytest.approx(STARS)


def test_ids_written_as_decimals_are_integers_and_said(init):
    done = init({"test.csv": TEST_CSV, "als.csv": text([(user, f"{item}.0", score) for user, item, score in SCORED])})
    assert done.data["recommendations"]["als"]["columns"]["item"] == {"column": 2, "as": "integer"}
    assert "als.csv: no header; user = column 1, item = column 2, score = column 3; item ids written as 12.0 are read as 12" in done.doubts
    assert done.values["als", "MRR@5"] == pytest.approx(STARS)


def test_a_wide_table_is_read_with_a_column_for_each_rank(init):
    wide = text([(user, *items) for user, items in LISTS.items()], ("user", *(f"rec_{n}" for n in range(1, 6))))
    done = init({"test.csv": TEST_CSV, "als.csv": wide})
    assert done.data["recommendations"]["als"]["columns"]["item"] == [f"rec_{n}" for n in range(1, 6)]
    assert done.values["als", "MRR@5"] == pytest.approx(STARS)


def test_a_column_of_a_test_file_that_judges_rows_is_read(init):
    judged = [(user, item, rating >= 4) for user, item, rating, _ in TEST]
    done = init({"test.csv": text(judged, ("user_id", "item_id", "is_positive")), "als.csv": ALS_CSV})
    assert done.data["test"]["columns"]["rating"] == "is_positive"
    assert done.values["als", "MRR@5"] == pytest.approx(sum((1 / 2, 1 / 5)) / 2)


def test_a_question_of_a_run_is_left_to_it_with_its_readings_as_comments(receval, folder):
    merit = [(user, item, rating / 10) for user, item, rating, _ in TEST]
    folder({"test.csv": text(merit, ("user_id", "item_id", "merit")), "als.csv": ALS_CSV})
    code, _, err = receval("init", "-o", "config.yaml")
    assert (code, "receval run asks; choose one in the config" in err) == (0, True), err
    comments = [line for line in Path("config.yaml").read_text().splitlines() if line.startswith("  # test: {path: test.csv, columns:")]
    assert len(comments) == 2
    assert receval("run", "config.yaml", "-m", "nDCG@5", "--set", "evaluation.relevance.graded=true")[0] == 3
    for comment in comments:
        plain = "".join(
            line for line in Path("config.yaml").read_text().splitlines(keepends=True) if not line.lstrip().startswith("test: ")
        )
        Path("chosen.yaml").write_text(plain.replace(comment, comment.replace("# ", "", 1)))
        code, _, err = receval("run", "chosen.yaml", "--set", "health=off")
        assert code == 0, err


def test_many_lists_are_told_in_few_lines(receval, folder):
    folder(
        {"test.csv": TEST_CSV, **{f"recs/model={n}$a.tsv": text([(u, f"{i}.0", s) for u, i, s in SCORED], None, "\t") for n in range(40)}}
    )
    code, _, err = receval("init", "-o", "config.yaml")
    assert code == 0, err
    assert len(err.splitlines()) < 10, err
    code, out, err = receval("run", "config.yaml", "--format", "csv", "-m", "MRR@5", "--set", "health=off")
    assert (code, len(out.splitlines())) == (0, 41), err


def test_without_tables_in_the_first_levels_deeper_folders_are_searched(receval, folder):
    folder({f"a/b/c/d/e/{name}": content for name, content in {"test.csv": TEST_CSV, "als.csv": ALS_CSV}.items()})
    code, out, err = receval("init")
    assert (code, "test: a/b/c/d/e/test.csv" in out) == (0, True), err


def test_columns_given_for_the_lists_do_not_hide_their_ids_from_the_test_file(init, receval):
    done = init({"test.csv": text(pairs(TEST)), "als.csv": text(SCORED)})
    assert models(done) == {"als": "als.csv"}
    assert done.values["als", "MRR@5"] == pytest.approx(EVERY)
