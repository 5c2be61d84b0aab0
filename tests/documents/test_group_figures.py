"""The chart of groups: its panels, rows and limits."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace
from receval.documents import figures
from receval.documents.group_figures import groups
from receval.documents.report import ReportContent
from receval.documents.values import models_of
from receval.render import drawing
from receval.results.result import Row

from tests.documents.crowds import result_of
from tests.documents.test_figures import rows, single_panels

needs_extra = pytest.mark.skipif(not drawing.can_draw(), reason="the extra report is not installed")


def content_of(cells, models=("als", "knn"), metrics=("nDCG", "Recall"), std=0.2, **more):
    """Return the content of a report on values by group: `cells` maps grouping → group → value and number of users."""
    plain = [Row(model, metric, 10, "mean", 0.3, 400) for model in models for metric in metrics]
    split = [
        Row(model, metric, 10, "mean", value, users, by=by, group=group, std=std)
        for by, some in cells.items()
        for group, (value, users) in some.items()
        for model in models
        for metric in metrics
    ]
    result = replace(result_of(plain, 400), by_group=tuple(split))
    return ReportContent({"result": result}, models_of(result), **more)


PLANS = {"users.plan": {"free": (0.25, 300), "paid": (0.5, 99)}}
MONTHS = {f"2024-{month:02}": (0.1, 120) for month in range(1, 13)}


def titles(chart):
    return [panel["title"] for panel in single_panels(chart.spec)]


def marks(panel):
    return [layer["mark"]["type"] for layer in panel["layer"]]


def test_a_grouping_has_a_panel_for_each_measure_with_the_interval_of_every_value():
    chart = groups(content_of(PLANS))
    assert titles(chart) == ["nDCG@10 by users.plan", "Recall@10 by users.plan"]
    first = rows(chart.spec)[0]
    assert {name: first[name] for name in ("group", "model", "value", "few")} == {
        "group": "free",
        "model": "als",
        "value": 0.25,
        "few": False,
    }
    half = 1.96793 * 0.2 / 300**0.5
    assert (first["low"], first["high"]) == pytest.approx((0.25 - half, 0.25 + half), abs=1e-5)
    assert [row["few"] for row in rows(chart.spec)[2:4]] == [True, True]
    assert "The bars are 95 % intervals of means over the users of a group. Hollow marks: fewer than 100 users." in chart.caption
    assert "yOffset" in single_panels(chart.spec)[0]["layer"][0]["encoding"]


def test_windows_of_time_are_lines_with_bands_unless_there_are_many_models():
    chart = groups(content_of({"rows.timestamp": MONTHS}, metrics=("nDCG",)))
    (panel,) = single_panels(chart.spec)
    assert marks(panel) == ["area", "line", "point"]
    assert panel["encoding"]["x"]["scale"]["domain"] == list(MONTHS)
    assert "The bands are 95 % intervals" in chart.caption
    many = groups(content_of({"rows.timestamp": MONTHS}, models=tuple("abcde"), metrics=("nDCG",)))
    assert marks(single_panels(many.spec)[0]) == ["line", "point"]
    assert "interval" not in many.caption


@pytest.mark.parametrize("by", ["users.plan*rows.timestamp", "rows.timestamp*users.plan"])
def test_a_combination_with_time_has_a_panel_for_each_other_group_on_one_scale(by):
    cells = {
        "*".join(pair if by.startswith("users") else pair[::-1]): (0.1 + place / 10, 120)
        for place, pair in enumerate([("free", "2024-01"), ("free", "2024-02"), ("paid", "2024-01")])
    }
    chart = groups(content_of({by: cells}))
    assert titles(chart) == ["nDCG@10, users.plan free", "nDCG@10, users.plan paid"]
    panels = single_panels(chart.spec)
    assert [panel["encoding"]["x"]["scale"]["domain"] for panel in panels] == [["2024-01", "2024-02"]] * 2
    scales = [layer["encoding"]["y"]["scale"] for panel in panels for layer in panel["layer"]]
    assert all(scale == scales[0] for scale in scales)
    assert "The panels of a combination show one measure, on one scale." in chart.caption


def test_many_groups_are_left_to_the_tables_and_of_windows_the_last_ones_stay():
    plans = {f"plan {number}": (0.1, 120) for number in range(30)}
    hours = {f"2024-01-{number // 24 + 1:02} {number % 24:02}:00": (0.1, 120) for number in range(100)}
    chart = groups(content_of({"users.plan": plans, "rows.timestamp": hours}, metrics=("nDCG",)))
    shown = [[*dict.fromkeys(row["group"] for row in rows(panel))] for panel in single_panels(chart.spec)]
    assert shown == [list(plans)[:20], list(hours)[-60:]]
    assert chart.caption.endswith(" Others are in the tables.")
    assert "Others" not in groups(content_of(PLANS)).caption


def test_measures_can_be_chosen_and_without_groups_there_is_no_chart():
    assert titles(groups(content_of(PLANS, charts={"groups": ("Recall@10",)}))) == ["Recall@10 by users.plan"]
    assert groups(content_of({})) is None
    assert figures.FIGURES["groups"] is groups


def test_values_without_a_deviation_are_drawn_without_intervals():
    chart = groups(content_of(PLANS, std=None))
    assert "Without intervals." in chart.caption
    assert {row["low"] for row in rows(chart.spec)} == {None}


def test_the_chart_names_what_it_shows_for_readers_who_cannot_see_it():
    assert groups(content_of(PLANS)).spec["description"] == "values by users.plan of als and knn; the tables below have the numbers"


@needs_extra
def test_the_chart_of_a_narrow_page_fits_a_phone_and_long_names_do_not_make_it_wider():
    names = {f"{'a long name of a group ' * 5}{number}": (0.1, 120) for number in range(3)}
    chart = groups(content_of({"users.plan": names, "rows.timestamp": MONTHS}))
    assert rows(chart.narrow) == rows(chart.spec)
    broad, narrow = (float(re.search(r'width="([\d.]+)"', drawing.as_svg(spec))[1]) for spec in (chart.spec, chart.narrow))
    assert 850 < broad < 1150
    assert 300 < narrow < 460
