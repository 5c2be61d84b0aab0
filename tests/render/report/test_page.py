"""The page as text: its contents, their order, and that no name is interpreted."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import pytest
from receval.config.run_sections import ReportConfig
from receval.render import drawing
from receval.stats.concluding import with_sign
from receval.syntax.short_names import Margin

from tests.reports import HOSTILE, as_html, evaluated, gate, reported

VOID = {"meta", "path", "circle", "use", "line", "rect"}


class Reader(HTMLParser):
    """The elements of a page with their attributes, the texts of cells and headings, and the elements that are still open."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "script" not in self.open and "style" not in self.open:
            self.texts.append(data)

    def named(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def html(content):
    return as_html(content).decode()


def data(html):
    return json.loads(re.search(r'<script type="application/json" id="receval-data">(.*?)</script>', html)[1])


def test_the_sections_are_in_order_of_importance(html):
    sections = re.findall(r'<section id="([\w-]+)"', html)
    assert sections == ["values", "differences", "over-k", "distribution", "trade-off", "groups", "findings", "ledger-1", "done"]
    assert html.index('class="verdict"') < html.index("<section")


def test_a_gate_has_its_observed_value_and_its_reason(result):
    html = as_html(reported(result, gates=[gate("fail", found="0.4, at worst 0.3", remark="worse by more"), gate("skipped")])).decode()
    rows = re.findall(r"<tr>.*?</tr>", html[html.index('<section id="gates"') :], re.DOTALL)
    assert ("0.4, at worst 0.3" in rows[1], "worse by more" in rows[1], "It is fail." in rows[1]) == (True, True, False)
    assert "It is skipped." in rows[2]


def test_a_failed_gate_is_the_first_message(result):
    html = as_html(reported(result, gates=[gate("fail"), gate("pass"), gate("inconclusive")])).decode()
    first = re.search(r'<div class="verdict">\s*<p class="(\w+)">(.*?)</p>', html)
    assert first.groups() == ("bad", "✖ 1 of 3 gates failed, 1 is inconclusive.")
    assert html.index('<section id="gates"') < html.index('<section id="findings"')


@pytest.mark.parametrize(
    ("outcomes", "message"),
    [
        (["pass"], ("good", "✔ 1 gate passed.")),
        (["pass", "pass"], ("good", "✔ Both gates passed.")),
        (["pass", "inconclusive"], ("doubtful", "▲ 1 of 2 gates is inconclusive.")),
        (["pass", "skipped"], ("doubtful", "▲ 1 of 2 gates was not judged.")),
    ],
)
def test_gates_that_did_not_fail_have_their_outcome_in_the_first_message(outcomes, message, result):
    html = as_html(reported(result, gates=[gate(outcome) for outcome in outcomes])).decode()
    assert re.search(r'<div class="verdict">\s*<p class="(\w+)">(.*?)</p>', html).groups() == message


def test_every_element_is_closed_and_every_heading_cell_has_a_scope(html):
    reader = Reader(html)
    assert reader.open == []
    assert reader.named("html") == [{"lang": "en"}]
    assert {attributes.get("scope") for attributes in reader.named("th")} == {"col", "row"}
    assert len(reader.named("caption")) == len(reader.named("table")) > 5


def test_ids_are_unique_and_links_point_to_them(html):
    elements = Reader(html).elements
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    links = {attributes["href"] for _, attributes in elements if "href" in attributes}
    assert len(ids) == len(set(ids))
    assert links
    assert {link[1:] for link in links} <= set(ids)


def test_the_page_requests_nothing_and_has_no_inline_styles(html):
    elements = Reader(html).elements
    assert not [attributes for _, attributes in elements if {"src", "style", "onclick"} & attributes.keys()]
    assert {tag for tag, _ in elements} & {"link", "img", "iframe", "object", "base", "form"} == set()
    assert "url(" not in html
    assert "@import" not in html


def test_the_same_result_gives_the_same_bytes(content, result):
    assert as_html(content) == as_html(reported(result, baseline="popular"))


def test_values_and_differences_are_in_the_page_in_full_precision(html, content, result):
    tables = data(html)
    of_model = {(model, measure): value for model, measure, value, *_ in tables["values-table"]["rows"]}
    assert of_model == {(row.model, row.label): row.value for row in result.rows}
    for table in (table for name, table in tables.items() if re.fullmatch(r"differences-\d", name)):
        rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
        for difference in (row for row in content.comparison.differences if row.subject.model == table["model"]):
            (row,) = (row for row in rows if row["measure"] == difference.subject.measure)
            assert (row["difference"], row["low"], row["high"], row["verdict"]) == (
                difference.difference,
                difference.low,
                difference.high,
                difference.verdict,
            )


def test_half_the_width_of_an_interval_comes_from_students_t(content):
    from scipy import stats

    (point,) = (found for found in content.points if found.name == "good" and found.label == "Recall@3")
    values = content.results["result"].per_user["good"]["Recall@3"].to_numpy()
    low, high = stats.t.interval(0.95, len(values) - 1, loc=values.mean(), scale=stats.sem(values))
    assert (point.low, point.high) == pytest.approx((low, high))


def test_user_ids_are_on_the_page_only_if_users_who_lose_are_requested(content, result):
    assert "person-" not in as_html(content).decode()
    assert "person-" in as_html(reported(result, baseline="better", losers=2)).decode()


def test_no_name_is_interpreted_as_html(hostile):
    text = as_html(hostile).decode()
    reader = Reader(text)
    assert [attributes.get("type") for attributes in reader.named("script")] == ["application/json", None]
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", text)
    message = "".join(reader.texts)
    assert "<script>alert(1)</script>" in message
    assert "esc␛[31m" in message
    assert "x" * 500 in message
    assert "{{ 7*7 }}" in message


def test_the_json_of_the_page_has_unchanged_names(hostile):
    names = {row[0] for row in data(as_html(hostile).decode())["values-table"]["rows"]}
    assert names == {"base", *HOSTILE}


def test_without_the_extra_the_page_has_the_charts_of_values_and_differences_with_their_numbers(content, monkeypatch):
    monkeypatch.setattr("receval.render.html.can_draw", lambda: False)
    text = as_html(content).decode()
    assert as_html(content).decode() == text
    reader = Reader(text)
    assert [figure["id"] for figure in reader.named("figure")] == ["values-chart", "differences-chart"]
    charts = re.findall(r'<svg role="img".*?</svg>', text)
    assert len(charts) == 4  # broad and narrow
    said = [re.search("<desc>(.*?)</desc>", chart)[1] for chart in charts]
    assert (said[0] == said[1], said[2] == said[3], all("<title>" in chart for chart in charts)) == (True, True, True)
    first = content.labels[0]
    for point in (drawn for drawn in content.points if drawn.label == first and drawn.is_drawn):
        assert f"{point.name} {content.formats.shown(point.row)} ± " in said[0]
    for change in content.comparison.differences[:2]:
        assert f"{with_sign(change.difference, 4)} ({with_sign(change.low, 4)} to {with_sign(change.high, 4)}, {change.verdict})" in said[2]
    assert "The charts over_k, distribution, trade_off and groups are missing, because the extra report was not installed" in text


def test_with_the_extra_no_basic_chart_is_drawn_and_charts_that_the_config_leaves_out_are_in_neither_form(content, result, monkeypatch):
    monkeypatch.setattr("receval.render.html.can_draw", lambda: False)
    without = as_html(reported(result, wanted=ReportConfig(charts=["trade_off"]))).decode()
    assert ("values-chart" in without, "differences-chart" in without, "The chart trade_off is missing" in without) == (False, False, True)
    monkeypatch.setattr("receval.render.html.can_draw", lambda: True)
    monkeypatch.setattr("receval.render.html.as_svg", lambda spec: "<svg></svg>")
    text = as_html(content).decode()
    assert ("values-chart" in text, 'id="differences-chart"' in text, "missing, because" in text) == (False, True, False)


def test_a_single_model_has_histograms_and_no_comparison(tmp_path):
    text = as_html(reported(evaluated(tmp_path, ["only"]))).decode()
    assert 'id="differences"' not in text
    assert "nDCG@1 of only is" in text
    if drawing.can_draw():
        assert 'id="distribution-chart"' in text


def test_a_report_has_a_date_only_on_request(result, monkeypatch):
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert "Date:" not in as_html(reported(result)).decode()
    assert "<p>Date: 2025-11-23</p>" in as_html(reported(result, wanted=ReportConfig(date="2025-11-23"))).decode()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    assert "<p>Date: 1970-01-02</p>" in as_html(reported(result)).decode()
    assert "<p>Date: 2025-11-23</p>" in as_html(reported(result, wanted=ReportConfig(date="2025-11-23"))).decode()


def test_the_page_explains_each_metric_in_one_sentence(html):
    assert "<li>nDCG: How close to the top the relevant items are.</li>" in html


def test_definitions_show_only_settings_that_differ_from_the_default(html, tmp_path):
    assert "All settings of all measures are the default (convention receval)." in html
    changed = evaluated(tmp_path, ["a"], metrics=["nDCG(gain=linear)", "Recall"], relevance={"threshold": 4})
    table = re.search(r'<table id="definitions-table">.*?</table>', as_html(reported(changed)).decode(), re.DOTALL)[0]
    rows = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr>(.*?)</tr>", table)[1:]]
    assert [row[:4] for row in rows] == [
        ["all measures", "relevance.threshold", "4", "none"],
        ["nDCG(gain=linear)", "gain", "linear (g)", "exp2 (2^g - 1)"],
    ]


def test_the_config_chooses_the_charts(result):
    wanted = ReportConfig(title="Home page", charts=[{"trade_off": ["Recall@3", "ItemCoverage@3"]}])
    text = as_html(reported(result, wanted=wanted)).decode()
    assert "<title>Home page</title>" in text
    found = re.findall(r'<figure id="([\w-]+)"', text)
    assert found == (["trade-off-chart"] if drawing.can_draw() else [])


def test_the_margin_is_a_band_in_cells_and_charts(result):
    content = reported(result, baseline="popular", margins={"default": Margin(0.1)})
    assert "the grey band is the margin" in as_html(content).decode()
    assert all(row[8] == 0.1 for row in data(as_html(content).decode())["differences-1"]["rows"] if row[2] is not None)


@pytest.mark.release
@pytest.mark.slow
def test_ten_models_and_forty_measures_with_charts_in_two_sizes_are_less_than_550_kb(tmp_path):
    metrics = ["nDCG", "Recall", "Precision", "MAP", "MRR", "HitRate", "EPC", "ItemCoverage", "Gini", "F1"]
    result = evaluated(tmp_path, [f"model {n}" for n in range(10)], metrics=metrics, top_k=[1, 2, 3, 5])
    content = reported(result, margins={"default": Margin(0.02, True)})
    assert len(content.labels) == 40
    assert len(as_html(content)) < 550_000
