"""Charts: their specs have the numbers, and pictures have no scripts or links."""

from __future__ import annotations

import json
import re
import unicodedata
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from receval.documents import figures
from receval.documents.chart_parts import COLOURS
from receval.documents.scales import nearby
from receval.render import drawing
from receval.render.forms import rendered
from receval.support.outputs import output_form
from receval.syntax.short_names import Margin

from tests.conftest import drawer
from tests.reports import HOSTILE, evaluated, reported

needs_extra = pytest.mark.skipif(not drawing.can_draw(), reason="the extra report is not installed")
KINDS = pytest.mark.parametrize("kind", figures.FIGURES)
METRICS = ["nDCG", "Recall", "ItemCoverage", "Precision", *(f"SNIPSRecall(gamma={gamma})@3" for gamma in (-1, 0, 2))]


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    result = evaluated(tmp_path_factory.mktemp("charts"), ["popular", "good", "better"], by=["users.plan", "cold"], metrics=METRICS)
    return reported(result, baseline="popular", margins={"default": Margin(0.01)})


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    return reported(evaluated(tmp_path_factory.mktemp("hostile"), ["base", *HOSTILE], by="users.plan", metrics=METRICS))


def rows(spec):
    """Return all rows of data in a spec."""
    if isinstance(spec, dict):
        own = spec["data"]["values"] if "data" in spec else []
        return [*own, *(row for value in spec.values() for row in rows(value))]
    return [row for value in spec for row in rows(value)] if isinstance(spec, list) else []


def test_lines_over_k_have_every_value_of_their_metrics(content):
    shown = {(row["model"], row["metric"], row["k"]): row["value"] for row in rows(figures.over_k(content).spec)}
    assert shown == {(row.model, row.metric, str(row.k)): row.value for row in content.results["result"].rows if "SNIPS" not in row.metric}


def test_charts_leave_out_the_oracle_because_models_would_look_alike_beside_it(tmp_path):
    content = reported(evaluated(tmp_path, ["popular", "good"], yardsticks={"oracle": True}, metrics=["nDCG", "Recall", "Precision"]))
    for kind in ("over_k", "trade_off", "precision_recall"):
        assert {row["model"] for row in rows(figures.FIGURES[kind](content).spec)} == {"popular", "good"}, kind


def test_the_forest_has_differences_with_intervals_and_margins(content):
    shown = rows(figures.differences(content).spec)
    measures = content.comparison.judged[:6]
    known = [
        difference
        for difference in content.comparison.differences
        if difference.interval is not None and difference.subject.measure in measures
    ]
    assert [row["difference"] for row in shown] == [
        difference.difference
        for difference in sorted(known, key=lambda difference: content.comparison.judged.index(difference.subject.measure))
    ]
    assert all(row["low"] <= row["difference"] <= row["high"] and row["margin"] == 0.01 for row in shown)


def test_ranges_share_a_scale_unless_a_gap_would_take_more_than_two_thirds_of_it():
    assert nearby([]) == set()
    assert nearby([(0.4, 0.42), (0.43, 0.45)]) == {0, 1}
    assert nearby([(0.01, 0.02), (0.4, 0.42), (0.43, 0.45)]) == {1, 2}
    assert nearby([(0.2, 0.21), (0.4, 0.42), (0.43, 0.45), (0.0, 0.05)]) == {0, 1, 2, 3}
    assert nearby([(0.4, 0.42), (0.01, 0.02)]) == {0, 1}


def test_ranges_near_zero_share_a_scale_and_far_ones_get_their_own():
    assert nearby([(0.01, 0.03), (-0.5, -0.4)], (0.0, 0.0)) == {0}
    assert nearby([(-0.5, -0.4)], (0.0, 0.0)) == {0}
    assert nearby([(0.01, 0.03), (-0.05, -0.04)], (0.0, 0.0)) == {0, 1}


def single_panels(spec):
    """Return the specs of the panels of a spec."""
    if "concat" in spec or "vconcat" in spec:
        return [panel for part in spec.get("concat", spec.get("vconcat")) for panel in single_panels(part)]
    return [spec]


def panels(spec):
    """Return the names of the models in each panel of a spec."""
    return [{row.get("model", row.get("row")) for row in rows(panel)} for panel in single_panels(spec)]


def test_a_weak_model_has_panels_of_its_own_and_does_not_squeeze_the_close_ones(tmp_path):
    content = reported(evaluated(tmp_path, ["weak", "good", "better"], metrics=["nDCG"]), baseline="good")
    moved = {"weak": 0.0, "good": 0.9, "better": 0.9}
    points = [
        replace(point, row=replace(point.row, value=moved[point.name] + point.value / 100), low=None, high=None) for point in content.points
    ]
    content.__dict__["points"] = tuple(points)
    chart = figures.over_k(content)
    assert panels(chart.spec) == [{"good", "better"}, {"weak"}]
    assert "A model that is far from the others is in a panel below with a scale of its own." in chart.caption


def test_a_model_far_from_the_others_gets_its_own_trade_off_chart(tmp_path):
    content = reported(evaluated(tmp_path, ["weak", "good", "better"]), baseline="good")
    at = {"weak": 0.01, "good": 0.8, "better": 0.82}
    points = [replace(point, row=replace(point.row, value=at[point.name]), low=None, high=None) for point in content.points]
    content.__dict__["points"] = tuple(points)
    chart = figures.trade_off(content)
    assert panels(chart.spec) == [{"good", "better"}, {"weak"}]
    assert chart.caption.endswith("weak: far from the others, in a panel with its own scales.")


def test_a_model_alone_on_a_scale_has_ticks_around_its_value_with_enough_decimals(tmp_path):
    content = reported(evaluated(tmp_path, ["weak", "good", "better"]), baseline="good")
    at = {"weak": 0.1188, "good": 0.8, "better": 0.82}
    points = [replace(point, row=replace(point.row, value=at[point.name]), low=None, high=None) for point in content.points]
    content.__dict__["points"] = tuple(points)
    for chart, fields in ((figures.trade_off(content), "xy"), (figures.over_k(content), "y")):
        lower = [panel for panel in single_panels(chart.spec) if {row["model"] for row in rows(panel)} == {"weak"}]
        scales = [layer["encoding"][field]["scale"] for panel in lower for layer in panel["layer"] for field in fields]
        assert scales
        assert all(scale["domain"] == pytest.approx([0.1129, 0.1247], abs=1e-4) for scale in scales), chart.id
        if drawing.can_draw():
            texts = {text for text in re.findall(r"<text[^>]*>([^<]*)</text>", drawing.as_svg(chart.spec)) if text.startswith("0.1")}
            assert len({text for text in texts if 0.11 <= float(text) <= 0.13}) >= 2, (chart.id, texts)


def test_values_that_differ_keep_the_scale_of_their_own(content):
    panel = figures.trade_off(content).spec
    assert all("domain" not in layer["encoding"][field]["scale"] for layer in panel["layer"] for field in "xy")


@KINDS
def test_the_chart_of_a_narrow_page_is_less_than_half_as_wide_and_has_the_same_rows(kind, content):
    chart = figures.FIGURES[kind](content)
    assert rows(chart.narrow) == rows(chart.spec)
    assert chart.narrow["config"]["axis"]["labelFontSize"] == 12
    if drawing.can_draw():
        broad, narrow = (float(re.search(r'width="([\d.]+)"', drawing.as_svg(spec))[1]) for spec in (chart.spec, chart.narrow))
        assert broad > 850
        assert 300 < narrow < 460


def test_measures_of_similar_size_share_a_scale_in_a_chart_of_one_pair(tmp_path):
    content = reported(evaluated(tmp_path, ["one", "other"]))
    assert {row["row"] for row in rows(figures.differences(content).spec)} == {label for label in content.labels if "Cov" not in label}


def test_every_user_is_in_the_histogram_once(content):
    for spread in content.comparison.spreads:
        assert spread.zero + sum(bar.rows for bar in spread.bins) == spread.n_users == 40


def test_the_number_of_unchanged_users_is_above_every_bar(content):
    chart = figures.distribution(content).spec
    texts = [layer for panel in chart.get("concat", [chart]) for layer in panel["layer"] if layer["mark"]["type"] == "text"]
    assert [layer["encoding"]["y"] for layer in texts] == [{"value": 0}] * len(texts)


def test_the_caption_of_a_trade_off_names_only_intervals_that_are_drawn(content):
    assert "with 95 % intervals of nDCG@1" in figures.trade_off(content).caption
    content.__dict__["points"] = tuple(replace(point, low=None, high=None) for point in content.points)
    assert "interval" not in figures.trade_off(content).caption


def test_the_caption_of_a_trade_off_names_models_with_runs_which_have_no_interval(content):
    points = content.points
    name = points[0].name
    of_runs = [replace(point, row=replace(point.row, repeats=3), low=None, high=None) if point.name == name else point for point in points]
    content.__dict__["points"] = tuple(of_runs)
    assert figures.trade_off(content).caption.endswith(f" Means over folds or runs ({name}) have no interval.")
    content.__dict__["points"] = tuple(replace(point, row=replace(point.row, repeats=3), low=None, high=None) for point in points)
    assert figures.trade_off(content).caption.endswith("(to the right). Means over folds or runs have no interval.")


def test_the_two_measures_of_a_trade_off_are_of_different_kinds(content):
    assert "ItemCoverage@1 (upwards) and nDCG@1" in figures.trade_off(content).caption


@KINDS
def test_a_spec_is_plain_json_without_addresses_to_load(kind, content):
    text = json.dumps(figures.FIGURES[kind](content).spec)
    assert re.findall(r'https?://[^"]*', text) == ["https://vega.github.io/schema/vega-lite/v6.json"]


@needs_extra
@KINDS
def test_a_picture_has_no_style_no_script_and_the_same_bytes_again(kind, content, monkeypatch):
    monkeypatch.setattr(drawing, "_drawer", drawer)
    spec = figures.FIGURES[kind](content).spec
    svg = drawing.as_svg(spec)
    assert svg == drawing.as_svg(spec)
    for element in ElementTree.fromstring(svg).iter():
        assert element.tag.rpartition("}")[2] in ("svg", "g", "path", "line", "text", "rect")
        assert not {"style", "id", "href"} & element.attrib.keys()


@needs_extra
@KINDS
def test_hostile_names_can_be_drawn(kind, hostile):
    text = "".join(ElementTree.fromstring(drawing.as_svg(figures.FIGURES[kind](hostile).spec)).itertext())
    assert "\x1b" not in text
    assert "<script>" in text or kind == "distribution"


@pytest.mark.release
@needs_extra
def test_names_of_models_can_have_every_character_that_is_not_a_letter(tmp_path):
    """Try them because Vega parses names within expressions, where a Unicode line separator is invalid."""
    kinds = ("Cc", "Cf", "Zl", "Zp", "Zs", "Po", "Sm", "Cn")
    odd = [chr(code) for code in range(1, 0x3000) if unicodedata.category(chr(code)) in kinds]
    names = [f"m{number}{''.join(odd[number::8])}\u2028m\u2029" for number in range(8)]
    content = reported(evaluated(tmp_path, names, by="users.plan", metrics=METRICS))
    for kind, chart in figures.FIGURES.items():
        made = chart(content)
        assert made is not None, kind
        assert "<svg" in drawing.as_svg(made.spec)
        assert not {"\u2028", "\u2029"} & {*json.dumps(made.spec, ensure_ascii=False)}


@needs_extra
def test_slim_pictures_have_the_texts_of_full_ones(content):
    import vl_convert

    spec = figures.over_k(content).spec
    whole, slim = ElementTree.fromstring(vl_convert.vegalite_to_svg(spec)), ElementTree.fromstring(drawing.as_svg(spec))
    assert [text.strip() for text in slim.itertext() if text.strip()] == [text.strip() for text in whole.itertext() if text.strip()]
    assert len(drawing.as_svg(spec)) < len(vl_convert.vegalite_to_svg(spec)) / 2


@needs_extra
@pytest.mark.parametrize(("form", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pictures_come_in_three_formats(form, begins, content):
    assert rendered(output_form(form, "chart"), figures.trade_off(content).spec).startswith(begins)


def contrast(one, other):
    """Return the contrast of two colours by WCAG 2."""

    def light(colour):
        parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    brighter, darker = sorted((light(one), light(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colour", COLOURS)
def test_every_colour_of_a_model_can_be_seen_on_white_and_on_black(colour):
    assert contrast(colour, "#ffffff") >= 3
    assert contrast(colour, "#12161b") >= 3
