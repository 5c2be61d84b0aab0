"""Differences in every form have the same columns and the same words."""

from __future__ import annotations

import json
import re
from io import StringIO

import pytest
from msgspec.structs import replace
from receval.documents import differences
from receval.documents.difference_columns import COLUMNS, DifferenceColumn
from receval.documents.document import Cell, Table
from receval.documents.figures import differences as chart
from receval.documents.report import ReportContent
from receval.render.forms import as_csv, as_json
from receval.render.html import as_html
from receval.render.latex import as_latex
from receval.render.markdown import as_markdown
from receval.render.result_data import comparison_cells, comparison_rows
from receval.render.screen import show
from receval.results.comparison import conclusions
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
    assert [difference.verdict for difference in comparison.differences] == [*VERDICTS, None]


@pytest.mark.parametrize("form", RENDERERS)
def test_a_column_added_to_the_list_of_columns_is_in_every_form(form, comparison, monkeypatch):
    assert "effect" not in RENDERERS[form](differences.document(comparison))
    effect = DifferenceColumn(
        "effect", "value", lambda difference, shown: Cell("" if difference.effect_size is None else f"{difference.effect_size:.3f}")
    )
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
    others = tuple(replace(difference, subject=replace(difference.subject, model="other")) for difference in comparison.differences)
    joined = differences.joined_table(replace(comparison, models=("main", "today", "other"), differences=comparison.differences + others))
    assert joined.rules == {0: "today against main", 6: "other against main"}
    assert [column.title for column in joined.columns[:3]] == ["measure", "main", "value"]
    assert not differences.joined_table(comparison).rules
    assert joined.notes[0] == "up/same/down: the number of users with a better, the same and a worse value."
    assert "equivalent: shown to differ by less than the margin" in joined.notes[1]


def test_a_screen_says_what_up_same_and_down_are(comparison):
    said = "up/same/down: the number of users with a better, the same and a worse value."
    assert said in on_screen(differences.document(comparison))
    unknown = tuple(replace(difference, up=None, same=None, down=None) for difference in comparison.differences)
    assert "up/same/down:" not in on_screen(differences.document(replace(comparison, differences=unknown)))


def test_a_measure_with_a_narrow_interval_does_not_lengthen_the_numbers_of_the_others(comparison):
    first, second, *_ = comparison.differences
    narrow = replace(first, difference=0.00012, low=0.00011, high=0.00013)
    (table,) = differences.pair_tables(replace(comparison, differences=(narrow, second)))
    changes = [row[3].text for row in table.rows]
    assert [len(text.partition(".")[2]) for text in changes] == [6, 4], changes


def test_the_first_sentence_counts_all_measures_of_the_comparison(comparison):
    first = comparison.differences[0]
    verdicts = ("better", "better", "worse", "inconclusive", "inconclusive", "inconclusive")
    rows = tuple(
        replace(first, subject=replace(first.subject, measure=f"M{number}@10"), verdict=verdict) for number, verdict in enumerate(verdicts)
    )
    (said, *_) = conclusions(replace(comparison, differences=rows, judged=tuple(row.subject.measure for row in rows)))
    assert said.startswith("today is better than main on 2 of 6 measures, worse on 1 (M2@10), inconclusive on 3: M0@10 is higher by")


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


def test_groups_by_number_of_train_rows_are_in_the_order_of_their_numbers(comparison):
    one = comparison.differences[0]
    names = ["0-33", "107+", "34-59"]
    rows = tuple(
        replace(one, subject=replace(one.subject, measure=measure, by="train_count", group=name))
        for measure in ("M0@10", "M1@10")
        for name in names
    )
    table = differences.groups_table(replace(comparison, by_group=rows))
    shown = [(row[0].text, row[1].text) for row in table.rows]
    assert shown == [(name, measure) for measure in ("M0@10", "M1@10") for name in ("0-33", "34-59", "107+")]


def test_columns_make_room_counts_first_then_p_then_values_and_intervals_never():
    yields = {column.title: column.yields for column in COLUMNS}
    assert [title for title in yields if not yields[title]] == ["measure", "Δ", "verdict", "interval"]
    assert yields["base"] < yields["value"] < yields["p"] < yields["up/same/down"]


@pytest.mark.parametrize(("width", "values"), [(60, 0), (70, 1), (80, 2)])
def test_the_interval_stays_on_a_narrow_screen_beside_long_names_and_long_verdicts(width, values, comparison, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(width))
    names = {"base": "sequential_model_of_monday_night", "model": "sequential_model_of_tuesday_night", "measure": "ItemCoverage@100"}
    rows = (
        replace(difference, subject=replace(difference.subject, **names), verdict="inconclusive")
        for difference in comparison.differences[:2]
    )
    text = on_screen(differences.pair_tables(replace(comparison, differences=tuple(rows), judged=(names["measure"],))))
    lines = text.splitlines()
    assert max(map(len, lines)) <= width
    assert re.fullmatch(rf" *measure( +seq\S+){{{values}}} +Δ +verdict +95 % interval", next(line for line in lines if "measure" in line))
    assert all(re.search(r"inconclusive +[+−][\d.]+ to [+−][\d.]+$", line) for line in lines if "@" in line)
    dropped = (names["base"], names["model"])[values:]
    assert f"not shown at this width: {', '.join((*dropped, 'p', 'up/same/down'))}; to see all" in " ".join(text.split())


def test_columns_are_closer_together_before_one_is_dropped(comparison, monkeypatch):
    table = differences.pair_tables(comparison)[0]
    monkeypatch.setenv("COLUMNS", "200")
    whole = max(len(line) for line in on_screen([table]).splitlines())
    monkeypatch.setenv("COLUMNS", str(whole - 3))
    text = on_screen([table])
    assert "not shown" not in text
    assert max(map(len, text.splitlines())) <= whole - 3


def test_both_values_and_the_verdict_stay_beside_the_measure_with_long_names_of_models(comparison, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    names = {"main": "sequential_model_of_monday_night", "today": "sequential_model_of_tuesday_night"}
    rows = tuple(
        replace(difference, subject=replace(difference.subject, base=names["main"], model=names["today"]))
        for difference in comparison.differences
    )
    head = on_screen(differences.pair_tables(replace(comparison, differences=rows))).splitlines()
    assert re.match(r" *measure +sequ\S+ +sequ\S+ +Δ +verdict", next(line for line in head if "measure" in line))


def test_a_screen_says_from_which_width_on_and_in_which_form_all_columns_are_shown(comparison, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    table = differences.pair_tables(comparison)
    (width,) = re.findall(r"widen the window to (\d+) columns, set COLUMNS=\1, or use --format md", " ".join(on_screen(table).split()))
    monkeypatch.setenv("COLUMNS", width)
    assert "not shown" not in on_screen(table)
    monkeypatch.setenv("COLUMNS", str(int(width) - 1))
    assert "not shown" in on_screen(table)


def group_comparison(comparison, *pairs):
    """Return the comparison with two measures of each pair within two groups."""
    rows = [(each, base, model, group) for base, model in pairs for each in comparison.differences[:2] for group in ("free", "paid")]
    subjects = [replace(difference.subject, by="plan", group=group, base=base, model=model) for difference, base, model, group in rows]
    first = replace(comparison.differences[0], family=len(rows))
    return replace(comparison, by_group=tuple(replace(first, subject=subject) for subject in subjects))


def test_what_all_rows_of_groups_share_is_in_heads_and_each_pair_has_a_table(comparison):
    (table,) = differences.groups_tables(group_comparison(comparison, ("main", "today")))
    assert [column.title for column in table.columns][:5] == ["plan", "measure", "users", "main", "today"]
    some = list(differences.groups_tables(group_comparison(comparison, ("main", "today"), ("main", "third"))))
    assert [(table.caption, table.columns[4].title) for table in some] == [("today against main", "today"), ("third against main", "third")]


def test_groups_say_over_how_many_comparisons_their_p_values_are_corrected(comparison):
    text = as_markdown(differences.document(group_comparison(comparison, ("main", "today"))))
    assert "p by Holm over 5 comparisons (within groups: over 4)" in text
    assert "Within groups p is corrected by Holm over 4 comparisons (all groups, measures and models); intervals are not corrected." in text
