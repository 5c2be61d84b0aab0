"""`receval run` for people and for pipelines."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest
from blake3 import blake3
from receval.cli.main import main
from receval.config import json_schema
from receval.results.tables import ValueRow, columns_of_table

from tests.conftest import copied_configs

RECEVAL = [sys.executable, "-m", "receval.cli"]


@pytest.fixture
def config(sample) -> Path:
    return sample / "quickstart.yaml"


@pytest.fixture(scope="module")
def first_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the configs after a run of `grids.yaml`; tests must not change them."""
    configs = copied_configs(tmp_path_factory.mktemp("grids") / "configs")
    assert main(["run", str(configs / "grids.yaml"), "-q"]) == 0
    return configs


@pytest.fixture
def after_a_run(first_run, tmp_path) -> Path:
    """Return a copy of the configs with their data and the results of a run of `grids.yaml`."""
    return Path(shutil.copytree(first_run, tmp_path / "after"))


def test_the_table_goes_to_standard_output_with_the_counted_users(receval, config):
    code, out, err = receval("run", config)
    assert (code, err) == (0, "")
    assert "nDCG@10 ↑" in out
    assert "350 of 358 test users have a relevant item; the other 8 are left out (evaluation.policy.no_relevant)." in out
    assert "\x1b" not in out
    assert "…" not in out


def test_the_table_of_values_has_its_columns_and_full_precision(receval, config):
    code, out, _ = receval("run", config, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert code == 0
    assert list(rows[0]) == list(columns_of_table(ValueRow))
    assert {(row["metric"], row["k"], row["aggregate"], row["n_users"]) for row in rows} >= {("nDCG", "10", "mean", "350")}
    assert any(len(row["value"]) > 12 for row in rows)


def test_all_formats_have_the_same_values(receval, config, tmp_path):
    outputs = [tmp_path / f"r.{ending}" for ending in ("csv", "json", "jsonl", "parquet", "md", "tex")]
    code, out, err = receval("run", config, "-q", *(part for path in outputs for part in ("-o", path)))
    assert (code, out, err) == (0, "", "")
    long = pl.read_csv(outputs[0])
    content = json.loads(outputs[1].read_text())
    assert content["format_version"] == 7
    own = [name for name in long.columns if name != "run_id"]
    assert pl.DataFrame(content["results"], infer_schema_length=None).select(own).rows() == long.select(own).rows()
    assert set(long["run_id"]) == {content["run_id"]}
    assert [tuple(json.loads(line).values()) for line in outputs[2].read_text().splitlines()] == long.rows()
    assert pl.read_parquet(outputs[3]).rows() == long.rows()
    assert f"**{long['value'].max():.4f}**" in outputs[4].read_text()
    assert rf"\textbf{{{long['value'].max():.4f}}}" in outputs[5].read_text()


def test_an_output_folder_has_every_file_and_a_manifest_with_their_hashes(first_run):
    folder = first_run / "results" / "grids"
    names = {"results.csv", "results_wide.csv", "ledger.csv", "results.json", "results.parquet", "results.md", "per_user.parquet"}
    assert {path.name for path in folder.iterdir()} == {*names, "manifest.json"}
    manifest = json.loads((folder / "manifest.json").read_text())
    for output in manifest["outputs"]:
        assert hashlib.sha256((folder / output["path"]).read_bytes()).hexdigest() == output["sha256"]
    test = next(source for source in manifest["inputs"] if source["role"] == "data.test")
    content = (first_run / "data" / "test.csv").read_bytes()
    assert test["files"] == [{"path": "data/test.csv", "bytes": len(content), "hash": f"blake3:{blake3(content).hexdigest()}"}]
    assert test["rows"] == content.count(b"\n") - 1
    assert {"receval", "python", "polars", "pydantic"} <= manifest["versions"].keys()
    assert manifest["config"]["evaluation"]["convention"] == "receval"
    per_user = pl.read_parquet(folder / "per_user.parquet")
    assert per_user.columns[:4] == ["model", "user", "n_relevant", "n_recommended"]
    assert "F1(nDCG,MAP,beta=0.5)@10" in per_user.columns
    wide = pl.read_csv(folder / "results_wide.csv")
    means = per_user.filter(model="knn").select("nDCG@10").mean().item()
    assert wide.filter(model="knn")["nDCG@10"].item() == pytest.approx(means, abs=1e-15)


def test_a_second_run_gives_the_same_bytes_and_is_silent_too(receval, after_a_run):
    folder = after_a_run / "results" / "grids"
    first = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        os.utime(path, (0, 0))
    assert receval("run", after_a_run / "grids.yaml", "-q") == (0, "", "")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == first
    assert all(path.stat().st_mtime > 0 for path in folder.iterdir()), "nothing was written again"


def test_a_run_says_what_it_wrote_and_how_to_see_it(receval, config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = receval("run", config, "-o", "today/", "-o", "table.csv", "--set", "health=off")
    assert (code, err) == (0, "receval: wrote table.csv, today; next: receval report today -o report.html\n")
    assert receval("run", config, "-o", "tomorrow", "-q", "--set", "health=off") == (0, "", "")
    assert (tmp_path / "tomorrow/results.json").exists()
    assert receval("run", config, "-o", "today/", "-q", "--set", "health=off") == (0, "", "")


def test_a_folder_of_the_command_line_replaces_that_of_the_config_and_a_file_does_not(receval, config, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = ("run", config, "--set", f"output.dir={tmp_path}/results", "-q", "-o")
    assert receval(*given, "last_week/")[0] == 0
    assert (tmp_path / "last_week").is_dir()
    assert not (tmp_path / "results").exists()
    receval(*given, "values.csv")
    assert (tmp_path / "results").is_dir()


def test_a_quiet_run_prints_the_table_that_is_asked_for(receval, config):
    code, out, _ = receval("run", config, "-q", "--format", "table", "--set", "health=off")
    assert code == 0
    assert "knn" in out
    assert "Convention receval" not in out


def test_aggregates_can_be_chosen(first_run):
    text = (first_run / "results" / "grids" / "results.csv").read_text()
    rows = {(row["model"], row["metric"], row["k"], row["aggregate"]): float(row["value"]) for row in csv.DictReader(io.StringIO(text))}
    assert {key[3] for key in rows} == {"mean", "median", "std", "micro"}
    assert ("knn", "AUC", "", "micro") in rows
    assert rows["knn", "AUC", "", "mean"] == rows["knn", "GAUC", "", "mean"]
    assert rows["knn", "AUC", "", "micro"] != rows["knn", "AUC", "", "mean"]


def test_lists_come_from_standard_input_and_models_from_the_command_line(config):
    lists = (config.parent / "data" / "knn.parquet").read_bytes()
    command = [*RECEVAL, "run", config.name, "--recs", "piped=-", "--recs", "again=data/knn.parquet", "--format", "jsonl"]
    done = subprocess.run(command, input=lists, cwd=config.parent, capture_output=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        found.setdefault(row["model"], []).append(row["value"])
    assert found["piped"] == found["again"] == found["knn"]


def test_lists_come_from_a_named_pipe(config):
    command = f"{' '.join(RECEVAL)} run {config} --recs piped=<(cat data/knn.parquet) --format csv"
    done = subprocess.run(["bash", "-c", command], cwd=config.parent, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.replace("piped", "knn") for line in lines if line.startswith("piped")] == [
        line for line in lines if line.startswith("knn")
    ]


def test_a_pipe_that_closes_early_ends_quietly(sample):
    """Print more per-user values than a pipe holds, so that the reader ends during the output."""
    command = f"set -o pipefail; {' '.join(RECEVAL)} run {sample}/quickstart.yaml -q --per-user --format csv | head -n 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("model,user,n_relevant,n_recommended,Precision@5,")


def test_the_output_of_print_config_reads_back(receval, config):
    code, out, _ = receval("run", config, "--print-config", "--set", "evaluation.top_k=[3]")
    assert code == 0
    assert "nDCG@3" in out
    again = config.with_name("again.yaml")
    again.write_text(out)
    assert receval("run", again, "--print-config")[1] == out


def test_variables_of_the_environment_reach_the_config(receval, config, monkeypatch):
    config.write_text(config.read_text().replace("[5, 10, 20]", "${K:7}"))
    assert "nDCG@7" in receval("run", config, "--print-config")[1]
    monkeypatch.setenv("K", "9")
    assert "nDCG@9" in receval("run", config, "--print-config")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["run", "nowhere.yaml"], 2, "there is no config file nowhere.yaml"),
        (["run", "."], 2, "is a folder"),
        (["run"], 2, "Missing argument"),
        (["run", "quickstart.yaml", "--format", "xml"], 2, "Invalid value"),
        (["run", "quickstart.yaml", "-o", "result.xlsx"], 2, "the name of a file must end in .csv"),
        (["run", "quickstart.yaml", "--set", "evaluation.metrics=[nDGC]"], 2, "did you mean 'nDCG'"),
        (["run", "quickstart.yaml", "--recs", "x"], 2, "write it as NAME=PATH"),
        (["run", "quickstart.yaml", "--set", "data.test=nowhere.csv"], 3, "there is no file nowhere.csv"),
        (["jump"], 2, "No such command"),
        (["validate", "quickstart.yaml", "--set", "evaluation.top_k=0"], 2, "at least 1"),
    ],
)
def test_failures_have_their_exit_code_and_one_sentence(arguments, code, message, receval, config, monkeypatch):
    monkeypatch.chdir(config.parent)
    found, out, err = receval(*arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert "Traceback" not in err


def test_a_bug_keeps_its_traceback_and_exits_70(receval, config, monkeypatch):
    monkeypatch.setattr("receval.actions.run.run", lambda *_, **__: 1 / 0)
    code, _, err = receval("run", config)
    assert code == 70
    assert "ZeroDivisionError" in err
    assert "please report it" in err


@pytest.mark.parametrize("target", ["config.yaml/x.csv", "data/test.csv/", "/proc/nothing/r.csv", "/dev/null/x/"])
def test_an_unwritable_output_is_refused_before_the_computation(target, receval, config, monkeypatch):
    def never(*_, **__):
        raise AssertionError("the computation was started")

    monkeypatch.setattr("receval.actions.run.run", never)
    monkeypatch.chdir(config.parent)
    (config.parent / "config.yaml").write_text("")
    code, _, err = receval("run", config, "-o", target)
    assert code == 2
    assert "cannot write" in err


def test_a_failed_run_leaves_the_earlier_results_unchanged(receval, after_a_run):
    folder = after_a_run / "results" / "grids"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    (after_a_run / "data" / "knn.parquet").write_bytes(b"PAR1 broken")
    assert receval("run", after_a_run / "grids.yaml", "-q")[0] == 3
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_interrupted_run_exits_130_and_leaves_nothing_behind(sample):
    for name in ("test", "train"):
        (sample / "data" / f"{name}.csv").unlink()
    os.mkfifo(sample / "data" / "test.csv")  # reading it would wait forever
    command = [*RECEVAL, "run", str(sample / "quickstart.yaml"), "-o", f"{sample}/out/"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 20
    while not (sample / "out").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    assert "interrupted" in err
    assert not (sample / "out").exists()


def test_validate_opens_no_data(receval, config):
    for path in (config.parent / "data").iterdir():
        path.unlink()
    code, out, _ = receval("validate", config)
    assert (code, out) == (0, f"{config} is valid: 12 measures, 3 models\n")


def test_the_schema_is_printed_or_written_where_configs_name_it_for_editors(receval, sample):
    assert receval("schema") == (0, json_schema(), "")
    for _ in range(2):  # a file of an earlier version is replaced
        written = sample / "receval.schema.json"
        assert receval("schema", "-o", written) == (0, "", f"receval: wrote {written}\n")
        assert written.read_text() == json_schema()
    (named,) = re.findall(r"\$schema=(\S+)", (sample / "quickstart.yaml").read_text())
    assert (sample / named).samefile(written)


def test_a_schema_that_cannot_be_written_is_refused(receval, tmp_path):
    assert receval("schema", "-o", tmp_path) == (2, "", f"receval: cannot write {tmp_path}: it is a folder\n")


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["validate", "--help"], ["schema", "--help"], ["--version"]])
def test_help_and_version_exit_0_without_the_dataframe_library(arguments):
    script = f"import sys; from receval.cli.main import main; code = main({arguments}); sys.exit(code or ('polars' in sys.modules) * 99)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_every_command_is_listed_and_has_help(receval):
    from receval.cli.commands import cli

    listed = receval("--help")[1]
    for name in cli.list_commands(None):
        command = cli.get_command(None, name)
        assert name in listed
        assert command.help
        assert all(option.help for option in command.params if option.param_type_name == "option" and option.name != "help")


def test_the_help_groups_every_command_once(receval):
    from receval.cli.commands import _SECTIONS, cli

    assert sorted(name for names in _SECTIONS.values() for name in names) == sorted(cli.list_commands(None))
    out = receval("--help")[1]
    assert all(f"\n{title}:\n  {names[0]}" in out for title, names in _SECTIONS.items())


@pytest.mark.parametrize("command", ["run", "compare", "gate", "report"])
def test_the_help_shows_twelve_usual_options_and_names_the_option_that_shows_all(command, receval):
    from receval.cli.commands import cli

    known = {name for option in cli.get_command(None, command).params for name in option.opts}
    code, out, _ = receval(command, "--help")
    short = re.findall(r"^  (-.*?)(?:  |$)", out.partition("Options:")[2], re.MULTILINE)
    code_of_all, full, _ = receval(command, "--help-all")
    shown = re.findall(r"^  (-.*?)(?:  |$)", full.partition("Options:")[2], re.MULTILINE)
    n_hidden = len(shown) - len(short) - 1  # but --help-all
    assert (code, code_of_all, len(short)) == (0, 0, 13)
    assert set(short) < set(shown)
    assert out.endswith(f"\n{n_hidden} more: --help-all\n")
    assert all(name in full for name in known if name.startswith("-"))
    assert "more: --help-all" not in full
