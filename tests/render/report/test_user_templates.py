"""Templates of users: their inputs and their limits."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from receval.render.user_templates import read_template, rendered
from receval.support.errors import ConfigError


def test_a_template_gets_the_json_of_the_results(content):
    rows = "{% for row in result.results if row.k == 3 and not row.by %}"
    text = f"{{{{ title }}}}: {rows}{{{{ row.model }}}} {{{{ row.metric }}}}={{{{ '%.3f' % row.value }}}}; {{% endfor %}}"
    message = rendered(text, content, "t.j2", Path("x.txt")).decode()
    (row,) = (row for row in content.results["result"].rows if row.model == "good" and row.label == "nDCG@3")
    assert message.startswith("Evaluation of popular, good and better: ")
    assert f"good nDCG={row.value:.3f}; " in message


def test_a_template_gets_the_comparison_too(content):
    assert rendered("{{ comparison.base }} {{ comparison.comparisons | length }}", content, "t.j2") == b"popular 18"


def test_values_are_escaped_for_html_and_not_for_plain_text(hostile):
    text = "{{ result.models[1].model }}"
    assert rendered(text, hostile, "t.j2", Path("x.html")) == b"&lt;script&gt;alert(1)&lt;/script&gt;"
    assert rendered(text, hostile, "t.j2", Path("x.unknown")) == b"&lt;script&gt;alert(1)&lt;/script&gt;"
    assert rendered(text, hostile, "t.j2", Path("x.md")) == b"<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{ ''.__class__.__mro__ }}", "is unsafe"),
        ("{{ result.update({}) }}", "is unsafe"),
        ("{% include '/etc/passwd' %}", "no loader"),
        ("{{ nothing }}", "'nothing' is undefined"),
        ("line\n{% for %}", "t.j2:2:"),
        ("{{ 1 / 0 }}", "ZeroDivisionError"),
        ("{{ range(1000000) | list }}", "Range too big"),
    ],
)
def test_a_wrong_or_unsafe_template_is_refused_in_one_sentence(text, message, content):
    with pytest.raises(ConfigError) as raised:
        rendered(text, content, "t.j2")
    assert message in str(raised.value)
    assert str(raised.value).startswith("--template t.j2")


LARGE = "makes a text of more than 20,000,000 characters"
BOMBS = {
    "{{ 10**(10**9) }}": "more than 10,000 bits",
    "{{ 2 ** (3 ** (4 ** 5)) }}": "more than 10,000 bits",
    "{% set ns = namespace(x=3) %}{% for i in range(100000) %}{% set ns.x = ns.x * ns.x %}{% endfor %}": "more than 10,000 bits",
    "{{ 'a' * 10**10 }}": LARGE,
    "{{ 10**10 * [0] }}": LARGE,
    "{{ '%9999999999d' % 1 }}": "needs more than 0.6 GB of memory",
    "{{ '' | center(9999999999) }}": "needs more than 0.6 GB of memory",
    "{% set ns = namespace(x='a') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}": "needs more than 0.6 GB",
    "{% for i in range(100000) %}{% for j in range(100000) %}aaaaaaaaaa{% endfor %}{% endfor %}": LARGE,
    "{% macro m(n) %}{{ m(n + 1) }}{% endmacro %}{{ m(0) }}": "RecursionError",
}
"""Templates that would fill the memory or run forever, with their messages."""
ENDLESS = (
    "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}",
    "{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}",
    "{{ lipsum(n=100000000) }}",
)


@pytest.mark.parametrize("text", BOMBS)
def test_a_template_that_needs_too_much_is_refused_in_one_sentence(text, content, monkeypatch):
    monkeypatch.setattr("receval.render.user_templates.MOST_MEMORY", 600_000_000)  # less to fill; enough for the other texts
    if "memory" in BOMBS[text] and sys.platform != "linux":
        pytest.skip("the system does not limit memory")
    with pytest.raises(ConfigError) as raised:
        rendered(text, content, "t.j2")
    assert BOMBS[text] in str(raised.value)
    assert raised.value.exit_code == 2
    assert len(str(raised.value).splitlines()) <= 2  # the second line has the fix


@pytest.mark.parametrize("text", ENDLESS)
def test_a_template_that_takes_too_long_is_stopped_also_in_a_thread(text, content, monkeypatch):
    monkeypatch.setattr("receval.render.user_templates.MOST_SECONDS", 0.5)
    with ThreadPoolExecutor(1) as pool, pytest.raises(ConfigError, match=r"it takes more than 0\.5 seconds"):
        pool.submit(rendered, text, content, "t.j2").result(timeout=30)


def test_a_text_of_ordinary_size_and_products_of_numbers_are_rendered(content):
    text = "{{ '-' * 40 }} {{ 2 ** 10 }} {{ 1.5 * 2 }} {% for i in range(1000) %}{{ i * i }} {% endfor %}"
    message = rendered(text, content, "t.j2", Path("x.txt")).decode()
    assert message.startswith("-" * 40 + " 1024 3.0 0 1 4 9 ")
    assert message.endswith("998001 ")


def test_a_template_without_a_python_executable_is_refused(content, monkeypatch):
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(ConfigError, match="no executable"):
        rendered("x", content, "t.j2")


def test_a_template_gets_examples_of_findings_only_with_losers(content):
    text = "{{ result.findings }} {{ result.notes }}"
    assert b"person-" not in rendered(text, content, "t.j2")


def test_a_template_must_be_a_small_regular_text_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large.j2").write_bytes(b"x" * ((1 << 20) + 1))
    (tmp_path / "bytes.j2").write_bytes(b"\xff\xfe")
    message = {
        "pipe": "there is no such file",
        "": "cannot be read",
        "large.j2": "1,048,577 bytes",
        "bytes.j2": "not UTF-8",
        "none.j2": "No such file",
    }
    for name, sentence in message.items():
        with pytest.raises(ConfigError, match=sentence):
            read_template(tmp_path / name)
