"""`receval metrics` explains metrics, settings and conventions."""

from __future__ import annotations

import json
import re

import pytest
from receval.conventions import AXES, PROTOCOL, builtin_names, load
from receval.metrics import METRICS
from receval.metrics.catalogue import FAMILIES

from tests.cli.test_terminal import on_a_terminal
from tests.sizes import each_once, some


def without_colour(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_the_list_has_a_line_for_every_metric_with_its_first_sentence_below_the_title_of_its_family(receval):
    code, out, err = receval("metrics")
    assert (code, err) == (0, "")
    by_family = re.split(rf"^({'|'.join(map(re.escape, FAMILIES.values()))})$", out, flags=re.MULTILINE)
    families = dict(zip(by_family[1::2], by_family[2::2], strict=True))
    for name, metric in METRICS.items():
        (line,) = (line for line in families[FAMILIES[metric.family]].splitlines() if line.split()[:1] == [name])
        assert metric.doc.splitlines()[0] in line
        assert callable(metric.higher_is_better) or ("↑" in line, "↓" in line) == (
            metric.higher_is_better is True,
            metric.higher_is_better is False,
        )


def test_a_needed_input_is_named_in_words(receval):
    (line,) = (line for line in receval("metrics")[1].splitlines() if line.split()[:1] == ["GAUC"])
    assert "Needs data.train or data.items." in line
    assert re.search("needs +data.train or data.items", receval("metrics", "GAUC")[1])


@pytest.mark.parametrize("name", METRICS)
def test_a_metric_is_explained_in_full_with_the_conventions_that_have_it(name, receval):
    code, out, _ = receval("metrics", name)
    assert (code, out.splitlines()[0]) == (0, name)
    (conventions,) = re.findall(r"^ +conventions +(.*)$", out, re.MULTILINE)
    assert set(conventions.split(", ")) == {"receval", *(convention for convention in builtin_names() if name in load(convention).metrics)}
    metric = METRICS[name]
    for parameter, axis in metric.axes.items():
        assert f"`{parameter}`" in out
        for value, meaning in AXES[axis].meanings.items():
            assert re.search(rf"^ +{value} +{re.escape(meaning)}( \(default\))?$", out, re.MULTILINE)
    for parameter, number in metric.numbers.items():
        assert f"`{parameter}`: {number.means}" in out
    assert metric.reference in out
    written = " ".join(out.split())
    for paragraph in metric.doc.partition("Edge cases:")[0].split("\n\n"):
        assert " ".join(paragraph.split()) in written


def test_a_row_shows_the_settings_of_a_convention_and_names_those_that_agree(receval):
    out = receval("metrics", "nDCG")[1]
    (row,) = re.findall(r"^ +rectools .*$", out, re.MULTILINE)
    assert row.split()[1:] == ["binary", "k_items"]
    assert "Same formula as receval: lightgbm, warprec-docs, xgboost." in out


def test_an_alias_and_any_case_name_a_metric(receval):
    assert receval("metrics", "ap")[1] == receval("metrics", "MAP")[1]
    assert receval("metrics", "f-measure")[1] == receval("metrics", "F1")[1]


def test_with_a_convention_its_spelling_of_a_metric_works_and_its_settings_are_shown(receval):
    code, out, _ = receval("metrics", "P_5", "--convention", "trec_eval")
    assert (code, out.splitlines()[0]) == (0, "Precision")
    assert "text_desc" in out.split("Under the convention trec_eval")[1]


def test_the_spelling_of_another_convention_gets_a_hint(receval):
    code, _, err = receval("metrics", "P_5")
    assert code == 2
    assert "unknown metric 'P_5'" in err
    assert re.search(r"it is Precision under .*trec_eval", err)


def test_an_unknown_name_gets_a_suggestion_and_exit_code_2(receval):
    assert receval("metrics", "nDGC") == (2, "", "receval: unknown metric 'nDGC' — did you mean 'nDCG'?\n")
    code, _, err = receval("metrics", "--convention", "elliott")
    assert code == 2
    assert "did you mean 'elliot'?" in err
    assert receval("metrics", "nDCG", "--axes")[0] == 2


def test_words_list_the_metrics_that_they_describe(receval):
    for words, metric in (("popularity", "ARP"), ("genre diversity", "ILD"), ("price", "Revenue")):
        code, out, _ = receval("metrics", words)
        assert code == 0
        assert f"\n  {metric} " in out
        assert f"No metric is called '{words}'." in out
    for name in ("Novelty", "Surprisal"):  # the names of two different ideas of novelty
        assert "what papers call novelty" in receval("metrics", name)[1]


def test_the_axes_of_every_metric_are_explained(receval):
    out = receval("metrics", "--axes")[1]
    for axis in PROTOCOL:
        assert f"`{axis}`: {AXES[axis].decides}" in out
        for value, meaning in AXES[axis].meanings.items():
            assert re.search(rf"^ +{value} +{re.escape(meaning)}( \(default\))?$", out, re.MULTILINE)


def test_the_conventions_are_listed(receval):
    out = receval("metrics", "--conventions")[1]
    for name in builtin_names():
        (line,) = (line for line in out.splitlines() if line.split()[:1] == [name])
        assert load(name).about in line
        assert load(name).version in line


@pytest.mark.parametrize("name", some(builtin_names(), 13))
def test_a_convention_is_explained_with_every_axis_its_notes_and_its_names(name, receval):
    code, out, _ = receval("metrics", "--convention", name)
    assert code == 0
    convention = load(name)
    for note in convention.notes:
        assert note in out
    for axis in AXES:
        assert re.search(rf"^ +{axis} |\b{axis}=", out, re.MULTILINE)
    for pattern, meant in convention.spellings.items():
        assert re.search(rf"^ +{re.escape(pattern)} +{re.escape(meant)}$", out, re.MULTILINE)


def test_a_users_own_convention_is_explained(receval, write):
    path = write("ours.yaml", "extends: elliot\nabout: Ours.\naxes: {ndcg_gain: linear}\nmetrics: {nDCG: {}}\n")
    assert "Ours." in receval("metrics", "--convention", path)[1]
    assert re.search("^ +ours +linear", receval("metrics", "nDCG", "--convention", path)[1], re.MULTILINE)
    bad = write("bad.yaml", "axes: {ndcg_gain: square}\n")
    code, _, err = receval("metrics", "--convention", bad)
    assert code == 2
    assert "bad.yaml:1" in err


def test_json_has_every_metric_axis_and_convention(receval):
    listed = json.loads(receval("metrics", "--format", "json")[1])
    assert {metric["name"] for metric in listed["metrics"]} == METRICS.keys()
    families = [metric["family"] for metric in listed["metrics"]]
    assert list(dict.fromkeys(families)) == list(FAMILIES)
    assert families == sorted(families, key=list(FAMILIES).index)
    everything = json.loads(receval("metrics", "--all", "--format", "json")[1])
    assert everything["metrics"] == listed["metrics"]
    assert [axis["name"] for axis in everything["axes"]] == [*PROTOCOL, *(name for name in AXES if name not in PROTOCOL)]
    assert {convention["name"] for convention in everything["conventions"]} == set(builtin_names())
    assert all(set(convention["axes"]) == set(AXES) for convention in everything["conventions"])


def test_json_of_a_metric_has_the_facts_of_the_text(receval):
    out = receval("metrics", "DCG", "--format", "json")[1]
    metric = json.loads(out, parse_constant=pytest.fail)["metric"]
    assert out.endswith("}\n")
    assert metric["bounds"] == [0.0, None]
    assert metric["formula"].startswith("DCG@k(u) = ")
    assert metric["parameters"][0]["values"] == AXES["ndcg_gain"].meanings
    (setting,) = (setting for setting in metric["settings"] if setting["convention"] == "trec_eval")
    assert setting["own"] == {"gain": "linear"}
    assert setting["protocol"]["tie_order"] == "text_desc"


@pytest.mark.parametrize("arguments", [(), ("nDCG",), ("--axes",), ("--conventions",), ("--convention", "trec_eval"), ("--all",)])
def test_markdown_tables_have_as_many_cells_in_every_row(arguments, receval):
    out = receval("metrics", *arguments, "--format", "md")[1]
    for table in re.findall(r"(?:^\|.*\n)+", out, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


@pytest.mark.parametrize(
    ("arguments", "columns"),
    each_once([["metrics"], ["metrics", "nDCG"], ["metrics", "--axes"], ["metrics", "--convention", "clayrs"]], [40, 80, 160]),
)
def test_nothing_is_cut_off_on_a_terminal_of_any_width(columns, arguments):
    text = without_colour(on_a_terminal(arguments, columns))
    assert "…" not in text
    assert max(len(line) for line in text.splitlines()) <= max(columns, 80)


def test_no_color_is_honoured():
    assert "\x1b[38;5;31m" in on_a_terminal(["metrics", "nDCG"], 100)
    assert "\x1b[38;5;31m" not in on_a_terminal(["metrics", "nDCG"], 100, NO_COLOR="1")
