"""The page in a real browser, if one is installed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from receval.render.drawing import can_draw

from tests.browser import CHROMIUM, browser
from tests.reports import HOSTILE, as_html, evaluated, reported

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")]
AXE = os.environ.get("RECEVAL_AXE", "")
"""Path of axe.min.js of axe-core, if set: it checks the accessibility of the page."""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    result = evaluated(tmp_path_factory.mktemp("data"), ["popular", "good", *HOSTILE], by=["users.plan"])
    return reported(result, baseline="popular")


@pytest.fixture(scope="module")
def html(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_bytes(as_html(content))
    return path


def complaints(page):
    """Return the complaints of a browser: console messages, exceptions, and requests that leave the file."""
    requests = [event["request"]["url"] for event in page.named("Network.requestWillBeSent")]
    return [
        *page.named("Runtime.consoleAPICalled"),
        *page.named("Runtime.exceptionThrown"),
        *page.named("Log.entryAdded"),
        *(url for url in requests if not url.startswith("file:")),
    ]


def test_the_page_makes_no_request_and_the_console_stays_empty(page, html):
    page.open(html)
    assert page.value("document.querySelectorAll('table').length") > 3
    page.value("new Promise(done => setTimeout(done, 300))")
    assert complaints(page) == []


def test_a_click_on_a_heading_sorts_a_table_down_up_and_back(page, html):
    page.open(html)
    column = "[...document.querySelectorAll('#differences-1 tbody tr')].map(row => row.cells[3].innerText)"
    given = page.value(column)
    orders = []
    for _ in range(3):
        page.value("document.querySelectorAll('#differences-1 thead button')[3].click()")
        orders.append([float(text.replace("−", "-")) for text in page.value(column)])
    down, up, back = orders
    assert down == sorted(down, reverse=True)
    assert up == sorted(up)
    assert down != up
    assert back == [float(text.replace("−", "-")) for text in given]


def test_the_cells_of_values_are_the_numbers_of_the_json(page, html, content):
    page.open(html)
    data = page.value("JSON.parse(document.getElementById('receval-data').textContent)['values-table']")
    table = page.value("[...document.querySelectorAll('#values-table tr')].map(row => [...row.cells].map(cell => cell.textContent))")
    names, measures = [model.name for model in content.models], list(content.labels)
    assert len(data["rows"]) == len(names) * len(measures)
    by_model = len(names) >= len(measures)
    for model, measure, value, *_ in data["rows"]:
        row, column = (names.index(model), measures.index(measure)) if by_model else (measures.index(measure), names.index(model))
        assert float(table[row + 1][column + 1].split()[0]) == pytest.approx(value, abs=6e-5)


def test_the_tables_are_complete_without_scripts(page, html):
    page.open(html)
    rows = page.value("[...document.querySelectorAll('tbody')].map(body => body.innerText)")
    page.open(html, scripts=False)
    page.call("Emulation.setScriptExecutionDisabled", value=False)
    assert page.value("document.querySelectorAll('th button').length") == 0
    assert page.value("[...document.querySelectorAll('tbody')].map(body => body.innerText)") == rows


@pytest.mark.parametrize("width", [390, 768, 1280])
def test_only_tables_labelled_as_scrolling_are_wider_than_the_page(width, page, html):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
    page.open(html)
    page.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.value("new Promise(done => setTimeout(done, 300))")
    assert page.value("document.documentElement.scrollWidth <= innerWidth")
    cut = "[...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth + 1)"
    assert page.value(f"{cut}.every(one => one.classList.contains('cut'))")
    if width == 390:
        assert page.value(f"{cut}.every(one => one.querySelector('table').classList.contains('large'))")
    broken = "[...document.querySelectorAll('td:not(.t)')].filter(one => getComputedStyle(one).whiteSpace !== 'nowrap').length"
    assert page.value(broken) == 0
    page.call("Emulation.clearDeviceMetricsOverride")


def test_on_a_phone_large_tables_scroll_below_their_first_column_and_long_lists_are_folded(page, tmp_path):
    content = reported(evaluated(tmp_path, [f"model {n}" for n in range(10)], by=["users.plan"]), baseline="model 0")
    (tmp_path / "ten.html").write_bytes(as_html(content))
    page.call("Emulation.setDeviceMetricsOverride", width=390, height=900, deviceScaleFactor=1, mobile=True)
    page.open(tmp_path / "ten.html")
    heights = page.value("[...document.querySelectorAll('.large')].map(one => one.clientHeight / one.rows.length)")
    assert len(heights) == 2
    assert max(heights) < 80
    groups = "document.querySelector('#groups .large')"
    assert page.value(f"getComputedStyle({groups}.rows[1].cells[0]).position") == "sticky"
    assert page.value(f"getComputedStyle({groups}.rows[1].cells[0], '::after').content").endswith(' · model 0"')
    folded = "[...document.querySelectorAll('.long')].map(one => [...one.tBodies[0].rows].filter(row => row.clientHeight).length)"
    assert {*page.value(folded)} == {10}
    page.value("document.querySelectorAll('.more').forEach(one => one.click())")
    assert page.value(folded) == []
    page.call("Emulation.clearDeviceMetricsOverride")


@pytest.mark.parametrize(("width", "size"), [(390, "slim"), (1280, "broad")])
@pytest.mark.skipif(not can_draw(), reason="the extra report is not installed")
def test_text_of_charts_is_large_enough_at_every_width(width, size, page, html):
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
    page.open(html)
    of_text = "parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b)"
    of_chart = f"Math.min(...[...one.querySelectorAll('text')].map(text => {of_text}))"
    shown = "[...document.querySelectorAll('.chart')].filter(one => one.clientWidth)"
    heights = page.value(f"{shown}.map(one => [one.className, {of_chart}])")
    assert {name for name, _ in heights} == {f"chart {size}"}
    assert min(height for _, height in heights) >= 9.5
    page.call("Emulation.clearDeviceMetricsOverride")


def test_the_heading_of_numbers_with_intervals_is_above_its_numbers(page, html):
    page.open(html)
    rows = "[...document.querySelectorAll('#values-table tr')].slice(0, 2).map(row => [...row.cells].slice(1))"
    left = f"{rows}.map(cells => cells.map(cell => (cell.querySelector('button, .n') ?? cell).getBoundingClientRect().left))"
    heads, numbers = page.value(left)
    assert heads == pytest.approx(numbers, abs=12)


def test_no_name_becomes_an_element_of_the_page(page, html):
    page.open(html)
    assert page.value("[...document.scripts].filter(one => one.type !== 'application/json').length") == 1
    assert page.value("document.body.innerText.includes('<script>alert(1)</script>')")
    assert not page.value("/[\\u001b\\u202e]/.test(document.body.innerText)")


@pytest.mark.skipif(not can_draw(), reason="the extra report is not installed")
def test_the_interactive_page_draws_without_evaluating_text(page, content, tmp_path):
    path = tmp_path / "interactive.html"
    path.write_bytes(as_html(content, interactive=True))
    page.open(path)
    drawn = "document.querySelectorAll('.vega-embed svg').length"
    for _ in range(50):
        if page.value(drawn) == page.value(
            "Object.values(JSON.parse(document.getElementById('receval-charts').textContent)).flat().length"
        ):
            break
        page.value("new Promise(done => setTimeout(done, 100))")
    assert page.value(drawn) >= 3
    assert complaints(page) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.skipif(not AXE, reason="RECEVAL_AXE does not name axe-core")
def test_axe_finds_no_accessibility_problem(scheme, page, html):
    page.call("Page.setBypassCSP", enabled=True)
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    page.open(html)
    page.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.value(Path(AXE).read_text("utf-8") + "; 1")
    found = json.loads(page.value("axe.run().then(found => JSON.stringify(found.violations.map(one => [one.id, one.nodes[0].html])))"))
    assert found == []
