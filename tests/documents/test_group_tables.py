"""Combinations of two groupings as cross tables: on a screen, in Markdown, on a page and in LaTeX."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace
from receval.documents import paper
from receval.documents import screens as selections
from receval.documents.document import Heading, Paragraph, Table
from receval.documents.group_tables import Cross, groups
from receval.documents.values import models_of
from receval.render import latex, markdown, screen
from receval.results.result import Row
from rich.cells import cell_len

from tests.documents.crowds import result_of

BY = "users.plan*rows.event"
CELLS = {"free*click": (0.25, 300), "free*order": (0.5, 99), "paid*order": (0.125, 150)}
"""Combination → the value of the first model and the number of users; paid users have no click."""


def crossed(models=("als", "knn"), metrics=("nDCG", "Recall"), cells=CELLS, by=BY, **more):
    """Return a result with values of combinations; each further model has a value that is 0.001 larger."""
    rows = [Row(model, metric, 10, "mean", 0.3, 400) for model in models for metric in metrics]
    split = [
        Row(model, metric, 10, "mean", value + place / 1000, users, by=by, group=group, **more)
        for group, (value, users) in cells.items()
        for place, model in enumerate(models)
        for metric in metrics
    ]
    return replace(result_of(rows, 400), by_group=tuple(split))


def texts(table):
    """Return the head of a table and its rows, as texts."""
    shown = [[" ".join(filter(None, (cell.text, cell.note))) for cell in row] for row in table.rows]
    return [[column.title for column in table.columns], *shown]


def on_screen(result, columns, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    return screen.show(selections.screen(result), io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))


def test_a_combination_has_a_table_of_users_and_one_for_each_measure():
    blocks = groups(models_of(crossed()))
    assert [block.text for block in blocks if isinstance(block, Heading)] == [f"By {BY}", "users", "nDCG@10", "Recall@10"]
    users, ndcg, _ = (block for block in blocks if isinstance(block, Table))
    assert texts(users) == [["users.plan", "click", "order"], ["free", "300", "99 (few)"], ["paid", "0", "150"]]
    assert texts(ndcg) == [
        ["users.plan", "model", "click", "order"],
        ["free", "als", "0.2500", "0.5000 (few)"],
        ["free", "knn", "0.2510", "0.5010 (few)"],
        ["paid", "als", "", "0.1250"],
        ["paid", "knn", "", "0.1260"],
    ]
    assert blocks[-1] == Paragraph("few: fewer than 100 users, whose values are very uncertain.")


def test_the_data_of_a_page_have_every_value_of_a_combination_once():
    tables = [block for block in groups(models_of(crossed())) if isinstance(block, Table)]
    assert [bool(table.data) for table in tables] == [True, False, False]
    assert len(tables[0].data) == len(CELLS) * 4


def test_a_value_over_other_users_shows_their_number():
    result = crossed(models=("als",))
    rows = [replace(row, n_users=98) if row.metric == "Recall" and row.group == "free*order" else row for row in result.by_group]
    tables = [block for block in groups(models_of(replace(result, by_group=tuple(rows)))) if isinstance(block, Table)]
    assert texts(tables[2])[1] == ["free", "als", "0.2500", "0.5000 (98, few)"]


def test_groups_keep_their_order_although_the_first_row_lacks_some():
    cells = ["a*2", "a*(missing)", "b*1", "b*2", "b*3", "c*1", "c*(missing)"]
    assert Cross.from_groups("x*y", cells).across == ("1", "2", "3", "(missing)")


@pytest.mark.parametrize(("by", "group"), [("x", "a"), ("x*y*z", "a*b*c"), ("x*y", "a*b*c")])
def test_what_is_not_a_combination_of_two_known_groups_is_no_cross_table(by, group):
    assert Cross.from_groups(by, [group]) is None
    blocks = groups(models_of(crossed(by=by, cells={group: (0.25, 100)})))
    assert [texts(block)[0] for block in blocks if isinstance(block, Table)] == [[by, "users", "model", "nDCG@10", "Recall@10"]]


def test_groups_without_any_user_are_named_and_empty_combinations_are_not():
    result = crossed(cells={**CELLS, "paid*click": (0.0, 0), "free*view": (0.0, 0), "paid*view": (0.0, 0)})
    rows = tuple(row if row.n_users else replace(row, value=None) for row in result.by_group)
    blocks = groups(models_of(replace(result, by_group=rows)))
    assert next(block.text for block in blocks if isinstance(block, Paragraph)) == "No user counts in group view."


@pytest.mark.parametrize("columns", [60, 80, 120, 200])
def test_a_cross_table_fits_the_screen(columns, monkeypatch):
    months = [f"2024-{month:02}" for month in range(1, 13)]
    cells = {f"{plan}*{month}": (0.1, 90 + 2 * place) for plan in ("free", "paid", "trial") for place, month in enumerate(months)}
    text = on_screen(crossed(cells=cells, by="users.plan*rows.timestamp"), columns, monkeypatch)
    assert max(map(cell_len, text.splitlines())) <= columns
    wide = [line.split() for line in text.splitlines() if line.split()[:1] == ["users.plan"]]
    assert wide[1] == (["users.plan", "model", *months] if columns == 200 else ["users.plan", "rows.timestamp", "als", "knn"])
    assert "…" not in text


def test_markdown_has_cross_tables_and_names_are_no_markup():
    text = markdown.as_markdown(selections.markdown(crossed(cells={"a|b*<i>": (0.25, 300)})))
    assert "### nDCG@10\n\n| users.plan | model | \\<i\\> |\n|---|---|---:|\n| a\\|b | als | 0.2500 |" in text


def test_latex_has_a_table_for_each_measure_with_the_users_below_the_models():
    first, second = list(paper.result_tables(crossed()))[1:]
    assert (first.caption, second.caption) == ("nDCG@10 ↑ by users.plan and rows.event.", "Recall@10 ↑ by users.plan and rows.event.")
    assert [[cell.text for cell in row] for row in first.rows] == [
        ["als", "0.2500", "0.5000"],
        ["knn", "0.2510", "0.5010"],
        ["users", "300", "99"],
        ["als", "", "0.1250"],
        ["knn", "", "0.1260"],
        ["users", "0", "150"],
    ]
    assert first.rules == {0: "free", 3: "paid"}
    assert first.notes == ("* fewer than 100 users, whose values are very uncertain.",)
    assert r"\multicolumn{2}{c}{rows.event}" in latex.as_latex(paper.result_tables(crossed()))
