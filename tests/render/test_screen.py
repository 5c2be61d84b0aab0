"""A document on a screen: tables fit, in parts if necessary, and report shortened names."""

from __future__ import annotations

import re
from io import StringIO

import pytest
from receval.documents.document import Alert, Cell, Column, Document, Heading, Interval, Paragraph, Points, Sentences, Table, text_columns
from receval.render.layout import with_pictures
from receval.render.screen import show
from receval.render.terminal import Screen


class Pipe(StringIO):
    """A pipe that accepts any character."""

    encoding = "utf-8"


def on_screen(document: Document, monkeypatch: pytest.MonkeyPatch, width: int | None = None) -> str:
    """Return the document in so many columns."""
    monkeypatch.setenv("COLUMNS", "" if width is None else str(width))
    return show(document, Pipe())


def values(n_models: int, name: str = "model", **fields: object) -> Table:
    """Return a table of two measures of some models."""
    columns = (Column("measure", "name"), *(Column(f"{name}{n}", "value") for n in range(n_models)))
    rows = (
        (Cell("nDCG@10", direction=True), *(Cell("0.5", mark="best" if n == 0 else "") for n in range(n_models))),
        (Cell("coverage"), *(Cell("12.25") for _ in range(n_models))),
        (Cell("users"), *(Cell("1,000") for _ in range(n_models))),
    )
    return Table(columns, rows, apart=1, **fields)  # type: ignore[arg-type]


def test_values_are_aligned_and_marked_and_the_last_row_is_separated(monkeypatch):
    assert on_screen((values(2),), monkeypatch).splitlines() == [
        "  measure      model0   model1",
        " ──────────────────────────────",
        "  nDCG@10 ↑    0.5  ◂     0.5",
        "  coverage    12.25      12.25",
        "",
        "  users       1,000      1,000",
    ]


def test_a_table_that_does_not_fit_is_split_evenly_and_repeats_row_names(monkeypatch):
    lines = on_screen((values(10),), monkeypatch, 60).splitlines()
    heads = [line for line in lines if "measure" in line]
    assert [line.count("model") for line in heads] == [5, 5]
    assert max(map(len, lines)) <= 60


def test_a_table_is_split_before_names_of_measures_are_cut_much(monkeypatch):
    labels = [f"MAP(convention=elliot)@{k}{aggregate}" for k in (3, 5) for aggregate in ("", " (ci95)")]
    columns = (Column("plan", "name"), Column("users", "key"), Column("model", "name"), *(Column(label, "value") for label in labels))
    table = Table.from_texts(columns, [("free", "0 (few)", "base", "", "", "", ""), ("paid", "120", "base", "0.3", "0.1", "0.4", "0.2")])
    text = on_screen((table,), monkeypatch, 120)
    heads = [line.split()[3:] for line in text.splitlines() if "plan" in line]
    assert heads == [[f"MAP(convention=elliot)@{k}", f"MAP(convention=elliot…{k}", "(ci95)"] for k in (3, 5)]
    assert text.count("free") == 2
    assert text.count("paid") == 2


def test_a_table_in_parts_breaks_between_the_columns_of_groups(monkeypatch):
    models = ("ease", "knn", "svd")
    columns = (Column("measure", "name"), *(Column(model, "value", group=group) for group in ("0-39", "40+") for model in models))
    table = Table.from_texts(columns, [("nDCG@10", *["0.1234"] * 6)])

    def heads(width):
        lines = on_screen((table,), monkeypatch, width).splitlines()
        return [line.split()[1:] for line in lines if "measure" in line]

    assert heads(64) == [[word for model in models for word in (group, model)] for group in ("0-39", "40+")]
    assert len(heads(30)) > 2  # a group alone is too wide


def test_dropped_columns_are_named(monkeypatch):
    columns = (Column("measure", "key"), Column("base", "value", yields=2), Column("Δ", "difference"), Column("verdict", "verdict"))
    table = Table.from_texts(columns, [("nDCG@10", "0.1234567", "+0.01", "better")])
    assert on_screen((table,), monkeypatch, 37).splitlines()[0].split() == ["measure", "base", "Δ", "verdict"]
    head, *lines = on_screen((table,), monkeypatch, 36).splitlines()
    assert head.split() == ["measure", "Δ", "verdict"]
    note = "not shown at this width: base; to see all, widen the window to 37 columns, set COLUMNS=37, or use --format md"
    assert " ".join(" ".join(lines).split()).endswith(note)


def test_a_table_is_transposed_if_it_then_fits(monkeypatch):
    table = values(5, "a_long_name_", turns=True, corner="model")
    assert on_screen((table,), monkeypatch).startswith("  model")
    assert on_screen((values(2, turns=True, corner="model"),), monkeypatch).startswith("  measure")
    assert max(map(len, on_screen((table,), monkeypatch, 60).splitlines())) <= 60


def test_a_table_that_does_not_fit_is_replaced_by_its_narrow_form_with_its_own_notes(monkeypatch):
    wide = values(3, notes=("wide",), narrow=values(2, notes=("narrow",)))
    below = Sentences(("below",), if_cut="names are cut")
    assert on_screen((wide, below), monkeypatch, 80).splitlines()[-2:] == ["wide", "below"]
    assert on_screen((wide, below), monkeypatch, 40).splitlines()[-2:] == ["narrow", "below"]


def test_shortened_names_have_a_note_below(monkeypatch):
    table = values(2, "a_name_that_is_much_longer_than_there_is_room_")
    below = Sentences(("below",), if_cut="names are cut", if_many="{n} tables fit {width} columns")
    assert on_screen((table, below), monkeypatch, 60).splitlines()[-2:] == ["names are cut", "below"]
    assert on_screen((values(40), below), monkeypatch, 40).splitlines()[-2].endswith("tables fit 40 columns")
    assert on_screen((table, below), monkeypatch).splitlines()[-1] == "below"


def test_a_last_column_of_text_without_room_is_a_separate_part(monkeypatch):
    columns = (Column("name", "code"), Column("value", "code"), Column("meaning", wraps=True))
    table = Table.from_texts(columns, [("a" * 20, "b" * 20, "some words " * 8)])
    assert len([line for line in on_screen((table,), monkeypatch, 100).splitlines() if "name" in line]) == 1
    assert len([line for line in on_screen((table,), monkeypatch, 50).splitlines() if "name" in line]) == 2


def test_intervals_are_drawn_to_one_scale_if_a_terminal_has_room(monkeypatch):
    columns = (Column("measure", "key"), Column("interval", "interval"), Column("verdict", "verdict"))
    found = (Interval(0.5, 0.0, 1.0), Interval(-0.25, -0.5, 0.0, margin=0.25))
    table = Table(columns, tuple((Cell("x"), Cell("low to high", drawn=interval), Cell("better")) for interval in found))
    drawn = with_pictures(table, Screen(56, True, "utf-8", None))
    assert [row[2].text.replace("\u00a0", " ") for row in drawn.rows] == ["        ├───●───┤", "    ├─●─┤░░      "]
    for width, is_terminal in ((45, True), (None, True), (56, False)):
        assert len(with_pictures(table, Screen(width, is_terminal, "utf-8", None)).columns) == 3


def test_alerts_are_grouped_and_show_as_many_examples_as_fit(monkeypatch):
    alerts = [Alert("warn", f"warning X0{n}", "found", ("user 1234567890",) * 5, ("detail",), "do this") for n in (1, 2)]
    lines = on_screen((*alerts, Paragraph("text")), monkeypatch, 60).splitlines()
    assert lines[:4] == ["warning X01  found", "  for example: user 1234567890; user 1234567890", "  detail", "  do this"]
    assert lines[4:] == ["warning X02  found", *lines[1:4], "", "text"]


def test_there_is_one_empty_line_between_blocks(monkeypatch):
    text = on_screen((Heading("Title"), values(2), values(2), Paragraph("text")), monkeypatch)
    assert "\n\n\n" not in text
    assert not text.startswith("\n")
    assert text.endswith("text\n")


def test_a_number_and_its_percent_sign_stay_on_one_line(monkeypatch):
    rule = "nDCG@10 loses at most 2 %"
    gates = Table(
        (Column("rule", wraps=True), Column("why", wraps=True)), ((Cell(rule), Cell("loss exceeds the limit of 2 %")),), bare=True
    )
    for width in range(30, 60):
        text = on_screen((gates, Points((f"{rule} and 95 % of all",)), Paragraph(f"{rule}, {rule}")), monkeypatch, width)
        assert text.split().count("2") == text.count("2 %") == 5
        assert "95 %" in text


def test_a_table_of_texts_that_does_not_fit_is_split_and_repeats_its_first_column(monkeypatch):
    texts = Table.from_texts(text_columns("rank", "item", "discount", "term"), [("1", "dune", "1", "0.5"), ("2", "brazil", "", "")])
    shown = on_screen((texts,), monkeypatch, 24)
    assert max(map(len, shown.splitlines())) <= 24
    assert shown.count("rank") == 3
    assert shown.count("dune") == shown.count("term") == 1


def test_a_table_without_some_columns_has_its_caption(monkeypatch):
    columns = (Column("measure", "key"), Column("knn", "value", yields=1), Column("difference", "difference"))
    table = Table(columns, ((Cell("nDCG@10"), Cell("0.1234"), Cell("+0.0123")),), caption="new against knn")
    assert "new against knn" in on_screen((table,), monkeypatch, 28)
    assert "new against knn" not in on_screen((table,), monkeypatch, 80)


def test_a_number_and_its_percent_sign_are_on_one_line_of_a_list(monkeypatch):
    for width in range(24, 60):
        shown = on_screen((Points(("400 users can detect 0.041 in nDCG@10 with 80 % power.",)),), monkeypatch, width)
        assert "80 %" in shown


def test_no_line_of_a_cell_begins_with_a_percent_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = (Column("outcome", "verdict"), *(Column(title, "name", wraps=True) for title in ("rule", "found", "why")))
    cells = (
        "FAIL",
        "nDCG@10 loses at most 2 %",
        "+52 %, at worst +100.5 %",
        "to plan: 350 users are enough for a limit of 2.8 %; 2 % needs about 674",
    )
    table = Table(columns, (tuple(map(Cell, cells)),), "gates", "gates", bare=True)
    for width in range(20, 121):
        assert not re.search(r"(?m)(^|\s\s)%", on_screen((table,), monkeypatch, width)), width
