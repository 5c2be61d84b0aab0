"""Differences in every form have the same columns and the same words."""

from __future__ import annotations

import json
import re
from io import StringIO

import pytest
from msgspec.structs import replace
from receval.content import differences
from receval.content.differences import COLUMNS, DifferenceColumn
from receval.content.figures import differences as chart
from receval.content.report import ReportContent
from receval.document import Cell, Table
from receval.render.forms import as_csv, as_json
from receval.render.html import as_html
from receval.render.latex import as_latex
from receval.render.markdown import as_markdown
from receval.render.result_data import comparison_cells, comparison_rows
from receval.render.screen import show
from receval.stats.difference import VERDICTS

from tests.words import retired_in

OLD_NAMES = ("tiny", "p_same", '"same"', '"none"')
"""Former names of verdicts and fields."""


class Pipe(StringIO):
    """A pipe that accepts any character."""

    encoding = "utf-8"


def on_screen(document):
    return show(document, Pipe())


RENDERERS = {"screen": on_screen, "markdown": as_markdown, "page": as_html, "latex": as_latex}
"""Form → its renderer of documents."""


def tables(document):
    return [block for block in document if isinstance(block, Table)]


def test_each_measure_of_the_fixture_has_its_verdict(comparison):
    assert [one.verdict for one in comparison.differences] == [*VERDICTS, None]


@pytest.mark.parametrize("form", RENDERERS)
def test_a_column_added_to_the_list_of_columns_is_in_every_form(form, comparison, monkeypatch):
    assert "effect" not in RENDERERS[form](differences.document(comparison))
    effect = DifferenceColumn("effect", "value", lambda one, shown: Cell("" if one.effect_size is None else f"{one.effect_size:.3f}"))
    monkeypatch.setattr(differences, "COLUMNS", (*COLUMNS[:-1], effect, COLUMNS[-1]))
    text = RENDERERS[form](differences.document(comparison))
    assert "effect" in text
    assert f"{comparison.differences[0].effect_size:.3f}" in text


SELECTIONS = {
    "command": differences.document,
    "report": lambda comparison: (differences.section(comparison),),
    "paper": lambda comparison: (differences.joined_table(comparison),),
}


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("form", RENDERERS)
def test_every_form_names_each_verdict_by_the_same_word(form, selection, comparison):
    text = RENDERERS[form](SELECTIONS[selection](comparison)).replace('"up","same","down"', "")
    assert [verdict for verdict in VERDICTS if verdict not in text] == []
    assert [word for word in OLD_NAMES if word in text] == []
    assert retired_in(text) == []


def test_files_and_charts_name_each_verdict_by_its_word(comparison):
    forms = {"json": as_json(comparison_cells(comparison)), "csv": as_csv(comparison_rows(comparison))}
    forms["chart"] = json.dumps(chart(ReportContent({}, (), comparison)).spec).encode()
    for form, text in forms.items():
        assert [verdict for verdict in VERDICTS if verdict not in text.decode()] == [], form
        assert [word for word in OLD_NAMES if word in text.decode().replace('"same": ', "")] == [], form


def test_json_has_version_2_and_null_for_a_missing_verdict(comparison):
    content = json.loads(as_json(comparison_cells(comparison)))
    assert content["format_version"] == 2
    whole = content["comparisons"][-1]
    assert (whole["verdict"], whole["p"], whole["low"], whole["real"]) == (None, None, None, False)
    assert {"p_equivalent", "probability_equivalent"} <= whole.keys()


@pytest.mark.parametrize("width", [60, 80])
def test_the_verdict_is_beside_the_difference_on_a_narrow_screen(width, comparison, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    text = on_screen(tables(differences.document(comparison))[:1])
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert re.match(r" *measure .*Δ .*verdict", lines[0])
    assert re.match(r" *M0@10 ↑ .*\+0\.1000 .*better", lines[2])
    assert "not shown at this width: " in text


def test_no_column_is_dropped_on_a_wide_screen(comparison):
    assert "not shown" not in on_screen(differences.document(comparison))


def test_untested_measures_come_last_and_are_labelled(comparison):
    table = differences.pair_tables(replace(comparison, judged=("M2@10",)))[0]
    assert [row[0].text for row in table.rows][:2] == ["M2@10", "M0@10"]
    assert {row[4].text for row in table.rows[1:]} == {"(not tested)"}


def test_a_difference_has_the_values_for_charts(comparison):
    one = comparison.differences[2]
    cell = differences.pair_tables(comparison)[0].rows[2][5]
    assert (cell.drawn.value, cell.drawn.low, cell.drawn.high) == (one.difference, *one.interval)
    assert (cell.drawn.margin, cell.drawn.mark) == (0.05, "equivalent")


def test_all_pairs_share_a_table_with_a_line_above_each(comparison):
    others = tuple(replace(one, subject=replace(one.subject, model="other")) for one in comparison.differences)
    joined = differences.joined_table(replace(comparison, models=("main", "today", "other"), differences=comparison.differences + others))
    assert joined.rules == {0: "today against main", 6: "other against main"}
    assert [column.title for column in joined.columns[:3]] == ["measure", "base", "value"]
    assert not differences.joined_table(comparison).rules
    assert "equivalent: shown to differ by less than the margin" in joined.notes[0]


def test_letters_follow_values_and_replace_tables_of_many_pairs(comparison):
    letters = {"M0@10": {"main": "a", "today": "b"}}
    few = replace(comparison, base=None, letters=letters)
    assert [cell.note for cell in differences.letters_table(few).rows[0]] == ["", "a", "b"]
    many = replace(
        few, models=("main", "today", "third", "fourth"), values={**few.values} | dict.fromkeys((("M0@10", "third"), ("M0@10", "fourth")))
    )
    assert len(tables(differences.document(few))) == len(tables(differences.document(many))) + 1


def test_the_users_who_lose_most_come_with_the_command_that_explains_the_first(comparison):
    text = as_markdown(differences.document(comparison, "my.yaml"))
    assert "## Users with the largest losses in M1@10 with today" in text
    assert "| u7 | 0.5000 | 0.2500 | −0.2500 |" in text
    assert "`receval explain 'M1@10' my.yaml --user 'u7' --model 'today'`" in text
