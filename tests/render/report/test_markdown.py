"""Reports in Markdown, parsed by a Markdown library."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from receval.render.ci import cut
from receval.render.forms import rendered
from receval.support.outputs import output_form

from tests.reports import HOSTILE, as_markdown, evaluated, gate, reported


def text_of(content):
    return as_markdown(content)


PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")


def tokens(text):
    every = PARSER.parse(text)
    return every, [child for token in every for child in token.children or ()]


def tables(text):
    """Return the cells of every table, as the text that a reader sees."""
    found, row, in_cell = [], [], False
    for token in tokens(text)[0]:
        if token.type == "table_open":
            found.append([])
        elif token.type == "tr_open":
            row = []
        elif token.type in ("th_open", "td_open"):
            in_cell = True
        elif token.type == "inline" and in_cell:
            in_cell = False
            row.append("".join(child.content for child in token.children))
        elif token.type == "tr_close":
            found[-1].append(row)
    return found


def test_the_verdict_comes_first_and_then_gates_and_values(result):
    text = text_of(reported(result, gates=[gate("fail")]))
    title, _, verdict, *_ = text.splitlines()
    assert title == "# Evaluation of popular, good and better"
    assert verdict == "- ✖ The only gate failed."
    assert text.index("## Gates") < text.index("## Values") < text.index("## Differences") < text.index("<details>")


def test_findings_are_folded(content):
    text = text_of(content)
    assert "<details><summary>Findings of the health checks</summary>\n\n" in text
    assert text.count("<details>") == text.count("</details>")


@pytest.mark.parametrize("form", ["report", "results.md"])
def test_every_row_of_a_table_has_its_cells_and_every_name_is_text(form, hostile):
    text = as_markdown(hostile) if form == "report" else rendered(output_form("md", "result"), hostile.results["result"]).decode()
    blocks, inlines = tokens(text)
    for table in tables(text):
        assert len({len(row) for row in table}) == 1
    html = {token.content for token in [*blocks, *inlines] if token.type in ("html_block", "html_inline")}
    assert not [line for line in html if "script" in line and "summary" not in line]
    assert not [token for token in inlines if token.type in ("link_open", "code_inline") and "alert" in str(token)]
    assert "\x1b" not in text
    names = tables(text)[0][0][1:]
    assert names == ["base", *(name.replace("\x1b", "␛").replace("\n", "⏎").replace("\u202e", "�") for name in HOSTILE)]


def test_the_markdown_of_a_result_leads_with_title_verdict_and_table(result):
    lines = rendered(output_form("md", "result"), result).decode().splitlines()
    assert lines[0] == "# Evaluation of popular, good, better"
    assert lines[2] == "9 measures over 40 users."
    assert lines.index("| measure | popular | good | better |") < lines.index("## Findings of the health checks")


def test_user_ids_are_only_in_reports_that_name_users_who_lose(content, result):
    assert "person-" not in text_of(content)
    assert "person-" in text_of(reported(result, baseline="better", losers=1))


def test_a_long_text_is_cut_at_the_end_of_a_row_with_its_folds_closed():
    row = "| a | b |\n"
    text = "# title\n\n<details><summary>x</summary>\n\n" + row * 10_000 + "\n</details>\n"
    short = cut(text, 5_000)
    assert len(short.encode()) <= 5_000
    assert short.count("<details>") == short.count("</details>")
    assert "\n| a | b |\n</details>\n" in short
    assert "longer than 5,000 bytes" in short
    assert cut("short\n", 5_000) == "short\n"


def test_values_are_marked_if_intervals_are_separate_measures(tmp_path):
    found = evaluated(tmp_path, ["a", "b"], metrics=["nDCG"], aggregates=["mean", "ci95"])
    assert "**" in text_of(reported(found))
