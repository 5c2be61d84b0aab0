"""TREC runs and qrels, recognised by content or declared; rank and score are both kept, and the convention chooses."""

from __future__ import annotations

import pytest
import yaml
from receval import load_config, run
from receval.support.errors import DataError

from tests.conftest import values
from tests.load.conftest import EXPECTED, look_at

RUN = "1 Q0 10 1 0.9 bm25\n1 Q0 99 2 0.8 bm25\n2 Q0 98 1 0.7 bm25\n2 Q0 12 2 0.6 bm25\n"
QRELS = "1 0 10 1\n1 0 11 2\n2 0 12 1\n2 0 98 0\n"


@pytest.mark.parametrize(
    "text",
    [RUN, RUN.replace(" ", "\t"), RUN.replace(" ", "   "), RUN.replace("\n", " \r\n"), "  " + RUN, RUN.replace("Q0 ", "q0 \t ")],
    ids=["spaces", "tabs", "several spaces", "Windows line ends", "indented", "mixed"],
)
def test_a_run_is_recognised_by_its_second_field(text, write, evaluate_lists):
    write("model.txt", text)
    assert evaluate_lists("model.txt") == EXPECTED


@pytest.mark.parametrize("text", [QRELS, QRELS.replace(" ", "\t"), QRELS.replace(" ", "  "), QRELS.replace(" 0 ", " Q0 ")])
def test_qrels_are_recognised_by_their_iteration(text, write, evaluate_lists):
    write("qrels.txt", text)
    assert evaluate_lists(test="qrels.txt") == EXPECTED


@pytest.mark.parametrize("name", ["model.run", "model.trec", "model.xyz"])
def test_the_second_field_can_be_anything_if_the_format_is_set(name, write, evaluate_lists):
    write(name, RUN.replace("Q0", "0"))
    write("judged.xyz", QRELS.replace(" 0 ", " iteration7 "))
    assert evaluate_lists({"path": name, "format": "trec"}, test={"path": "judged.xyz", "format": "trec"}) == EXPECTED


def test_a_time_stamp_is_not_a_grade_and_a_column_of_items_is_not_an_iteration(write, evaluate_lists):
    write("rated.txt", "1 10 5 881250949\n1 11 4 881250949\n2 12 3 881250949\n")
    assert evaluate_lists(test="rated.txt") == EXPECTED
    write("rated.txt", "1\t0\t5\t881250949\n")
    assert evaluate_lists(test="rated.txt") == {"MRR@10": 0.0, "Recall@10": 0.0}  # no list has the item 0


def test_rank_orders_a_run_under_receval_and_score_under_trec_eval(write, evaluate_lists, tmp_path):
    write("model.txt", "1 Q0 99 1 0.8 t\n1 Q0 10 2 0.9 t\n2 Q0 98 1 0.7 t\n2 Q0 12 2 0.6 t\n")
    assert evaluate_lists("model.txt")["MRR@10"] == 0.5
    data = {"test": "plain_test.csv", "recommendations": {"model": "model.txt"}}
    write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"convention": "trec_eval", "metrics": ["recip_rank"]}}))
    assert list(values(run(load_config(tmp_path / "config.yaml"))).values()) == [0.75]


@pytest.mark.parametrize(
    ("lists", "message"),
    [
        (RUN + "2 Q0 97 3\n", "line 5: 4 fields, where a TREC file has 6: qid Q0 docno rank score tag"),
        (RUN * 300 + "# a comment\n2 Q0 97 3\n", "line 1202: 4 fields, where there are 6 columns"),
        (RUN * 300 + "2 Q0 97 three 0.5 tag\n", "line 1201: 'three' is not a number, and rank must be one"),
        (RUN * 300 + "2 Q0 97\n", "line 1201: 3 fields, where there are 6 columns"),
        (RUN * 300 + "2 Q0 97 3 0.5\n", "line 1201: 5 fields, where there are 6 columns"),
        (RUN * 300 + "2 Q0 9\0 3 0.5 tag\n", "line 1201: not a text file"),
        (RUN * 30_000 + "2 Q0 9\0 3 0.5 tag\n", "line 120001: not a text file"),
        (QRELS, "line 1: 4 fields, where a TREC file has 6"),
    ],
)
def test_an_odd_line_is_refused(lists, message, write, evaluate_lists):
    write("model.txt", lists)
    with pytest.raises(DataError, match=message):
        evaluate_lists({"path": "model.txt", "format": "trec"})


COMMENTED = "# bm25, first stage\n#\n" + RUN.replace("2 Q0 98", "  # the second user\n2 Q0 98") + "# end\n"


@pytest.mark.parametrize("options", [{}, {"format": "trec"}], ids=["recognised", "said"])
def test_lines_that_begin_with_a_number_sign_are_comments(options, write, evaluate_lists):
    # trec_eval 10, get_qrels.c and get_trec_results.c: a line whose first character is # is ignored
    write("model.txt", COMMENTED)
    write("qrels.txt", "\ufeff# judged in 2024\n" + QRELS.replace("2 0 12", "# second topic\n2 0 12"))
    assert evaluate_lists({"path": "model.txt", **options}, test={"path": "qrels.txt", **options}) == EXPECTED


def test_comments_below_the_first_lines_are_comments_too(write, evaluate_lists):
    write("model.txt", RUN + "".join(f"# {number}\n" for number in range(3_000)) + "3 Q0 10 1 0.9 bm25\n")
    assert evaluate_lists("model.txt") == EXPECTED


def test_the_line_of_a_fault_is_counted_with_the_comments_above_it(write, evaluate_lists):
    write("model.txt", COMMENTED + "3 Q0 10 1 high bm25\n")
    with pytest.raises(DataError, match="line 9: 'high' is not a number, and score must be one"):
        evaluate_lists("model.txt")


def test_a_row_after_a_number_sign_is_a_comment_with_a_note(write, tmp_path):
    path = write("model.txt", RUN + "#3 Q0 10 1 0.9 bm25\n# it was made on a fine day in spring\n")
    source = look_at("data.recommendations", "lists", path)
    assert source.scan.doubts == (
        "data.recommendations: line 5 of model.txt starts with # and is read as a comment, although it has the fields of a row.",
    )


def test_a_file_of_comments_alone_is_refused(write, evaluate_lists):
    write("model.txt", "# 1 Q0 10\n" * 3)
    with pytest.raises(DataError, match="the first 3 lines are comments or blank"):
        evaluate_lists({"path": "model.txt", "format": "trec"})


@pytest.mark.parametrize("tag", ["bm25 and more", "bm25\tk1=0.9 b=0.4", "bm25 #1 run"])
def test_words_after_the_tag_of_a_run_are_ignored(tag, write, evaluate_lists):
    # trec_eval 9 and 10, get_trec_results.c: "Any field following run_id is ignored"
    write("model.txt", RUN.replace("bm25", tag))
    assert evaluate_lists("model.txt") == EXPECTED
    write("model.run", RUN.replace("bm25", tag, 1).replace("Q0", "0"))
    assert evaluate_lists({"path": "model.run", "format": "trec"}) == EXPECTED


def test_words_after_a_grade_are_refused(write, evaluate_lists):
    # trec_eval calls such a line of judgements malformed
    write("qrels.txt", QRELS + "2 0 97 1 more\n")
    with pytest.raises(DataError, match="line 5: 5 fields, where a TREC file has 4"):
        evaluate_lists(test={"path": "qrels.txt", "format": "trec"})


def test_a_catalogue_is_not_read_as_a_trec_file(write):
    path = write("items.txt", "1 2 3\n")
    with pytest.raises(DataError, match="TREC files can only contain judgements"):
        look_at("data.items", "catalogue", path, format="trec")


@pytest.mark.spark
def test_formats_that_spark_cannot_read_are_read_locally(write, evaluate_lists, spark):
    write("model.run", RUN.replace(" ", "  "))
    write("lists.ndjson", '{"user": 1, "items": [10, 99]}\n{"user": 2, "items": [98, 12]}\n')
    write("ratings.dat", "1::10::5\n1::11::4\n2::12::NA\n".replace("NA", "3"))
    assert evaluate_lists("model.run", test="ratings.dat", engine=spark) == evaluate_lists("lists.ndjson", engine=spark) == EXPECTED
