"""The table of a result: its rows, marks and parts, and that nothing breaks its lines."""

from __future__ import annotations

import io
import re
import time

import pytest
import receval
from msgspec.structs import replace
from receval.documents import best_values
from receval.documents import screens as selections
from receval.render import screen
from receval.results.result import Row
from receval.stats.best import conclude_values
from rich.cells import cell_len

from tests.documents.crowds import METRICS, crowd, result_of

HOSTILE = (
    "[red]x[/red]", "[/]", "推荐系统的协同过滤模型第一版本", "مودل_عربي", "esc\x1b[31mred", "new\nline\ttab", "rlo\u202eabc", "a" * 500,
    f"{'a' * 250}b{'a' * 249}", "é|e\u0301", "users", "nDCG@10", "",
)  # fmt: skip


@pytest.fixture
def show(monkeypatch):
    """Return a function that gives the table in a pipe, or on a screen of this width."""

    def show(result, columns=None, encoding="utf-8", **options):
        if columns is None:
            monkeypatch.delenv("COLUMNS", raising=False)
        else:
            monkeypatch.setenv("COLUMNS", str(columns))
        return screen.show(selections.screen(result, **options), io.TextIOWrapper(io.BytesIO(), encoding=encoding))

    return show


def values(model, *pairs, better=True):
    return [Row(model, metric, 10, "mean", value, 100, better) for metric, value in pairs]


def two_models():
    return result_of([*values("als", ("nDCG", 0.25), ("Recall", 0.1)), *values("knn", ("nDCG", 0.2), ("Recall", 0.1))])


def first_column(text):
    return [line.split()[0] for line in text.splitlines() if line.startswith("  ") and line.strip()]


def test_models_are_rows_if_they_outnumber_measures_or_on_request(show):
    result = two_models()
    assert first_column(show(result)) == ["measure", "nDCG@10", "Recall@10"]
    assert first_column(show(result, models_as_rows=True)) == ["model", "als", "knn"]
    many = result_of([row for name in "abc" for row in values(name, ("nDCG", 0.25))])
    assert first_column(show(many)) == ["model", "a", "b", "c"]
    assert first_column(show(many, models_as_rows=False)) == ["measure", "nDCG@10"]


def test_a_table_is_transposed_if_only_that_fits_the_screen(show):
    result = result_of([row for index in range(4) for row in values(f"model_with_a_name_{index}", *((name, 0.1) for name in METRICS[:4]))])
    assert first_column(show(result))[0] == "measure"
    assert first_column(show(result, 85))[0] == "model"
    assert "…" not in show(result, 85)


def test_the_highest_printed_value_is_marked_as_not_tested(show):
    result = result_of([*values("a", ("nDCG", 0.20001)), *values("b", ("nDCG", 0.20002)), *values("c", ("nDCG", 0.1))])
    text = show(result)
    assert text.count("0.2000 ◃") == 2
    assert "◃ best value printed, not tested." in text
    assert "*" not in text
    assert "†" not in text
    alone = result_of([*values("a", ("nDCG", 0.20001)), *values("b", ("nDCG", 0.20002))])
    assert "◃" not in show(alone)
    lower = result_of([*values("a", ("RMSE", 0.9), better=False), *values("b", ("RMSE", 0.8), better=False)])
    assert "0.8000 ◃" in show(lower)


def test_values_not_clearly_different_from_the_best_are_marked_by_the_conclusion(show):
    values = {"als": [0.1, 0.4, 0.3, 0.2], "knn": [0.2, 0.1, 0.3, 0.2]}
    text = show(replace(two_models(), conclusions=conclude_values({"nDCG@10": values})))
    assert re.search(r"nDCG@10 ↑ +0\.2500 ◂ +0\.2000 ◂", text)
    assert "◂ best; several in a measure: not clearly different from the best (permutation test, Holm, 5 %)." in text


def test_closing_sentences_are_right_below_the_table(show):
    text = show(two_models(), closing=["als is better than knn."])
    assert text.index("Recall@10") < text.index("als is better than knn.\n\n") < text.index("◃ best")


def with_interval():
    rows = [row for model, value in (("als", 0.24), ("knn", 0.2)) for row in values(model, ("nDCG", value))]
    return result_of([*rows, *(Row(model, "nDCG", 10, "ci95", 0.007, 100, None) for model in ("als", "knn"))])


def test_an_interval_is_in_the_cell_of_its_mean_if_it_fits(show):
    text = show(with_interval(), digits=3)
    assert "0.240 ± 0.007 ◃" in text
    assert "ci95" not in text
    assert "± half-width of the 95 % confidence interval of the mean." in " ".join(text.split())
    narrow = show(with_interval(), 40, models_as_rows=False)
    assert re.search(r"\(ci95\) +0\.0070 +0\.0070", narrow)
    assert "half the width" not in narrow


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
def test_no_name_breaks_a_line_or_becomes_markup(columns, show):
    rows = [row for name in HOSTILE for row in values(name, ("nDCG", 0.25), ("Recall", 0.123), ("MAP", 0.1))]
    text = show(result_of(rows), columns)
    assert max(map(cell_len, text.splitlines())) <= columns
    assert not set(text) & set("\x1b\t\u202e")
    for shown in ("[red]x[/red]", "[/]", "مودل_عربي", r"rlo\u202eabc", r"new\nline\ttab"):
        assert f"  {shown} " in text, shown


def test_decimal_points_are_aligned_also_in_marked_cells(show):
    rows = [row for model in "ab" for row in values(model, ("nDCG", 0.25 if model == "a" else 0.2), ("Hits", 1234.0), ("MRR", 0.00012))]
    lines = [line for line in show(result_of(rows)).splitlines() if "10 ↑" in line]
    columns = [[match.start() for match in re.finditer(r"\.", line)] for line in lines if "Hits" not in line]
    assert columns[0] == columns[1]
    (hits,) = (line for line in lines if "Hits" in line)
    assert [match.end() for match in re.finditer("1,234", hits)] == columns[0]


def test_names_that_are_equal_when_cut_are_numbered(show):
    rows = [row for name in HOSTILE for row in values(name, ("nDCG", 0.25))]
    names = first_column(show(result_of(rows), 60))
    assert len(set(names)) == len(names)
    assert any(name.endswith("#2") for name in names)


def test_characters_that_an_output_cannot_encode_are_replaced(show):
    rows = [row for name in HOSTILE for row in values(name, ("nDCG", 0.25), ("MAP", 0.1))]
    text = show(result_of([*rows, *values("best", ("nDCG", 0.5), ("MAP", 0.6))]), 80, encoding="ascii")
    assert text.isascii()
    assert "0.5000 ?" in text
    assert "? best value printed" in text


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_thirty_models_and_forty_measures_are_split_into_tables_that_fit(columns, show):
    result = crowd()
    start = time.monotonic()
    text = show(result, columns)
    assert time.monotonic() - start < 5
    lines = text.splitlines()
    assert max(map(cell_len, lines)) <= columns
    heads = [line for line in lines if line.startswith("  model ")]
    assert sum(head.count("@") for head in heads) == 40
    assert sum(line.startswith("  als_") for line in lines) == 30 * len(heads)
    assert f"{len(heads)} tables fit {columns} columns; --columns" in text
    counts = [head.count("@") for head in heads[:-1]]
    assert max(counts) - min(counts) <= max(counts) // 2


def test_labels_are_sorted_by_metric_and_cutoff():
    ordered = ["Gini", "Gini@5", "Gini@10", "Gini@20", "Hits@2"]
    assert best_values._in_order([ordered[2], ordered[4], ordered[0], ordered[3], ordered[1]]) == ordered


def test_without_a_train_file_there_is_no_column_of_warm_users(show):
    result = receval.evaluate(test={1: [1], 2: [2]}, recommendations={1: [1]}, metrics="nDCG@1", health=False)
    text = show(result, verbose=True)
    assert "Values (and numbers of users) over users with a list (covered), if these are not all:" in text
    assert "warm" not in text
