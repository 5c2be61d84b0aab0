"""The page of `receval diff` in a real browser, if one is installed: filters, keys, the calculation, widths, and hostile texts."""

from __future__ import annotations

import time

import pytest
from receval import diff as diff_of

from tests.browser import CHROMIUM, browser
from tests.render.diff_pages import write_hostile, write_titled

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")]
SHOWN = "[...document.querySelectorAll('[role=option]')].map(one => [one.children[0].textContent, one.children[1].textContent])"
SELECTED = "document.querySelector('[aria-selected=true]').textContent"
CONTROLS = {"measure": 0, "outcome": 1, "order": 2, "plan": 3, "cold": 4, "least": 5, "most": 6, "search": 7}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    with browser(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.fixture(scope="module")
def titled(tmp_path_factory):
    folder = tmp_path_factory.mktemp("titled")
    write_titled(folder)
    diff = diff_of("old", "new", str(folder / "config.yaml"), show_users=True)
    (folder / "diff.html").write_text(diff.to_html(), encoding="utf-8")
    return folder / "diff.html", diff


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    write_hostile(folder)
    page = diff_of("old", "new", str(folder / "config.yaml"), show_users=True).to_html(pictures="cover")
    (folder / "diff.html").write_text(page, encoding="utf-8")
    return folder / "diff.html"


def complaints(page):
    requests = [event["request"]["url"] for event in page.named("Network.requestWillBeSent")]
    return [
        *page.named("Runtime.consoleAPICalled"),
        *page.named("Runtime.exceptionThrown"),
        *page.named("Log.entryAdded"),
        *(url for url in requests if not url.startswith("file:")),
    ]


def choose(page, name, value):
    """Set a control of the filters as a person does."""
    page.value(
        f"(() => {{ const one = document.querySelectorAll('#explore .filters :is(select, input)')[{CONTROLS[name]}]; one.value = {value!r};"
        "one.dispatchEvent(new Event(one.tagName === 'SELECT' ? 'change' : 'input')); })()"
    )


def press(page, key):
    page.value(f"document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {{ key: {key!r}, bubbles: true, cancelable: true }}))")


def test_filters_show_the_users_that_the_frame_has(page, titled):
    path, diff = titled
    users = diff.users
    page.open(path)
    assert complaints(page) == []
    assert len(page.value(SHOWN)) == 60
    change = users["nDCG@5 difference"]
    for value, mask in (("1", change < 0), ("2", change > 0), ("3", change == 0), ("0", change.is_not_null())):
        choose(page, "outcome", value)
        assert {name for name, _ in page.value(SHOWN)} == {*users.filter(mask)["user"]}
    choose(page, "least", "2")
    choose(page, "most", "3")
    assert {name for name, _ in page.value(SHOWN)} == {*users.filter(users["n_relevant"].is_between(2, 3))["user"]}
    choose(page, "least", "")
    choose(page, "most", "")
    choose(page, "plan", "2")
    shown = {name for name, _ in page.value(SHOWN)}
    assert shown == {f"user-{number}" for number in range(1, 60, 2)}
    choose(page, "search", "USER-11")
    assert page.value(SHOWN.replace("[one.children[0].textContent, one.children[1].textContent]", "one.children[0].textContent")) == [
        "user-11"
    ]
    choose(page, "search", "nobody")
    assert page.value(SHOWN) == []
    assert "No user passes these filters." in page.value("document.querySelector('.person').textContent")


def test_orders_and_measures_sort_the_users_by_their_difference(page, titled):
    path, diff = titled
    page.open(path)

    def differences():
        return [float(text.replace("−", "-")) for _, text in page.value(SHOWN)]

    assert differences() == sorted(differences())
    choose(page, "order", "1")
    assert differences() == sorted(differences(), reverse=True)
    choose(page, "measure", "1")
    assert differences() == sorted(differences(), reverse=True)
    assert differences() == pytest.approx(sorted(diff.users["Recall@5 difference"], reverse=True), abs=5.1e-5)


def test_keys_go_from_user_to_user_and_to_the_search(page, titled):
    page.open(titled[0])
    names = [name for name, _ in page.value(SHOWN)]
    press(page, "j")
    assert page.value(SELECTED).startswith(names[1])
    assert page.value("document.querySelector('.person h3').textContent") == f"user {names[1]}"
    page.value("document.querySelector('.people').focus()")
    for key, place in (("ArrowDown", 2), ("End", 59), ("ArrowDown", 59), ("Home", 0), ("PageDown", 10), ("k", 9)):
        press(page, key)
        assert page.value(SELECTED).startswith(names[place]), key
    active = page.value("document.getElementById(document.querySelector('.people').getAttribute('aria-activedescendant')).textContent")
    assert active == page.value(SELECTED)
    press(page, "/")
    assert page.value("document.activeElement.type") == "search"
    press(page, "j")
    assert page.value(SELECTED).startswith(names[9]), "a letter in a field is text"


def test_an_item_in_focus_tells_what_it_adds_to_the_difference(page, titled):
    path, diff = titled
    page.open(path)
    user = page.value("document.querySelector('.person h3').textContent").removeprefix("user ")
    page.value("document.querySelector('.row.hit').focus()")
    told = page.value("document.querySelector('.sum').textContent")
    title = page.value("document.querySelector('.row.hit .what bdi').textContent")
    item = diff.contributions.filter((diff.contributions["user"] == user) & (diff.contributions["item"] == f"i{title.split()[-1]}"))
    adds = f"{item['nDCG@5'].item():+.4f}".replace("-", "−")
    assert told.startswith(title)
    assert f"Adds {adds if item['nDCG@5'].item() else '0.0000'} to Δ nDCG@5" in told
    assert "= gain 1 · (" in told
    assert ") / IDCG. Formula: nDCG@k(u) = (Σ_{r=1..k} " in told


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 800, 1400])
def test_nothing_is_wider_than_the_page_and_nothing_of_the_data_acts(page, titled, hostile, width, scheme):
    page.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    page.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
    for path in (titled[0], hostile):
        page.open(path)
        for _ in range(12):
            press(page, "j")
            page.value("document.querySelectorAll('.row').forEach(row => row.focus())")
        assert page.value("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        assert page.value("document.querySelector('.pair').getBoundingClientRect().width > 300")
        assert page.value("window.pwned === undefined")
        assert page.value("document.querySelectorAll('#explore :is(script, img, a, iframe)').length") == 0
        assert complaints(page) == []


def test_a_page_of_a_thousand_users_answers_at_once(page, tmp_path):
    write_titled(tmp_path, 1600)
    (tmp_path / "diff.html").write_text(diff_of("old", "new", str(tmp_path / "config.yaml")).to_html(), encoding="utf-8")
    page.open(tmp_path / "diff.html")
    assert len(page.value(SHOWN)) == 1000
    began = time.monotonic()
    choose(page, "outcome", "2")
    page.value("document.body.offsetHeight")
    assert time.monotonic() - began < 2


def test_the_summary_is_readable_without_scripts(page, titled):
    page.open(titled[0], scripts=False)
    page.call("Emulation.setScriptExecutionDisabled", value=False)
    assert page.value("document.querySelectorAll('[role=option]').length") == 0
    assert "Largest losses" in page.value("document.body.innerText")
    assert "The Film No." in page.value("document.querySelector('#loss').innerText")
