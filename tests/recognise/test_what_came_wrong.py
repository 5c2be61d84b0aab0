"""Files that were read as something else, as small ones: each is read right, or asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from receval.recognise.reading import FileReading
from receval.recognise.recogniser import Question

from tests.recognise.asking import Asked

Say = Callable[..., Any]
TEST = "user,item\n" + "".join(f"{user},{item}\n" for user in range(1, 7) for item in (user + 10, user + 12))
"""A test file with names: users 1 to 6, items 11 to 18."""
LISTS = "user,item,score\n" + "".join(f"{user},{item},{30 - item}\n" for user in range(1, 7) for item in range(11, 19))
PLACES = [(f"q{user}", f"D{item}") for user in range(1, 7) for item in (3 * user, 9, 1)]
"""Pairs of text ids, three of each of six users."""


class Files:
    """Writes a test file and lists, and asks about them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def asked(self, test: str, lists: str, names: Sequence[str] = ("test.csv", "lists.csv")) -> tuple[Asked, Path, Path]:
        paths = [self.folder / name for name in names]
        for path, text in zip(paths, (test, lists), strict=True):
            if text:
                path.write_text(text)
        return Asked([paths[0]], [paths[1]]), paths[0], paths[1]

    def test(self, text: str, lists: str = LISTS, name: str = "test.csv") -> Any:
        """Return the reading of a test file, or the question, with the grades that it means."""
        asked, test, _ = self.asked(text, lists, (name, "lists.csv"))
        found = asked.answer(test)
        return (found, asked.means(test)) if isinstance(found, FileReading) else (found, None)

    def lists(self, text: str, test: str = TEST, name: str = "lists.csv") -> Any:
        """Return the reading of lists, or the question, with the lists that it means."""
        asked, _, lists = self.asked(test, text, ("test.csv", name))
        found = asked.answer(lists)
        return (
            (found, {user: items for (_, user), items in asked.means(lists).items()}) if isinstance(found, FileReading) else (found, None)
        )


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def lines(rows: Any, separator: str = "\t") -> str:
    return "".join(separator.join(map(str, row)) + "\n" for row in rows)


# 1. Ranks read as scores
@pytest.mark.parametrize("start", [0, 1])
def test_numbers_that_count_in_every_list_are_ranks(files: Files, start: int) -> None:
    rows = [(user, f"D{9 - n}", n + start) for user in ("q1", "q2", "q3", "q4", "q5") for n in range(5)]
    reading, lists = files.lists(lines(rows), lines([("q1", "D9"), ("q2", "D5"), ("q4", "D6")]), "run.tsv")
    assert reading.order == "rank"
    assert lists["q1"] == ["D9", "D8", "D7", "D6", "D5"]


def test_a_time_behind_user_and_item_is_no_rating(files: Files) -> None:
    reading, _ = files.test(
        lines([(user, item, 1_700_000_000 + user * item) for user in range(1, 7) for item in (11, 13, 17)]), name="t.tsv"
    )
    assert dict(reading.columns) == {"user": 1, "item": 2, "timestamp": 3}


def test_falling_whole_numbers_are_scores(files: Files) -> None:
    _, lists = files.lists(lines([(user, 10 + n, 90 - n) for user in range(1, 7) for n in range(1, 6)]), name="run.tsv")
    assert lists["1"] == ["11", "12", "13", "14", "15"]


# 2. A column that judges is dropped without a word
@pytest.mark.parametrize(
    "name",
    [
        "score",
        "overall",
        "Book-Rating",
        "target",
        "clicked",
        "y_true",
        "gt",
        "gain",
        "judgment",
        "purchase",
        "is_positive",
        "rating",
        "relevance",
        "label",
        "reward",
        "r_ui",
    ],
)
def test_a_column_with_zeros_and_a_telling_name_judges_rows(files: Files, name: str) -> None:
    rows = lines([(user, item, (user + item) % 2) for user in range(1, 7) for item in (11, 13, 16)], ",")
    reading, grades = files.test(f"query-id,corpus-id,{name}\n{rows}")
    assert reading.columns["rating"] == name
    assert grades["1", "16"] == 1
    assert grades["1", "11"] == 0


def test_a_word_among_ratings_does_not_make_every_row_relevant(files: Files) -> None:
    rows = [(user, item, "five" if user == 3 and item == 13 else (user + item) % 5) for user in range(1, 9) for item in (11, 13, 16)]
    reading, _ = files.test("user,item,grade\n" + lines(rows, ","))
    assert reading.columns["rating"] == "grade"


def test_true_and_false_judge_rows(files: Files) -> None:
    rows = lines([(user, item, item > 13) for user in range(1, 7) for item in (11, 13, 16)], ",")
    _, grades = files.test(f"user,item,clicked\n{rows}")
    assert grades["3", "11"] == 0
    assert grades["3", "16"] == 1


def test_a_typed_column_of_scores_judges_the_rows_of_a_test_file(files: Files, tmp_path: Path) -> None:
    rows = [(user, item, float(n % 2)) for n, (user, item) in enumerate(PLACES)]
    pl.DataFrame(rows, schema=["q_id", "doc_id", "score"], orient="row").write_parquet(tmp_path / "t.parquet")
    reading, grades = files.test("", lines([(*pair, n) for n, pair in enumerate(PLACES)]), "t.parquet")
    assert reading.columns["rating"] == "score"
    assert 0.0 in grades.values()


def test_zeros_under_an_unknown_name_are_a_question(files: Files) -> None:
    rows = lines([(user, item, item % 2) for user in range(1, 7) for item in (11, 13, 16)], ",")
    found, _ = files.test(f"user,item,fb\n{rows}")
    assert isinstance(found, Question)
    assert {reading.columns.get("rating") for reading in found.readings} == {"fb", None}


# 3. Qrels with decimal grades or another iteration; runs with 0 for Q0
@pytest.mark.parametrize("iteration", ["0", "Q0", "1", "3"])
@pytest.mark.parametrize("grades", [(0, 1, 2), (0.0, 0.9, 1.0)])
@pytest.mark.parametrize("letters", [("", ""), ("q", "D")])
def test_four_columns_of_judgements_are_qrels(files: Files, iteration: str, grades: Sequence[float], letters: tuple[str, str]) -> None:
    user, item = letters
    rows = [(f"{user}{1 + n // 3}", iteration, f"{item}{11 + n % 5}", grades[n % 3]) for n in range(18)]
    lists = lines([(f"{user}{1 + n // 5}", f"{item}{11 + n % 5}", 9 - n % 5) for n in range(30)])
    reading, meant = files.test(lines(rows, " "), lists, "qrels.txt")
    assert reading.shape == "TREC qrels"
    assert meant[f"{user}1", f"{item}12"] == grades[1]


@pytest.mark.parametrize("second", ["Q0", "0", "q0", "1"])
def test_six_columns_of_a_run_are_a_run(files: Files, second: str) -> None:
    rows = [(user, second, 11 + (user + n) % 6, n + 1, 9.5 - n, "tag") for user in range(1, 7) for n in range(4)]
    reading, lists = files.lists(lines(rows, " "), name="bm25.run")
    assert reading.shape == "TREC run"
    assert lists["1"] == ["12", "13", "14", "15"]


# 4. Cells with several items read as one item
@pytest.mark.parametrize(("separator", "fields"), [(" ", ","), (",", ";"), ("|", "\t"), (";", ",")])
def test_cells_are_lists_even_if_most_have_one_item(files: Files, separator: str, fields: str) -> None:
    rows = [(user, f"a{user}") for user in range(1, 9)] + [(9, f"a1{separator}a2"), (10, f"a3{separator}a12{separator}a1")]
    lists = lines([(user, f"a{item}", 20 - item) for user in range(1, 11) for item in range(1, 13)])
    reading, meant = files.test(f"user{fields}items\n{lines(rows, fields)}", lists)
    assert reading.split == separator
    assert ("9", "a2") in meant


# 5. The cure, followed to the letter, gives a wrong number
def test_columns_of_ranks_are_all_items_of_a_list(files: Files) -> None:
    rows = [(user, *(11 + (user + n) % 7 for n in range(4))) for user in range(1, 7)]
    reading, lists = files.lists("user,rec_1,rec_2,rec_3,rec_4\n" + lines(rows, ","))
    assert reading.columns["item"] == ["rec_1", "rec_2", "rec_3", "rec_4"]
    assert lists["1"] == ["12", "13", "14", "15"]


def test_lines_of_different_lengths_are_lists(files: Files) -> None:
    _, lists = files.lists("1 11 14 15\n2 13\n3 11 12 18 17\n4 16 11 12\n5 11\n6 12 15\n", name="lists.txt")
    assert lists["3"] == ["11", "12", "18", "17"]


def test_the_rating_of_three_numbers_in_a_line_is_not_guessed_where_it_may_be_an_item(files: Files) -> None:
    found, lists = files.lists("1 11 14\n2 13 15\n3 11 12\n4 16 11\n5 11 17\n6 12 15\n", name="lists.txt")
    assert isinstance(found, Question) or lists["1"] == ["11", "14"]


def test_shown_items_are_not_the_truth(files: Files) -> None:
    rows = [(user, 11 + user, "|".join(map(str, range(11, 18)))) for user in range(1, 7)]
    reading, meant = files.test("user_id,reference,impressions\n" + lines(rows, ","))
    assert reading.columns["item"] == "reference"
    assert ("1", "12") in meant
    assert len(meant) == 6


def test_features_of_libsvm_are_no_users_and_items(files: Files) -> None:
    asked, test, _ = files.asked("2 qid:1 1:0.5 2:0.1\n0 qid:1 1:0.2 2:0.9\n1 qid:2 1:0.4 2:0.3\n", LISTS)
    assert asked.answer(test) is None


def test_the_first_row_of_text_ids_is_no_header(files: Files) -> None:
    reading, meant = files.test(lines(PLACES), lines([(*pair, n) for n, pair in enumerate(PLACES)]), "t.tsv")
    assert reading.header is False
    assert PLACES[0] in meant


@pytest.mark.parametrize("past", ["history", "past_items", "context_items", "seen"])
def test_a_history_is_not_the_truth(files: Files, past: str) -> None:
    rows = "".join(f'{{"user_id": {user}, "{past}": [11, 12], "target": {12 + user}}}\n' for user in range(1, 7))
    reading, meant = files.test(rows, name="t.jsonl")
    assert reading.columns["item"] == "target"
    assert ("1", "13") in meant
    assert past in reading.unread


def test_a_category_is_no_rating(files: Files) -> None:
    rows = [(user, item, 100 + item % 3) for user in range(1, 7) for item in (11, 13, 16)]
    reading, _ = files.test("user_id,item_id,category_id\n" + lines(rows, ","))
    assert "rating" not in reading.columns
    assert reading.unread == ("category_id",)


# 6. pandas with its index
def test_the_index_of_pandas_is_not_the_user(files: Files) -> None:
    rows = [(n, 1 + n // 5, 11 + n % 5, 5 - n % 5) for n in range(30)]
    reading, lists = files.lists(",0,1,2\n" + lines(rows, ","))
    assert [reading.columns[role] for role in ("user", "item", "score")] == ["0", "1", "2"]
    assert lists["6"] == ["11", "12", "13", "14", "15"]


# 7. A score where lower is better
@pytest.mark.parametrize("name", ["distance", "dist", "cosine_distance"])
def test_less_distance_is_better(files: Files, name: str) -> None:
    rows = [(user, 18 - n, round(0.1 + n * (user + 2) / 10, 1)) for n in range(5) for user in range(1, 7)]
    reading, lists = files.lists(f"user,item,{name}\n" + lines(rows, ","))
    assert reading.order == "ascending"
    assert lists["1"] == ["18", "17", "16", "15", "14"]


def test_numbers_that_fall_to_one_in_every_list_are_points(files: Files) -> None:
    rows = [(user, 11 + n, 5 - n) for user in range(1, 7) for n in range(5)]
    _, lists = files.lists(lines(rows), name="points.tsv")
    assert lists["1"] == ["11", "12", "13", "14", "15"]


# 9. IdSet written 318.0
def test_ids_with_decimals_of_pandas_are_asked_to_be_whole_numbers(files: Files) -> None:
    rows = [(user, f"{11 + n}.0", 9 - n) for user in range(1, 7) for n in range(5)]
    found, _ = files.lists("user,item,score\n" + lines(rows, ","))
    assert isinstance(found, Question)
    assert [reading.casts for reading in found.readings] == [("item",)]


# 10. Padding
@pytest.mark.parametrize("padding", ["-1", "0", ""])
def test_what_fills_up_lists_is_no_item(files: Files, padding: str) -> None:
    rows = [(user, *range(11, 12 + user % 4), *[padding] * (3 - user % 4)) for user in range(1, 7)]
    reading, lists = files.lists("user,rec_1,rec_2,rec_3,rec_4\n" + lines(rows, ","))
    assert reading.padding == ((padding,) if padding else ())
    assert lists["4"] == ["11"]


def test_zero_is_an_item_where_lists_end_with_other_items(files: Files) -> None:
    rows = [(user, 0, 11, 12) if user % 2 else (user, 13, 0, 11) for user in range(1, 7)]
    reading, lists = files.lists("user,rec_1,rec_2,rec_3\n" + lines(rows, ","))
    assert reading.padding == ()
    assert lists["1"] == ["0", "11", "12"]


# 11. Several models in one file, and nested paths
def test_a_column_of_models_makes_lists_of_each(files: Files) -> None:
    rows = [(model, user, 11 + (user + n) % 5, 9 - n) for model in ("als", "bpr") for user in range(1, 7) for n in range(4)]
    reading, _ = files.lists("Algorithm,user,item,score\n" + lines(rows, ","))
    assert reading.columns["model"] == "Algorithm"
    assert reading.models == ("als", "bpr")


def test_paths_of_nested_objects_name_columns(files: Files) -> None:
    rows = "".join(f'{{"input": {{"userId": "{user}"}}, "output": {{"recommendedItems": ["12", "1{user}"]}}}}\n' for user in range(3, 7))
    reading, lists = files.lists(rows, name="batch.jsonl")
    assert dict(reading.columns) == {"user": "input.userId", "item": "output.recommendedItems"}
    assert lists["3"] == ["12", "13"]
