"""docs/how-to/schedulers.md: its files are those of docs/examples/schedulers, and run with the real scheduler if it is installed."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import receval as library
import yaml

from tests.conftest import ROOT
from tests.pipelines import JOB
from tests.test_pages import blocks

PAGE = Path("docs/how-to/schedulers.md")
FILES = ROOT / "docs" / "examples" / "schedulers"
GOOD, WORSE, LATE = "2026-11-20", "2026-11-21", "2026-11-22"
"""Days: the lists of one pass the gate, those of the next do not, and those of the last are not there yet."""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with nightly.yaml, its data, and the command `receval`, as a worker of a scheduler has it."""
    for name in ("test", "lists", "bin"):
        (tmp_path / name).mkdir()
    for file in FILES.iterdir():
        shutil.copy(file, tmp_path)
    for date, shift in {GOOD: 0, WORSE: 1}.items():
        (tmp_path / "test" / f"{date}.csv").write_text("user,item\n" + "".join(f"{user},{user % 9}\n" for user in range(120)))
        (tmp_path / "lists" / f"{date}.csv").write_text(
            "user,item,rank\n" + "".join(f"{user},{(user + shift) % 9},1\n" for user in range(120))
        )
    command = tmp_path / "bin" / "receval"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m receval "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("EVALUATION", str(tmp_path))
    return tmp_path


def run(place: Path, script: str, **environment: str) -> list[str]:
    """Run a script in a new process in the folder, and return the lines that it prints with a `>` in front."""
    given = {**os.environ, **environment}
    done = subprocess.run([sys.executable, "-c", script], cwd=place, env=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return [line.removeprefix("> ") for line in done.stdout.splitlines() if line.startswith("> ")]


def test_the_files_of_the_page_are_those_that_are_tested():
    shown = {text.partition("\n")[0].removeprefix("# "): text for language, text in blocks(PAGE) if language in ("python", "yaml")}
    assert shown == {file.name: file.read_text("utf-8") for file in FILES.iterdir()}


@pytest.mark.parametrize("name", sorted(file.name for file in FILES.glob("*.py")))
def test_the_code_of_each_file_is_valid_and_short(name: str):
    text = (FILES / name).read_text("utf-8")
    compile(text, name, "exec")
    assert len(text.splitlines()) < 45


def test_a_day_is_a_variable_of_the_config_and_a_partition_of_the_results(
    place: Path, receval: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(place)
    (text,) = (text for language, text in blocks(PAGE) if language == "console")
    setting, command, *_ = text.splitlines()
    monkeypatch.setenv(*setting.removeprefix("$ export ").split("="))
    assert receval(*shlex.split(command.removeprefix("$ receval "))) == (0, "", "")
    (query,) = (text for language, text in blocks(PAGE) if language == "sql")
    duckdb = pytest.importorskip("duckdb", reason="needs the extra sql")
    assert [str(cell) for cell in duckdb.sql(query).fetchall()[0]] == [GOOD, "home", "1.0"]


@pytest.mark.parametrize(("date", "reason"), [(GOOD, None), (WORSE, "the only gate failed"), (LATE, "there is no file")])
def test_the_script_for_databricks_fails_with_its_reason(place: Path, date: str, reason: str | None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "argv", ["databricks_task.py", str(place), date])
    if reason is None:
        runpy.run_path(str(place / "databricks_task.py"))
    else:
        with pytest.raises((RuntimeError, library.DataError), match=reason):
            runpy.run_path(str(place / "databricks_task.py"))
    assert (place / f"results/date={date}/results.parquet").is_file() == (date != LATE)


def test_the_job_for_databricks_has_only_keys_that_databricks_knows():
    jobs = pytest.importorskip("databricks.sdk.service.jobs", reason="needs databricks-sdk")
    job = yaml.safe_load((FILES / "databricks_job.yaml").read_text("utf-8"))
    assert jobs.JobSettings.from_dict(job).as_dict() == job


def test_the_job_for_gitlab_extends_the_template():
    text = (FILES / "gitlab.yaml").read_text("utf-8")
    job = yaml.safe_load(text)["evaluate"]
    assert set(job["variables"]) <= set(JOB["variables"])
    assert set(re.findall(r"\d+", f"{job['allow_failure']} {job['retry']['exit_codes']}")) == {"3", "4"}


@pytest.mark.slow
def test_airflow_stops_the_deployment_after_a_gate_and_retries_late_data(place: Path):
    pytest.importorskip("airflow", reason="needs Airflow")
    (place / "airflow" / "dags").mkdir(parents=True)
    shutil.copy(FILES / "airflow_dag.py", place / "airflow" / "dags")
    settings = {"AIRFLOW_HOME": str(place / "airflow"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    for command in (["db", "migrate"], ["dags", "reserialize"]):
        subprocess.run([sys.executable, "-m", "airflow", *command], env={**os.environ, **settings}, check=True, capture_output=True)
    script = f"""
import pendulum
from airflow.dag_processing.dagbag import DagBag
for date in ("{GOOD}", "{WORSE}"):
    run = DagBag("airflow/dags").dags["nightly"].test(logical_date=pendulum.parse(date))
    print(">", date, *sorted(f"{{one.task_id}}={{one.state}}" for one in run.get_task_instances()))
"""
    assert run(place, script, **settings) == [
        f"{GOOD} deploy=success evaluate=success",
        f"{WORSE} deploy=upstream_failed evaluate=failed",
    ]
    script = f"""
from airflow.dag_processing.dagbag import DagBag
from airflow.sdk.exceptions import AirflowFailException
for date in ("{WORSE}", "{LATE}"):
    try:
        DagBag("airflow/dags").dags["nightly"].task_dict["evaluate"].python_callable(ds=date)
    except Exception as error:
        print(">", date, isinstance(error, AirflowFailException), error)
"""
    assert run(place, script, **settings) == [f"{WORSE} True receval ended with 1", f"{LATE} False receval ended with 3"]


@pytest.mark.slow
def test_dagster_shows_a_gate_as_a_check_that_blocks_the_deployment(place: Path):
    pytest.importorskip("dagster", reason="needs Dagster")
    script = f"""
import dagster as dg, dagster_check
for date in ("{GOOD}", "{WORSE}"):
    done = dg.materialize([dagster_check.evaluation, dagster_check.deployment], partition_key=date, raise_on_error=False)
    made = [event.asset_key.to_user_string() for event in done.get_asset_materialization_events()]
    print(">", date, made, [(check.check_name, check.passed) for check in done.get_asset_check_evaluations()])
    print(">", done.asset_materializations_for_node("evaluation")[0].metadata["home nDCG@10"].value)
try:
    dagster_check.evaluation(dg.build_asset_context(partition_key="{LATE}"))
except dg.Failure as error:
    print(">", error.description, error.allow_retries)
"""
    assert run(place, script) == [
        f"{GOOD} ['evaluation', 'deployment'] [('gates', True)]",
        "1.0",
        f"{WORSE} ['evaluation'] [('gates', False)]",
        "0.0",
        "receval ended with 3 True",
    ]


@pytest.mark.slow
def test_prefect_fails_at_once_after_a_gate_and_retries_late_data(place: Path):
    pytest.importorskip("prefect", reason="needs Prefect")
    script = f"""
import prefect_flow
from prefect.testing.utilities import prefect_test_harness
with prefect_test_harness():
    prefect_flow.evaluate = prefect_flow.evaluate.with_options(retries=1, retry_delay_seconds=0)
    for date in ("{GOOD}", "{WORSE}", "{LATE}"):
        state = prefect_flow.nightly(date, return_state=True)
        print(">", date, state.name, str(state.result(raise_on_failure=False)))
"""
    settings = {"PREFECT_HOME": str(place / "prefect"), "PREFECT_LOGGING_LEVEL": "INFO", "PYTHONUNBUFFERED": "1"}
    assert run(place, script, **settings) == [
        f"{GOOD} Completed deploy {GOOD}",
        f"{WORSE} Failed receval ended with 1",
        f"{LATE} Failed receval ended with 3",
    ]
