"""Templates of users: what they are given, and what they may not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from receval.errors import ConfigError
from receval.output.report.user_templates import read_template, rendered


def test_a_template_is_given_the_json_of_the_results(content):
    rows = "{% for row in result.results if row.k == 3 and not row.by %}"
    text = f"{{{{ title }}}}: {rows}{{{{ row.model }}}} {{{{ row.metric }}}}={{{{ '%.3f' % row.value }}}}; {{% endfor %}}"
    said = rendered(text, content, "t.j2", Path("x.txt")).decode()
    (row,) = (row for row in content.results["result"].rows if row.model == "good" and row.label == "nDCG@3")
    assert said.startswith("Evaluation of popular, good and better: ")
    assert f"good nDCG={row.value:.3f}; " in said


def test_the_comparison_is_there_too(content):
    assert rendered("{{ comparison.base }} {{ comparison.comparisons | length }}", content, "t.j2") == b"popular 18"


def test_values_are_escaped_for_html_and_not_for_plain_text(hostile):
    text = "{{ result.models[1].model }}"
    assert rendered(text, hostile, "t.j2", Path("x.html")) == b"&lt;script&gt;alert(1)&lt;/script&gt;"
    assert rendered(text, hostile, "t.j2", Path("x.unknown")) == b"&lt;script&gt;alert(1)&lt;/script&gt;"
    assert rendered(text, hostile, "t.j2", Path("x.md")) == b"<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ ''.__class__.__mro__ }}", "is unsafe"),
        ("{{ result.update({}) }}", "is unsafe"),
        ("{% include '/etc/passwd' %}", "no loader"),
        ("{{ nothing }}", "'nothing' is undefined"),
        ("line\n{% for %}", "t.j2:2:"),
        ("{{ 1 / 0 }}", "ZeroDivisionError"),
        ("{{ range(1000000) | list }}", "OverflowError"),
    ],
)
def test_a_template_that_is_wrong_or_wants_more_is_refused_in_one_sentence(text, said, content):
    with pytest.raises(ConfigError) as raised:
        rendered(text, content, "t.j2")
    assert said in str(raised.value)
    assert str(raised.value).startswith("--template t.j2")


def test_examples_of_findings_are_given_only_with_losers(content):
    text = "{{ result.findings }} {{ result.notes }}"
    assert b"person-" not in rendered(text, content, "t.j2")


def test_only_a_plain_file_of_text_that_is_not_large_is_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large.j2").write_bytes(b"x" * ((1 << 20) + 1))
    (tmp_path / "bytes.j2").write_bytes(b"\xff\xfe")
    said = {
        "pipe": "this is no file",
        "": "cannot be read",
        "large.j2": "1,048,577 bytes",
        "bytes.j2": "no UTF-8",
        "none.j2": "No such file",
    }
    for name, sentence in said.items():
        with pytest.raises(ConfigError, match=sentence):
            read_template(tmp_path / name)
