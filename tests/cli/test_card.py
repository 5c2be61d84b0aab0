"""`receval card`: every form has the same facts, and states nothing that was not measured or given."""

from __future__ import annotations

import json
import re
import shutil

import pytest
import receval as library
import yaml
from receval.config.card import Card
from receval.documents.card import FIELDS, NOT_STATED
from receval.results.signature import signature_lines

from tests.conftest import built_once

STATED = {
    "data": "MovieLens",
    "preprocessing": "5-core",
    "split": "by time",
    "validation": "10 %",
    "tuning": {"knn": "50 trials", "popular": "none"},
    "seeds": [1, 2, 3],
    "hardware": "a laptop",
    "code": "at home",
}


@pytest.fixture
def results(receval, sample, tmp_path):
    """Return a folder of results of the quick start."""

    def build():
        code, _, err = receval("run", sample / "quickstart.yaml", "-o", "results/", "-q")
        assert (code, err) == (0, "")

    return built_once(tmp_path, build) / "results"


@pytest.fixture
def card(receval):
    def card(folder, *options):
        code, out, err = receval("card", folder, "--format", "json", *options)
        assert (code, err) == (0, "")
        return json.loads(out)

    return card


def texts(part):
    """Yield every text of a part of a card."""
    if isinstance(part, dict):
        for key, value in part.items():
            yield from (key, *texts(value))
    elif isinstance(part, list):
        for element in part:
            yield from texts(element)
    elif part is not None:
        yield str(part)


def test_every_form_has_every_part_and_every_signature(receval, results, tmp_path):
    names = ("card.md", "card.tex", "card.html", "card.json")
    code, out, err = receval("card", results, *(part for name in names for part in ("-o", tmp_path / name)))
    assert (code, out) == (0, "")
    assert err.startswith("receval: wrote ")
    written = {name: (tmp_path / name).read_text() for name in names}
    titles = [part["title"] for part in json.loads(written["card.json"]).values() if isinstance(part, dict)]
    assert len(titles) == 11
    lines = signature_lines(library.load_results(results)).values()
    for name, text in written.items():
        assert all(title in text for title in titles), name
        plain = re.sub(r"\\allowbreak\{\}", "", text)
        assert all(line.split("|")[1] in plain and "not stated" in plain for line in lines) or name == "card.json", name
    assert all(line in written["card.md"] and line in written["card.html"] and line in written["card.json"] for line in lines)


def test_the_same_results_give_the_same_bytes(receval, results):
    assert receval("card", results, "--format", "md") == receval("card", results, "--format", "md")


def test_the_keys_of_the_config_are_the_fields_of_the_card():
    assert list(FIELDS) == list(Card.model_fields)


def test_fields_of_the_author_are_not_stated_until_somebody_states_them(card, receval, results):
    (rows,) = card(results)["author"]["content"]
    assert {row["statement"] for row in rows} == {None}
    assert [row["field"] for row in rows if row["field"].startswith("tuning")] == ["tuning: knn", "tuning: popular", "tuning: random"]
    assert receval("card", results, "--format", "md")[1].count(f"| {NOT_STATED} |") == len(rows)


def test_the_config_states_fields_and_its_results_keep_them(receval, sample, tmp_path, card):
    config = yaml.safe_load((sample / "quickstart.yaml").read_text())
    (sample / "stated.yaml").write_text(yaml.safe_dump({**config, "card": STATED}))
    folder = tmp_path / "stated"
    assert receval("run", sample / "stated.yaml", "-o", f"{folder}/", "-q")[0] == 0
    (rows,) = card(folder)["author"]["content"]
    said = {row["field"]: row["statement"] for row in rows}
    assert said == {
        "data set": "MovieLens",
        "preprocessing": "5-core",
        "split": "by time",
        "validation set": "10 %",
        "tuning: knn": "50 trials",
        "tuning: popular": "none",
        "tuning: random": None,
        "seeds": "1, 2, 3",
        "hardware": "a laptop",
        "code": "at home",
    }
    assert json.loads((folder / "manifest.json").read_text())["config"]["card"]["seeds"] == "1, 2, 3"
    assert "1 of 10 fields of the author are not stated: tuning: random." in texts_of(card(folder)["unchecked"])


def texts_of(part):
    return list(texts(part))


def test_what_the_author_states_changes_no_value_and_no_run_id(receval, sample, tmp_path):
    ids = set()
    for options in ((), ("--set", "card.seeds=7")):
        assert receval("run", sample / "quickstart.yaml", *options, "-o", f"{tmp_path / 'again'}/", "-q")[0] == 0
        ids.add(json.loads((tmp_path / "again" / "manifest.json").read_text())["run_id"])
    assert len(ids) == 1


def test_options_state_fields_of_stored_results(card, results):
    (rows,) = card(results, "--set", "card.seeds=[1, 2]", "--set", "card.tuning=all alike")["author"]["content"]
    said = {row["field"]: row["statement"] for row in rows}
    assert said["seeds"] == "1, 2"
    assert said["tuning: all models"] == "all alike"


@pytest.mark.parametrize(
    ("options", "code", "problem"),
    [
        (("--set", "card.sedes=1"), 2, "card.sedes: unknown key 'sedes' — did you mean 'seeds'?"),
        (("--set", "card.seeds={a: 1}"), 2, "card.seeds"),
        (("--set", "evaluation.top_k=5"), 2, "has no effect on a card"),
        (("-o", "card.pdf"), 2, "the name of a card must end in .md, .tex, .html, .htm, .json"),
    ],
)
def test_wrong_options_are_refused_with_what_to_write(options, code, problem, receval, results):
    found, out, err = receval("card", results, *options)
    assert (found, out) == (code, "")
    assert problem in err


def test_an_unknown_field_in_a_config_is_refused_with_the_nearest_one(sample):
    config = yaml.safe_load((sample / "quickstart.yaml").read_text())
    with pytest.raises(library.ConfigError, match="did you mean 'hardware'"):
        library.load_config({**config, "card": {"hardwear": "x"}})


def test_a_folder_without_results_is_one_sentence(receval, tmp_path):
    code, out, err = receval("card", tmp_path / "nowhere")
    assert (code, out) == (3, "")
    assert "the folder does not exist" in err


def test_what_was_not_checked_is_said_and_nothing_else_looks_checked(card, receval, sample, results, tmp_path):
    said = card(results)
    outcome = {row["check"]: row["what it found"] for row in said["leaks"]["content"][0]}
    assert outcome["X06"] == "not checked: no data.train"
    assert outcome["X16"] == "nothing"
    assert "Differences between training runs: there is one run of each model." in texts_of(said["unchecked"])
    receval(
        "run", sample / "quickstart.yaml", "--set", "health=off", "--set", "data.train=data/train.csv", "-o", f"{tmp_path / 'off'}/", "-q"
    )
    unexamined = card(tmp_path / "off")
    assert {row["what it found"] for row in unexamined["leaks"]["content"][0]} == {"not checked"}
    assert "No health check was run." in texts_of(unexamined["unchecked"])


def test_leaks_and_the_contents_of_files_are_on_the_card_if_they_were_measured(card, receval, sample, tmp_path):
    options = ("--set", "data.train=data/train.csv", "--set", "output.describe=true", "--set", "evaluation.yardsticks=true")
    assert receval("run", sample / "quickstart.yaml", *options, "-o", f"{tmp_path / 'all'}/", "-q")[0] in (0, 1)
    said = card(tmp_path / "all")
    assert not any(row["what it found"].startswith("not checked: no data.train") for row in said["leaks"]["content"][0])
    assert "were not measured" not in " ".join(texts_of(said["data"]))
    assert "none were evaluated" not in " ".join(texts_of(said["unchecked"]))


def test_no_statement_appears_that_nobody_made(card, results):
    said = card(results)
    known = " ".join(texts_of({key: value for key, value in said.items() if key not in ("author", "unchecked", "repeat", "definitions")}))
    assert not re.search(r"\b(tuned|GPU|validation|seed|hyperparameter)", known)


def test_no_id_of_a_user_is_on_a_card(receval, sample, tmp_path):
    lists = (sample / "data" / "test.csv").read_text().splitlines()
    header, rows = lists[0], [f"person-{line}" for line in lists[1:]]
    (sample / "data" / "named.csv").write_text("\n".join((header, *rows)))
    named = sample / "data" / "named.csv"
    code, _, _ = receval("run", "--test", named, "--recs", f"same={named}", "-m", "nDCG@5", "-o",
                         f"{tmp_path / 'named'}/", "-q")  # fmt: skip
    assert code in (0, 1)
    for form in ("md", "json", "html", "latex", "table"):
        assert "person-" not in receval("card", tmp_path / "named", "--format", form)[1]


def test_folds_and_runs_are_counted_for_each_model(card, receval, sample, tmp_path):
    data = sample / "data"
    shutil.copy(data / "knn.parquet", data / "knn_2.parquet")
    config = {
        "data": {
            "folds": [{"name": "one", "test": "data/test.csv"}, {"name": "two", "test": "data/test.csv"}],
            "recommendations": {"knn": {"runs": ["data/knn.parquet", "data/knn_2.parquet"]}, "popular": "data/popular.parquet"},
        },
        "evaluation": {"metrics": ["nDCG@5"]},
    }
    (sample / "folds.yaml").write_text(yaml.safe_dump(config))
    assert receval("run", sample / "folds.yaml", "-o", f"{tmp_path / 'folds'}/", "-q")[0] in (0, 1)
    said = card(tmp_path / "folds")
    (rows,) = said["repeats"]["content"]
    assert [(row["model"], row["folds"], row["runs in each"]) for row in rows] == [("knn", "2", "2"), ("popular", "2", "1")]
    assert "|folds=2|runs=1-2|" in " ".join(texts_of(said["definitions"]))


def test_the_config_on_the_card_computes_the_results_again(card, receval, sample, results, tmp_path):
    (config,) = (part["Config"][0] for part in card(results)["repeat"]["content"] if isinstance(part, dict))
    (sample / "again.yaml").write_text(config)
    assert receval("run", sample / "again.yaml", "-o", f"{tmp_path / 'again'}/", "-q")[0] == 0
    first, again = (json.loads((folder / "results.json").read_text()) for folder in (results, tmp_path / "again"))
    assert [(row["model"], row["measure"], row["value"]) for row in first["results"]] == [
        (row["model"], row["measure"], row["value"]) for row in again["results"]
    ]
    assert first["signatures"] == again["signatures"]
    assert first["run_id"] == again["run_id"]


def test_the_card_of_python_is_that_of_the_command(receval, results, tmp_path):
    library.load_results(results).card(tmp_path / "card.md", statements={"seeds": 7})
    assert (tmp_path / "card.md").read_text() == receval("card", results, "--set", "card.seeds=7", "--format", "md")[1]
    with pytest.raises(library.ConfigError, match="did you mean 'seeds'"):
        library.load_results(results).card(tmp_path / "card.md", statements={"sedes": 7})


def test_models_with_the_same_users_share_a_line(receval, results):
    assert "- all models: 358 test users, 579 with a list" in receval("card", results, "--format", "md")[1]


def test_every_ledger_of_a_model_is_on_the_card_in_json(receval, sample, tmp_path, card):
    """One measure counts users whom the other leaves out: two lines for the same models."""
    given = ("--set", "evaluation.metrics=[nDCG@10, Recall(no_relevant=zero)@10]", "-o", f"{tmp_path / 'two'}/", "-q")
    assert receval("run", sample / "quickstart.yaml", *given)[0] == 0
    lines = [line for part in card(tmp_path / "two")["users"]["content"] for line in part if isinstance(line, dict)]
    assert [line["text"].rpartition(" (")[2] for line in lines] == ["nDCG@10)", "Recall(no_relevant=zero)@10)"]
    assert {line["name"] for line in lines} == {"all models"}
