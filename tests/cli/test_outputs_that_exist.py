"""No output replaces an input, for every command, both doors and every file that a command reads; SECURITY.md says so."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from pathlib import Path

import pytest
import receval as library
import yaml
from receval.support.errors import OutputError

from tests.conftest import ROOT
from tests.sizes import FULL

EVALUATION = {"convention": "ours.yaml", "metrics": ["MRR", "Recall"], "top_k": [1, 2]}
DATA = {
    "test": "test.csv",
    "train": {"path": "train.json", "format": "ndjson"},
    "users": "users.csv",
    "recommendations": {"a": "a.csv", "b": "b.parquet", "c": {"path": "c.md", "format": "csv"}, "parts": "parts"},
}
RULES = {"baseline": "results/main", "rules": ["MRR@1 max_loss 99%"]}
COMMANDS = {
    "run": ["run", "{}"],
    "users of a run": ["run", "{}", "--per-user"],
    "gate": ["gate", "{}"],
    "compare": ["compare", "{}"],
    "slices": ["slices", "{}"],
    "diff": ["diff", "{}", "a", "b"],
    "user": ["user", "1", "{}"],
    "plot": ["plot", "over_k", "{}"],
    "report": ["report", "{}"],
    "template": ["report", "{}", "--template", "template.md"],
    "gate of results": ["gate", "results/now", "--rule", "MRR@1 >= 0"],
    "compare results": ["compare", "results/now", "main=results/main"],
    "slices of results": ["slices", "results/now"],
    "diff of results": ["diff", "results/now", "a", "b"],
    "user of results": ["user", "1", "results/now"],
    "plot of results": ["plot", "over_k", "results/now"],
    "report on results": ["report", "results/now", "--baseline", "results/main"],
    "init": ["init", "--force", "test.csv", "a.csv", "b.parquet", "c.md", "train.json", "users.csv", "parts"],
}  # fmt: skip


def table(name, rows):
    return f"{name}\n" + "".join(f"{row}\n" for row in rows)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """Return a folder with a config in YAML and JSON, its files, a template, and two folders of results."""
    folder = tmp_path_factory.mktemp("world")
    config = {"data": DATA, "evaluation": EVALUATION, "gates": RULES, "output": {"enriched": True}, "health": "off"}
    lists = table("user,item,score", (f"{user},{item},{(user * item) % 7}" for user in range(1, 31) for item in range(10, 16)))
    files = {
        "ours.yaml": "extends: receval\ntop_k: [1, 2]\n",
        "test.csv": table("user,item", (f"{user},{10 + user % 6}" for user in range(1, 31))),
        "train.json": "".join(json.dumps({"user": user, "item": 10 + user % 5}) + "\n" for user in range(1, 31)),
        "users.csv": table("user,plan", (f"{user},{'free' if user % 2 else 'paid'}" for user in range(1, 31))),
        "a.csv": lists,
        "c.md": lists,
        "parts/1.csv": lists,
        "template.md": "{{ title }}\n",
        "config.yaml": yaml.safe_dump({**config, "gates": {}}),
    }
    (folder / "parts").mkdir()
    for name, content in files.items():
        (folder / name).write_text(content)
    import polars as pl

    pl.read_csv(folder / "a.csv").with_columns(score=pl.col("score") * -1.0).write_parquet(folder / "b.parquet")
    for place in ("main", "now"):
        here = os.getcwd()
        os.chdir(folder)
        try:
            formats = {**config["output"], "per_user": ["parquet", "csv", "jsonl"]}
            library.evaluate_config({**config, "gates": {}, "output": formats}, outputs=f"results/{place}/")
        finally:
            os.chdir(here)
    for name in ("config.yaml", "config.json"):
        (folder / name).write_text(yaml.safe_dump(config) if name.endswith("yaml") else json.dumps(config))
    return folder


@pytest.fixture
def place(world, tmp_path, monkeypatch):
    """Return the folder that holds a copy of this world, which is the working folder."""
    shutil.copytree(world, tmp_path / "place")
    monkeypatch.chdir(tmp_path / "place")
    return tmp_path / "place"


def hashes(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.rglob("*") if path.is_file()}


def files(world):
    return sorted(hashes(world))


def spelled(spelling, name, folder):
    """Return another name of a file: the same path in other words, a symbolic link, or a hard link."""
    if spelling == "plain":
        return name
    if spelling == "other words":
        return f"parts/../{name}"
    link = folder / f"another{Path(name).suffix}"
    link.symlink_to(folder / name) if spelling == "link" else os.link(folder / name, link)
    return link.name


@pytest.mark.parametrize("command", COMMANDS)
def test_no_command_replaces_a_file_that_it_reads(command, place, world, receval):
    before, refused = hashes(place), set()
    is_of_results, is_init = "{}" not in COMMANDS[command], command == "init"
    configs = ["config.yaml"] if is_of_results else ["config.yaml", "config.json"]
    not_read = {"ours.yaml", "config.yaml", "config.json", "template.md"} if is_init or is_of_results else {"template.md"}
    for config in configs:
        words = [word.replace("{}", config) for word in COMMANDS[command]]
        others = {"config.yaml", "config.json"} - {config}
        first = [*COMMANDS].index(command) + configs.index(config)  # each file is tried by a third of the commands
        tried = [name for place, name in enumerate(files(world)) if FULL or place % 3 == first % 3 or name.endswith(".md")]
        for name in tried:
            if name in others or (name in not_read and not (command == "template" and name == "template.md")):
                continue
            code, out, err = receval(*words, "-o", name)
            assert (code, out) == (2, ""), (words, name, err)
            assert hashes(place) == before, (words, name)
            if "would overwrite" in err or "the folder of" in err:
                assert len(err.splitlines()) == (2 if not is_init else len(err.splitlines()))
                refused.add(name)
    assert refused, "some file has an ending that the command writes"


@pytest.mark.each_once
@pytest.mark.parametrize("spelling", ["plain", "other words", "link", "hard link"])
@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("diff", "a.csv"), ("compare", "a.csv"), ("slices", "users.csv"), ("run", "test.csv"), ("user", "config.json"),
        ("plot", "config.json"), ("gate", "config.json"), ("init", "test.csv"), ("plot of results", "results/now/manifest.json"),
        ("gate of results", "results/now/results.json"), ("diff of results", "results/now/per_user.parquet"),
        ("user of results", "results/now/results.json"), ("compare", "results/main/results.json"), ("template", "template.md"),
        ("plot of results", "train.json"), ("report", "c.md"),
    ],
)  # fmt: skip
def test_another_spelling_of_an_input_is_refused_too(command, name, spelling, place, receval):
    output = spelled(spelling, name, place)
    before = hashes(place)
    code, out, err = receval(*(word.replace("{}", "config.json") for word in COMMANDS[command]), "-o", output)
    assert (code, out) == (2, ""), err
    assert f"-o {output} would overwrite {output if 'results' in output else ''}" in err
    assert hashes(place) == before


@pytest.mark.parametrize(
    "words",
    [
        ["run", "config.json", "-o", "results/main/"],
        ["run", "config.json", "-o", "parts/"],
        ["run", "config.json", "--set", "output.dir=parts/out"],
        ["check", "config.json", "--store-failures", "parts"],
        ["compare", "config.json", "-o", "parts/"],
        ["compare", "config.json", "-o", "results/main/"],
        ["compare", "results/now", "main=results/main", "-o", "results/now/"],
        ["compare", "results/now", "--baseline", "results/main", "-o", "results/main/"],
        ["diff", "config.json", "a", "b", "-o", "parts/2.csv"],
        ["slices", "config.json", "-o", "parts/2.csv"],
        ["track", "results/now", "--to", "{dvc: {dir: results/now}}"],
        ["track", "results/now", "--to", "{dvc: {dir: parts}}"],
        ["baseline", "set", "results/now", "--to", "results/now", "--force"],
    ],
)
def test_no_command_writes_into_a_folder_that_it_reads(words, place, receval):
    before = hashes(place)
    code, out, err = receval(*words)
    assert (code, out) == (2, ""), err
    assert len(err.splitlines()) == 2
    assert hashes(place) == before


def test_a_file_of_plugin_is_no_output(place, receval):
    (place / "plugin.py").write_text("")
    before = hashes(place)
    code, _, err = receval("report", "config.yaml", "--plugin", "plugin.py", "--template", "template.md", "-o", "plugin.py")
    assert (code, "-o plugin.py would overwrite plugin.py, which is a file of --plugin" in err) == (2, True)
    assert hashes(place) == before


def test_files_of_a_tracker_do_not_replace_an_input(place, receval):
    os.rename("a.csv", "metrics.json")
    text = (place / "config.yaml").read_text().replace("a: a.csv", "a: {path: metrics.json, format: csv}")
    (place / "config.yaml").write_text(f"{text}track: [dvc: {{dir: ., required: true}}]\n")
    before = hashes(place)
    code, _, err = receval("run", "config.yaml", "-q", "--set", "output.enriched=false")
    assert code == 2
    assert "track.dvc.dir: . would overwrite or remove metrics.json, which is data.recommendations.a" in err
    assert hashes(place) == before


def outputs_in_python(result):
    """Return what writes a file in Python, by name."""
    compared = library.compare(result)
    return {
        "report": result.report,
        "report of a comparison": compared.report,
        "chart": result.chart("over_k").save,
        "chart of a comparison": compared.chart().save,
    }


@pytest.mark.parametrize("source", ["config.json", "results/now"])
def test_no_call_replaces_a_file_behind_a_result(source, place):
    result = library.load_results(source) if os.path.isdir(source) else library.evaluate(source)
    before = hashes(place)
    for what, write in outputs_in_python(result).items():
        names = ["train.json", "results/now/manifest.json"] if "chart" in what else ["c.md"]
        names += ["config.json"] if source == "config.json" and "chart" in what else []
        for name in names:
            with pytest.raises(OutputError, match=re.escape(f"{name} would overwrite {name}, which is ")):
                write(name)
    with pytest.raises(OutputError, match="the next run would read the results as input"):
        result.save("parts")
    with pytest.raises(OutputError, match="would overwrite"):
        library.evaluate_config("config.json", outputs="a.csv")
    assert hashes(place) == before


def test_results_are_not_saved_over_a_file_behind_them(place):
    os.mkdir("saved")
    shutil.copy("test.csv", "saved/results.csv")
    before = hashes(place)
    with pytest.raises(OutputError, match=re.escape("saved would overwrite or remove saved/results.csv, which is data.test")):
        library.evaluate(test="saved/results.csv", recommendations="a.csv", metrics="MRR").save("parts/../saved")
    assert hashes(place) == before


def test_a_second_run_replaces_the_outputs_of_the_first(place, receval):
    for words in (
        ["run", "config.json", "-o", "out/", "-o", "out.csv", "-o", "out/results.json"],
        ["compare", "config.json", "-o", "compared/", "-o", "compared.json"],
        ["user", "1", "config.json", "-o", "user.json"],
        ["plot", "over_k", "config.json", "-o", "chart.json"],
        ["gate", "config.json", "-o", "verdicts.json"],
        ["diff", "config.json", "a", "b", "-o", "diff.csv"],
        ["slices", "config.json", "-o", "slices.csv"],
        ["report", "config.json", "-o", "report.html"],
        ["plot", "over_k", "results/now", "-o", "results/now/chart.json"],
        ["track", "results/now", "--to", "{dvc: {dir: tracked}}"],
        ["baseline", "set", "results/now", "--to", "results/main"],
        ["init", "test.csv", "a.csv", "-o", "new.yaml", "--force"],
        ["init", "--demo", "sample", "--force"],
        ["check", "config.json", "--store-failures", "failures"],
    ):
        for _ in range(2):
            before = hashes(place)
            code, _, err = receval(*words)
            assert code in (0, 1), (words, err)
            changed = [name for name, digest in hashes(place).items() if before.get(name) != digest]
            named = (*(word.rstrip("/") for word in words[1:]), "tracked" if "track" in words else words[-1])
            assert all(name.startswith(named) for name in changed), (words, changed)
    before = (place / "out.csv").read_bytes()
    (place / "out.csv").write_text("something else of mine")
    assert receval("run", "config.json", "-o", "out/", "-o", "out.csv")[0] == 0
    assert (place / "out.csv").read_bytes() == before


@pytest.mark.parametrize("output", ["d/" * 1500, f"{'d/' * 1500}x.csv", f"{'d/' * 4000}x.csv", f"{'/d' * 1500}/x.csv"])
def test_an_output_very_many_folders_deep_is_refused_in_one_sentence(output, place, receval):
    before = hashes(place)
    code, out, err = receval("run", "config.yaml", "-o", output, "--set", "output.enriched=false")
    assert (code, out) == (2, "")
    assert re.search(r"[14],[05]00 new folders inside each other are needed, but at most 100 are made\n", err)
    assert len(err) < 400
    assert hashes(place) == before


HERE = "tests/cli/test_outputs_that_exist.py::test_"
PROOFS = {
    "Outputs go to the paths of `-o`, `--to`, `--store-failures` and `--demo`, and to those of the keys `output`, `report` and `track` of "
    "the config.": [f"{HERE}a_second_run_replaces_the_outputs_of_the_first", f"{HERE}outputs_of_a_config_go_to_its_paths_alone"],
    "No output replaces a file that its command reads, or is written into a folder that is read as data: such a command ends with exit "
    "code 2 before any work.": [
        f"{HERE}no_command_replaces_a_file_that_it_reads",
        f"{HERE}no_command_writes_into_a_folder_that_it_reads",
        "tests/cli/test_own_inputs.py::test_a_run_that_would_overwrite_an_input_is_refused_with_both_names",
    ],
    "This holds for links and other spellings of a path, for the config, its files, baselines, templates and files of `--plugin`, and in "
    "Python.": [
        f"{HERE}another_spelling_of_an_input_is_refused_too",
        f"{HERE}a_file_of_plugin_is_no_output",
        f"{HERE}no_call_replaces_a_file_behind_a_result",
    ],
    "A file of a folder of results is replaced only by a command that writes the whole folder.": [
        f"{HERE}no_command_replaces_a_file_that_it_reads",
        f"{HERE}a_file_of_other_results_is_not_replaced",
    ],
    "Any other existing file with the name of an output is replaced without a question, except by `receval init` and "
    "`receval baseline set`, which ask for `--force`.": [
        f"{HERE}a_second_run_replaces_the_outputs_of_the_first",
        f"{HERE}two_commands_ask_for_force",
    ],
    "If one output cannot be written, none is.": [
        "tests/storage/test_whole.py::test_two_folders_and_a_file_change_together_or_not_at_all"
    ],
    "A command that is interrupted removes its temporary files and leaves the old outputs complete; after a kill, the next run removes "
    "what was left.": [
        "tests/cli/test_interrupted.py::test_a_signal_ends_the_program_quietly_and_tidily",
        "tests/cli/test_parallel_runs.py::test_the_next_run_removes_what_a_killed_one_left_and_gives_the_result",
    ],
}  # fmt: skip
"""Sentence of SECURITY.md → the tests that prove it."""


def test_outputs_of_a_config_go_to_its_paths_alone(place, receval):
    before = hashes(place)
    text = (place / "config.yaml").read_text().replace("output:\n", "output:\n  dir: own\n")
    (place / "config.yaml").write_text(f"{text}report: {{files: [own.html]}}\ntrack: [dvc: {{dir: tracked}}]\n")
    assert receval("run", "config.yaml", "-q")[0] == 0
    new = {name.partition("/")[0] for name in hashes(place).keys() - before}
    assert new == {"own", "own.html", "tracked"}
    assert {name: digest for name, digest in hashes(place).items() if name in before and name != "config.yaml"} == {
        name: digest for name, digest in before.items() if name != "config.yaml"
    }


def test_a_file_of_other_results_is_not_replaced(place, receval):
    shutil.copytree("results/now", "others")
    before = hashes(place)
    for name in ("manifest.json", "results.json", "per_user.csv", "results.md"):
        for words in (["run", "config.json"], ["compare", "config.json"], ["gate", "config.json"]):
            code, _, err = receval(*words, "-o", f"others/{name}")
            assert code == 2
            written = {"per_user.csv": ("run", "compare")}.get(name, ("run", "compare", "gate"))
            assert words[0] not in written or f"others/{name}, which is a file of the results in others" in err
    assert receval("user", "1", "config.json", "-o", "others/user.json")[0] == 0
    assert {name: digest for name, digest in hashes(place).items() if name in before} == before


def test_two_commands_ask_for_force(place, receval):
    (place / "new.yaml").write_text("mine")
    code, _, err = receval("init", "test.csv", "a.csv", "-o", "new.yaml")
    assert (code, "add --force to overwrite it" in err, (place / "new.yaml").read_text()) == (2, True, "mine")
    (place / "mine").mkdir()
    (place / "mine" / "results.json").write_text("mine")
    code, _, err = receval("baseline", "set", "results/now", "--to", "mine")
    assert (code, "or add --force" in err, (place / "mine" / "results.json").read_text()) == (2, True, "mine")


def test_each_sentence_on_outputs_in_security_md_names_its_tests():
    section = (ROOT / "SECURITY.md").read_text().partition("## What is written\n")[2].partition("\n## ")[0]
    assert re.split(r"(?<=\.) ", " ".join(section.split())) == list(PROOFS)
    for tests in PROOFS.values():
        for file, _, name in (test.partition("::") for test in tests):
            assert f"def {name}(" in (ROOT / file).read_text(), name
