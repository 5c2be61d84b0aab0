"""Documents as pages: every kind of block has its form, text is escaped, and charts of one measure share a scale."""

from __future__ import annotations

import json
import re
from typing import get_args

import pytest
from msgspec.structs import replace
from receval.documents.basic_charts import missing_text
from receval.documents.document import (
    Alert,
    Bars,
    Block,
    Cell,
    Code,
    Column,
    Equation,
    Figure,
    Heading,
    Interval,
    Links,
    Panel,
    Paragraph,
    Points,
    Section,
    Sentences,
    Status,
    Table,
    Terms,
)
from receval.render.html import as_html

from tests.render.report.test_page import Reader

ACTING = "<script>alert(1)</script>\x1b[31m\u202e&amp;\"'"
SPEC = {"description": ACTING, "config": {}, "data": {"values": [{"x": 1}]}, "mark": "point", "encoding": {}}
TEXTS = (ACTING,)
BLOCKS = (
    *(Heading(ACTING, 2), Paragraph(ACTING), Points(TEXTS), Status((("bad", ACTING),)), Sentences(TEXTS)),
    *(Alert("warn", ACTING, ACTING, TEXTS, TEXTS, ACTING), Terms(((ACTING, ACTING),), ACTING), Code(ACTING), Equation(TEXTS)),
    *(Links(ACTING, TEXTS), Bars(ACTING, ((ACTING, 3),)), Figure("chart", ACTING, SPEC)),
    Table((Column(ACTING, "key"), Column(ACTING)), ((Cell(ACTING), Cell(ACTING, ACTING, "best", ACTING)),), ACTING, ACTING, notes=TEXTS),
    Section("folded", ACTING, (Paragraph(ACTING),), folded=True),
)
"""A block of each kind, each with texts that are dangerous unless escaped."""


@pytest.fixture(autouse=True)
def drawn(monkeypatch):
    """Draw charts even if the extra is not installed."""
    monkeypatch.setattr("receval.render.html.can_draw", lambda: True)
    monkeypatch.setattr("receval.render.html.as_svg", lambda spec: "<svg></svg>")


def rows(text):
    return re.findall(r"<tr>(.*?)</tr>", text)


def lines(*numbers):
    return tuple((Cell(f"m{place}"), Cell(text)) for place, text in enumerate(numbers))


def whiskers(row):
    """Return the positions of the dots of a row, from the left."""
    return [int(x) for x in re.findall(r'<use href="#m-dot" x="(\d+)"/>', row)]


def table(**more):
    """Return a table of three measures with values of different sizes, for two models."""
    cells = [[0.1, 0.2], [10.0, 20.0], [3.0, 3.5]]
    lines = [
        (Cell(f"m{n}", direction=True), *(Cell(f"{number:g}", drawn=Interval(number, number, number)) for number in row))
        for n, row in enumerate(cells)
    ]
    return Table((Column("measure", "key"), Column("a", "value"), Column("b", "value")), tuple(lines), "Values", "values", **more)


def test_these_tests_have_a_block_of_each_kind():
    assert {type(block) for block in BLOCKS} | {Heading} == set(get_args(Block))


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: type(block).__name__)
def test_every_block_is_on_the_page_with_escaped_text(block):
    text = as_html((Heading(ACTING), Section("one", ACTING, (block,))))
    plain = as_html((Heading(ACTING), Section("one", ACTING)))
    reader = Reader(text)
    assert reader.open == []
    assert len(reader.elements) > len(Reader(plain).elements)
    assert "<script>alert" not in text
    assert not re.search("[\x1b\u202e]", text)
    assert "".join(reader.texts).count("<script>alert(1)</script>␛[31m�&amp;\"'") > "".join(Reader(plain).texts).count("alert")


def test_title_and_introduction_are_above_the_links_to_sections():
    text = as_html(
        (Heading("Models"), Status((("good", "All is well."),)), Section("a", "First", (Paragraph("x"),)), Section("b", "Second"))
    )
    order = ["<title>Models", "<h1><bdi>Models", "✔ All is well.", '<a href="#a">First', '<a href="#b">Second', "<main>", '<section id="a"']
    assert sorted(order, key=text.index) == order


def test_a_document_without_sections_is_a_page_too():
    text = as_html((Heading("Models"), Paragraph("Nothing more.")))
    assert "<nav" not in text
    assert "<p>Nothing more.</p>" in text


def test_a_table_that_can_be_transposed_has_more_rows_than_columns():
    few = Table(
        (Column("measure", "key"), *(Column(name, "value") for name in "abc")),
        ((Cell("m"), *map(Cell, "123")), (Cell("users"), *map(Cell, "456"))),
    )
    assert rows(as_html((few,)))[0].count("<th") == 4
    turning = Table(few.columns, few.rows, apart=1, turns=True, corner="model")
    assert [re.sub("<[^>]*>", " ", row).split() for row in rows(as_html((turning,)))] == [
        ["model", "m", "users"],
        *(["a", "1", "4"], ["b", "2", "5"], ["c", "3", "6"]),
    ]


def test_intervals_of_one_measure_share_a_scale_in_rows_and_in_columns():
    by_measure = [whiskers(row) for row in rows(as_html((table(turns=True),)))[1:]]
    by_model = [whiskers(row) for row in rows(as_html((table(turns=True).transposed(),)))[1:]]
    assert by_measure == [list(pair) for pair in zip(*by_model, strict=True)]
    assert by_measure == [[4, 92]] * 3


def test_a_difference_is_drawn_around_0_with_its_verdict():
    cell = Cell("+0.1 to +0.3", drawn=Interval(0.2, 0.1, 0.3, 0.05, mark="better"))
    (row,) = rows(as_html((Table((Column("measure", "key"), Column("interval", "interval")), ((Cell("m"), cell),)),)))[1:]
    assert '<td class="l"><span class="n w12">+0.1 to +0.3</span> <svg' in row
    assert re.findall(r'href="#m-(\w+)"', row) == ["zero", "better"]
    assert 'opacity=".25"' in row


def test_cells_show_their_mark_by_sign_weight_or_class():
    cells = (Cell("better", mark="better"), Cell("0.5", mark="best"), Cell("0.4", "0.1", "untested", "a"), Cell("FAIL", mark="fail"))
    columns = (Column("m", "key"), Column("", "verdict"), Column("", "value"), Column("", "value"), Column("", "text"))
    (row,) = rows(as_html((Table(columns, ((Cell("m", direction=False), *cells),)),)))[1:]
    assert row == (
        '<th scope="row">m\u00a0↓</th><td class="t better">●\u00a0better</td><td><b>0.5</b></td>'
        '<td class="l"><span class="n w3">0.4</span>\u00a0<small class="n l w3">a ◃</small>\u00a0<small class="n w4">±0.1</small></td>'
        '<td class="t fail">FAIL</td>'
    )


def test_decimal_points_of_a_column_are_aligned():
    column = (Column("measure", "key"), Column("a", "value"))
    numbers = [re.findall(r"<td>(.*?)</td>", row)[0] for row in rows(as_html((Table(column, lines("0.123", "7", "0.5"), ""),)))[1:]]
    assert numbers == ["0.123", '<span class="p4">7</span>', '<span class="p2">0.5</span>']


def test_a_number_with_an_interval_is_aligned_with_its_heading():
    cells = ((Cell("a"), Cell("0.25", "0.01")), (Cell("b"), Cell("300")), (Cell("users"), Cell("40")))
    text = as_html((Table((Column("measure", "key"), Column("model", "value")), cells, apart=1),))
    assert '<th scope="col" class="l">model</th>' in text
    assert re.findall(r'<span class="(n w6[^"]*)">', text) == ["n w6", "n w6 p3", "n w6 p3"]


def test_a_value_far_from_the_others_is_outside_of_their_scale_and_does_not_squeeze_them():
    cells = [Cell(f"{number:g}", drawn=Interval(number, number - 0.01, number + 0.01)) for number in (0.01, 0.4, 0.45)]
    made = as_html((Table((Column("model", "key"), Column("a", "value")), tuple((Cell("m"), cell) for cell in cells)),))
    assert [re.findall(r'href="#m-(\w+)"', row) for row in rows(made)[1:]] == [["left"], ["dot"], ["dot"]]
    assert [whiskers(row) for row in rows(made)[1:]] == [[], [17], [79]]


def test_the_style_has_a_rule_for_every_column_width_and_numbers_never_break():
    style = as_html((Heading("x"),)).partition("<style>")[2].partition("</style>")[0]
    assert {int(n) for n in re.findall(r"\.w(\d+) ", style)} == set(range(1, 25))
    assert {int(n) for n in re.findall(r"\.p(\d+) ", style)} == set(range(1, 13))
    assert "td { white-space: nowrap }" in style


def test_a_chart_has_a_second_picture_for_narrow_pages():
    text = as_html((Figure("chart", "caption", SPEC, SPEC),))
    assert re.findall(r'<div class="chart (\w+)"', text) == ["broad", "slim"]


def test_groups_of_columns_have_a_name_and_groups_of_rows_a_heading():
    columns = (Column("model", "key"), Column("nDCG", "value", True, group="users"))
    heads, _, rule, second = rows(as_html((Table(columns, ((Cell("a"), Cell("1")), (Cell("b"), Cell("2"))), rules={0: "", 1: "others"}),)))
    assert "users nDCG\u00a0↑" in heads
    assert (rule, "b" in second) == ('<th scope="rowgroup" colspan="2">others</th>', True)


def test_a_table_without_an_id_has_its_caption_as_its_name_and_no_empty_id():
    text = as_html((Table((Column("a", "key"),), ((Cell("1"),),), "Alone"),))
    assert '<div class="wide" role="group" aria-label="Alone" tabindex="0">\n<table>\n<caption>Alone</caption>' in text


def test_the_json_of_the_page_has_all_tables_with_data_also_in_folds():
    data = {"columns_of_data": ("x",), "data": [[1.5]], "about": {"model": "</script>"}}
    folded = Section("", "more", (table(**data),), folded=True)
    text = as_html((Section("s", "S", (Table((Column("x"),), (), "none", "none"), folded)),))
    stored = re.search(r'id="receval-data">(.*?)</script>', text)[1]
    assert json.loads(stored) == {"values": {"model": "</script>", "columns": ["x"], "rows": [[1.5]]}}


def test_without_the_extra_one_sentence_at_the_end_of_the_first_section_names_all_missing_charts(monkeypatch):
    monkeypatch.setattr("receval.render.html.can_draw", lambda: False)
    chart = Figure("over-k-chart", "not drawn", SPEC)
    basic = Figure("basic", "basic", SPEC, panels=(Panel("nDCG", (("<a>", Cell("0.5", drawn=Interval(0.5, 0.4, 0.6))),)),))
    first, others = Section("both", "Both", (chart, Paragraph("text"))), (chart, replace(chart, id="groups-chart"))
    text = as_html((Heading("x"), basic, first, Section("alone", "Alone", others)))
    assert ("alone" in text.lower(), "not drawn" in text, "<p>text</p>" in text) == (False, False, True)
    assert text.count(f"<p>{missing_text(['over-k-chart', 'over-k-chart', 'groups-chart'])}</p>\n</section>") == text.count("missing") == 1
    assert ("<desc>nDCG: &lt;a&gt; 0.5.</desc>" in text, text.count('<figure id="basic"')) == (True, 1)
    assert "missing" not in as_html((Heading("x"), Paragraph("text"), basic))
