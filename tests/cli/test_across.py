"""`receval compare --across` says what may be claimed over data sets, in every form, and refuses in one sentence."""

from __future__ import annotations

import csv
import io
import json
import random
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import built_once

QUALITY = {"pop": 0.3, "knn": 0.45, "ease": 0.6}
CONFIG = """
data: {test: test.csv, recommendations: {%s}}
evaluation: {metrics: [%s]}
health: off
"""


@pytest.fixture
def folders(tmp_path, receval):
    """Return a function that evaluates models on some data sets; better ones find the item of a user more often."""

    def build(number, own, metrics):
        chance = random.Random(number)
        test = [(user, chance.randrange(50)) for user in range(120 + 20 * number)]
        Path("test.csv").write_text("user,item\n" + "".join(f"{user},{item}\n" for user, item in test))
        for model in own:
            rows = []
            for user, item in test:
                listed = [other for other in chance.sample(range(50), 6) if other != item][:5]
                if chance.random() < QUALITY[model]:
                    listed[chance.randrange(5)] = item
                rows += [f"{user},{other},{rank}\n" for rank, other in enumerate(listed, 1)]
            Path(f"{model}.csv").write_text("user,item,rank\n" + "".join(rows))
        lists = ", ".join(f"{model}: {model}.csv" for model in own)
        Path("config.yaml").write_text(CONFIG % (lists, metrics))
        assert receval("run", "config.yaml", "-q", "-o", "out/")[0] == 0

    def folders(n=3, models=tuple(QUALITY), metrics="nDCG@5, HitRate@5", lacks=None):
        places = []
        for number in range(n):
            own = tuple(model for model in models if (number, model) != lacks)
            place = built_once(tmp_path / f"d{number}", build, number, own, metrics)
            places.append(f"d{number}={place}/out")
        return places

    return folders


def test_each_pair_and_measure_has_a_sentence_and_the_screen_fits_every_width(folders, receval, monkeypatch):
    places = folders(4)
    for width in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        code, out, err = receval("compare", "--across", *places)
        assert (code, err) == (0, "")
        text = " ".join(out.split())
        assert "ease is better than pop: HitRate@5 is higher by " in text
        assert text.count("on average over 4 data sets (95 % interval ") == 4
        assert text.count("; on a further data set at least ") == 4
        assert max(map(len, out.splitlines())) <= width
    assert "Friedman" not in out


@pytest.mark.parametrize("ending", ["json", "csv", "md", "tex", "html"])
def test_every_form_has_the_same_comparison(ending, folders, receval, tmp_path):
    places, target = folders(), tmp_path / f"x.{ending}"
    code, out, err = receval("compare", "--across", *places, "-q", "-o", target)
    assert (code, out, err) == (0, "", "")
    text = target.read_text()
    assert "ease" in text
    assert "d2" in text
    if ending == "json":
        found = json.loads(text)
        assert found["data_sets"] == ["d0", "d1", "d2"]
        one = found["comparisons"][0]
        assert one["better"] + one["equal"] + one["worse"] == one["n_data_sets"] == len(one["data_sets"]) == 3
        assert one["further_low"] < one["low"] < one["change"] < one["high"] < one["further_high"]
        assert receval("compare", "--across", *places, "--format", "json")[1] == text
        screen = " ".join(receval("compare", "--across", *places)[1].split())
        assert len(found["notes"]) >= 3
        assert all(note in screen for note in found["notes"])
    if ending == "csv":
        means = [row for row in csv.DictReader(io.StringIO(text)) if not row["data_set"]]
        assert len(means) == 4
        for row in means:
            ends = [float(row[name]) for name in ("further_low", "low", "effect", "high", "further_high")]
            assert (ends, row["scale"]) == (sorted(ends), "log ratio")
            assert float(row["p"]) <= float(row["p_adjusted"])
    receval("compare", "--across", *places, "-q", "-o", f"{tmp_path}/all/")
    assert {path.name for path in (tmp_path / "all").iterdir()} == {"across.json", "across.csv", "across.md"}


def test_a_diagram_is_drawn_from_seven_data_sets_for_three_models_on_and_refused_below(folders, receval, tmp_path):
    places, image = folders(7), tmp_path / "x.svg"
    code, out, err = receval("compare", "--across", *places, "--ranks", "--measure", "HitRate@5", "-o", image, "-o", tmp_path / "x.tex")
    assert (code, err) == (0, "")
    assert "Friedman over 7 data sets and 3 models" in out
    assert "●" in out
    assert "Nemenyi's critical difference" in out
    texts = [text.text for text in ElementTree.parse(image).iter() if text.text and text.tag.endswith("}text")]
    assert {text.partition(" ")[0] for text in texts} >= {"pop", "knn", "ease"}
    assert "\\begin{tikzpicture}" in (tmp_path / "x.tex").read_text()
    code, out, err = receval("compare", "--across", *places[:6], "--ranks")
    assert code == 0
    assert "6 data sets are too few to compare ranks of 3 models" in " ".join(out.split())
    assert "●" not in out
    assert "Friedman" not in out
    code, out, err = receval("compare", "--across", *places[:6], "--ranks", "-o", tmp_path / "y.svg")
    assert (code, out, (tmp_path / "y.svg").exists()) == (3, "", False)
    assert "cannot show any difference with fewer than 7" in err


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--margin", "1%"), "--across does not go with --margin\n"),
        (("--losers", "3"), "--across does not go with --losers"),
        (("--test", "wilcoxon"), "--across does not go with --test"),
        (("--by", "users.plan"), "--across does not go with --by"),
        (("--unpaired",), "--across does not go with --unpaired"),
        (("--relative",), "--across does not go with --relative"),
        (("--all",), "--across does not go with --all"),
        (("--find-slices",), "--across does not go with --find-slices"),
        (("--baseline-model", "knn"), "--across does not go with --baseline-model"),
        (("--baseline", "x"), "the baseline is x, but no model has this name"),
        (("-o", "x.svg"), "a diagram of ranks needs ranks"),
    ],
)
def test_options_without_effect_and_unknown_names_are_refused(options, problem, folders, receval, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = receval("compare", "--across", *folders(2), *options)
    assert (code, out) == (2, "")
    assert problem in err


def test_options_of_data_sets_need_across(folders, receval):
    places = folders(2)
    for options in (("--ranks",), ("--complete", "models")):
        code, _, err = receval("compare", *places, *options)
        assert code == 2
        assert f"{options[0]} goes with --across" in err


def test_missing_cells_are_refused_with_both_ways_out_each_of_which_works(folders, receval):
    places = folders(3, lacks=(1, "knn"))
    code, _, err = receval("compare", "--across", *places)
    assert code == 3
    assert err.splitlines()[0] == "receval: knn has no results on d1"
    assert "--complete models" in err
    assert "--complete data-sets" in err
    assert "Left out: knn, because knn has no results on d1." in " ".join(
        receval("compare", "--across", *places, "--complete", "models")[1].split()
    )
    out = " ".join(receval("compare", "--across", *places, "--complete", "data-sets")[1].split())
    assert "Left out: d1, because knn has no results on d1." in out
    assert "over 2 data sets" in out
    assert receval("compare", "--across", *places, "--models", "pop,ease")[0] == 0


def test_a_config_can_be_one_of_the_data_sets_and_the_baseline_of_the_configs_counts(folders, receval, tmp_path):
    places = folders(3)
    code, out, err = receval("compare", "--across", places[0], places[1], tmp_path / "d2" / "config.yaml", "--measure", "nDCG@5")
    assert (code, err) == (0, "")
    assert "d0, d1 and config" in " ".join(out.split())
    for number in range(3):
        config = tmp_path / f"d{number}" / "config.yaml"
        receval("run", config, "--set", "compare.baseline=knn", "-q", "-o", f"{tmp_path}/d{number}/out/")
    assert receval("compare", "--across", *places)[1].startswith("pop, ease against knn, over 3 data sets")
    receval("run", tmp_path / "d2" / "config.yaml", "--set", "compare.baseline=pop", "-q", "-o", f"{tmp_path}/d2/out/")
    code, _, err = receval("compare", "--across", *places)
    assert code == 2
    assert "the configs of the data sets name different baselines: knn and pop" in err


def test_data_sets_with_other_definitions_are_refused_by_name(folders, receval, tmp_path):
    places = folders(3)
    receval("run", tmp_path / "d1" / "config.yaml", "-q", "--set", "evaluation.convention=trec_eval", "-o", f"{tmp_path}/d1/out/")
    code, out, err = receval("compare", "--across", *places)
    assert (code, out) == (3, "")
    assert err.startswith("receval: d1 cannot be combined with d0: ")


def test_a_config_of_several_data_sets_is_compared_as_its_folders_are(folders, receval, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = folders(3, metrics="nDCG@5")
    lists = ", ".join(f'{model}: "{{dataset}}/{model}.csv"' for model in QUALITY)
    data = f'data: {{test: "{{dataset}}/test.csv", recommendations: {{{lists}}}}}'
    (tmp_path / "paper.yaml").write_text(f"datasets: [d0, d1, d2]\n{data}\nevaluation: {{metrics: [nDCG@5]}}\nhealth: off\n")
    assert receval("compare", "--across", "paper.yaml") == receval("compare", "--across", *places)
    assert receval("run", "paper.yaml", "--set", "dataset=d1", "-q", "-o", "one/")[0] == 0
    assert receval("compare", "--across", places[0], "d1=one", places[2]) == receval("compare", "--across", *places)
    code, out, err = receval("run", "paper.yaml")
    assert (code, out) == (2, "")
    assert err.startswith("receval: paper.yaml has several data sets: d0, d1, d2\n")
    code, _, err = receval("compare", "--across", "paper.yaml", *places)
    assert (code, err.splitlines()[0]) == (2, "receval: paper.yaml has several data sets: d0, d1, d2; give it alone")


PAPER = """
datasets: [%s]
data: {test: "{dataset}/test.csv", recommendations: {pop: "{dataset}/pop.csv", ease: "{dataset}/ease.csv"}}
evaluation: {metrics: [nDCG@5]}
health: off
"""


@pytest.fixture
def paper(folders, tmp_path, monkeypatch):
    """Return a function that writes a config of several data sets, with some lines changed."""
    monkeypatch.chdir(tmp_path)
    folders(3, models=("pop", "ease"), metrics="nDCG@5")

    def paper(names="d0, d1, d2", lines=""):
        (tmp_path / "paper.yaml").write_text(PAPER % names + lines)
        return "paper.yaml"

    return paper


def test_values_among_sampled_candidates_are_not_combined_with_those_of_the_catalogue(paper, receval):
    config = paper()
    for number, options in enumerate(((), (), ("--set", "evaluation.candidates={sampled: 100, catalogue: 5000}"))):
        assert receval("run", config, "--set", f"dataset=d{number}", "-q", *options, "-o", f"out/d{number}/")[0] == 0
    code, out, err = receval("compare", "--across", "out/d0", "out/d1", "out/d2")
    assert (code, out) == (3, "")
    assert "d2 has values among 100 sampled candidates, and d0 and d1 have values over the whole catalogue" in err
    assert receval("compare", "--across", "out/d0", "out/d1")[0] == 0
    receval("run", config, "--set", "dataset=d1", "-q", "--set", "evaluation.candidates={sampled: 50, catalogue: 5000}", "-o", "out/d1/")
    code, _, err = receval("compare", "--across", "out/d1", "out/d2")
    assert (code, "d1 has values among 50 sampled candidates, and d2 has values among 100 sampled candidates" in err) == (3, True)


def test_a_data_set_that_is_named_twice_is_refused(paper, receval):
    code, out, err = receval("compare", "--across", paper("d0, d0, d1"))
    assert (code, out) == (2, "")
    assert "datasets has d0 twice" in err


def test_all_data_sets_are_compared_whichever_the_config_chooses_for_a_run(paper, receval):
    expected = receval("compare", "--across", paper())
    assert expected[0] == 0
    assert receval("compare", "--across", paper(lines="dataset: d1\n")) == expected


def test_a_mark_of_data_sets_without_their_names_is_one_sentence(paper, receval, tmp_path):
    paper()
    (tmp_path / "paper.yaml").write_text(PAPER.replace("datasets: [%s]\n", ""))
    code, out, err = receval("run", "paper.yaml")
    assert (code, out, len(err.splitlines())) == (2, "", 2)
    assert err.startswith("receval: paper.yaml: {dataset} is in paths, but there is no key datasets\n")
    assert "name them: datasets: [" in err


def test_validate_checks_each_data_set_and_other_commands_say_how_to_choose_one(paper, receval):
    code, out, err = receval("validate", paper(), "--files")
    assert (code, err) == (0, "")
    assert [line.partition(" is valid")[0] for line in out.splitlines()] == [f"paper.yaml with the data set d{n}" for n in range(3)]
    assert receval("validate", paper("d0, d9"), "--files")[0] == 3
    for command in ("check", "describe"):
        code, out, err = receval(command, paper())
        assert (code, out) == (2, "")
        assert "choose one: --set dataset=d0" in err


def test_two_data_sets_name_no_intervals_and_one_is_quoted(paper, receval):
    code, out, _ = receval("compare", "--across", paper("d0, d1"))
    assert (code, "Hartung" in out) == (0, False)
    assert "Hartung, Knapp, Sidik and Jonkman, at least as wide as with equal weights" in " ".join(
        receval("compare", "--across", paper())[1].split()
    )
    code, _, err = receval("compare", "--across", paper(), "--set", "dataset=d0")
    assert (code, "there is only 'paper'" in err, "datasets: [" in err) == (2, True, True)


def test_a_folder_that_is_given_twice_is_named(folders, receval):
    places = folders(2)
    code, out, err = receval("compare", "--across", places[0], places[0], places[1])
    assert (code, out) == (2, "")
    assert err.splitlines()[0].endswith("out is given twice")
