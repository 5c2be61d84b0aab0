"""The GitHub action, run step by step: its comparison, its baseline, its outputs and its errors."""

from __future__ import annotations

import shutil
import subprocess

import pytest
import yaml

from tests.cli.gate_place import CONFIG, TEST, lists
from tests.pipelines import ACTION, JOB, GitHub

NO_JQ = shutil.which("jq") is None


def make_repository(place):
    """Make a repository with a config, its test data and its lists."""
    folder = place / "repository"
    folder.mkdir()
    (folder / "gates.yaml").write_text(yaml.safe_dump(CONFIG))
    (folder / "test.csv").write_text(TEST)
    (folder / "home.csv").write_text(lists(lambda user: True))
    return folder


@pytest.fixture
def github(tmp_path):
    return GitHub(make_repository(tmp_path), tmp_path / "stubs")


@pytest.fixture(scope="module")
def pushed(tmp_path_factory):
    """Return a folder with the repository, and with what the action keeps after a push to the main branch."""
    folder = tmp_path_factory.mktemp("pushed")
    make_repository(folder)
    assert GitHub(folder / "repository", folder / "stubs").push(config="gates.yaml").succeeded
    return folder


@pytest.fixture
def after_push(pushed, tmp_path):
    """Return a repository of which the main branch has a baseline."""
    shutil.copytree(pushed, tmp_path, dirs_exist_ok=True, symlinks=True)
    return GitHub(tmp_path / "repository", tmp_path / "stubs", 1)


def make_worse(repository):
    (repository / "home.csv").write_text(lists(lambda user: user % 2))


def test_the_main_branch_makes_the_baseline_and_a_pull_request_that_is_worse_fails(github):
    first = github.push(config="gates.yaml", comment="false")
    assert first.succeeded, first.printed
    assert "::warning::No baseline results/main was kept: this run makes a new one" in first.printed
    assert "::error" not in first.printed
    assert "::notice file=gates.yaml" in first.printed
    same = github.pull_request(config="gates.yaml", comment="false")
    assert same.succeeded, same.printed
    make_worse(github.folder)
    worse = github.pull_request(config="gates.yaml", comment="false")
    assert not worse.succeeded
    assert worse.outputs["run"] == {"exit-code": "1"}
    assert "::error file=gates.yaml,title=nDCG@2 loses at most 2 %25 home" in worse.printed
    assert "results.json" in worse.uploaded


def test_a_run_on_the_main_branch_renews_the_baseline_only_if_it_passes(after_push):
    make_worse(after_push.folder)
    worse = after_push.push(config="gates.yaml")
    assert not worse.succeeded
    assert "Renew the baseline" not in worse.steps
    assert not after_push.pull_request(config="gates.yaml", comment="false").succeeded
    (after_push.folder / "home.csv").write_text(lists(lambda user: True))
    assert "Keep the baseline" in after_push.push(config="gates.yaml").steps
    assert len(list(after_push.caches.iterdir())) == 2


@pytest.mark.parametrize(
    ("event", "ref"), [("pull_request_target", "refs/heads/main"), ("push", "refs/heads/other"), ("issue_comment", "refs/heads/main")]
)
def test_no_other_event_renews_the_baseline(event, ref, after_push):
    ran = after_push.pull_request(event=event, ref=ref, config="gates.yaml", comment="false")
    assert ran.succeeded, ran.printed
    assert ran.outputs["event"] == {"renews": "false"}
    assert len(list(after_push.caches.iterdir())) == 1


def test_a_pull_request_without_a_baseline_fails_unless_it_may_be_missing(github):
    ran = github.pull_request(config="gates.yaml", comment="false")
    assert not ran.succeeded
    assert ran.outputs["run"] == {"exit-code": "3"}
    assert "::error::There is no baseline results/main. Run this workflow on the branch main first" in ran.printed
    allowed = github.pull_request(config="gates.yaml", comment="false", if_missing="pass")
    assert allowed.succeeded, allowed.printed
    assert "::error" not in allowed.printed


def test_a_config_in_a_folder_has_its_baseline_in_this_folder(github):
    shutil.copytree(github.folder, github.folder / "evaluation")
    inputs = {"config": "evaluation/gates.yaml", "comment": "false"}
    assert github.push(**inputs, baseline="evaluation/results/main").succeeded
    assert github.pull_request(**inputs, baseline="evaluation/results/main").succeeded
    assert github.push(**inputs).succeeded
    elsewhere = github.pull_request(**inputs)
    assert "there is no baseline evaluation/results/main" in elsewhere.printed


def test_new_test_data_need_a_new_folder_for_the_baseline(after_push):
    (after_push.folder / "test.csv").write_text(TEST.replace("1,b,3\n", "1,z,3\n", 1))
    stuck = after_push.pull_request(config="gates.yaml", comment="false")
    assert stuck.outputs["run"] == {"exit-code": "3"}
    assert "::error::There is no baseline" not in stuck.printed
    (after_push.folder / "gates.yaml").write_text(yaml.safe_dump(CONFIG).replace("results/main", "results/main-2"))
    inputs = {"config": "gates.yaml", "baseline": "results/main-2", "comment": "false"}
    assert after_push.pull_request(**inputs, if_missing="pass").succeeded
    assert after_push.push(**inputs, if_missing="pass").succeeded
    assert after_push.pull_request(**inputs).succeeded


def test_with_an_empty_baseline_input_no_baseline_is_renewed(github):
    ran = github.push(config="gates.yaml", baseline="")
    assert not ran.succeeded
    assert ran.outputs["run"] == {"exit-code": "3"}
    assert not any("baseline" in step for step in ran.steps if step != "Decide whether this run renews the baseline")


def test_arguments_are_lines_that_no_shell_reads(github):
    arguments = "--set evaluation.metrics=[nDCG@2, Recall@1, MAP@2]\n\n  --strict\n--recs it's $(touch hacked)=home.csv\n--digits=3\n"
    ran = github.push(config="gates.yaml", arguments=arguments, comment="false", if_missing="pass")
    assert ran.succeeded, ran.printed
    assert "MAP@2" in ran.printed
    assert "it's $(touch hacked)" in ran.printed
    assert not list(github.stubs.rglob("hacked"))


@pytest.mark.release
def test_the_extras_are_installed_with_the_action(github):
    (github.stubs / "receval").unlink()  # once the installed program runs
    assert github.push(config="gates.yaml", extras="remote,sql").succeeded
    assert (github.stubs / "installed.txt").read_text() == "-m pip install --quiet /action[remote,sql]\n"


@pytest.mark.skipif(NO_JQ, reason="the stub of gh needs jq")
def test_a_pull_request_has_one_comment_that_each_run_updates(after_push):
    assert after_push.comments == []
    after_push.add_comment("<!-- receval results/today -->\nall passed, says a stranger", "User", "NONE")
    after_push.add_comment("Looks good", "User", "MEMBER")
    assert after_push.pull_request(config="gates.yaml").succeeded
    assert len(after_push.comments) == 3
    assert after_push.comments[2]["body"].startswith("<!-- receval results/today -->\n# today against main\n\n- ")
    assert "\n| measure | main | today |\n" in after_push.comments[2]["body"]  # the values of the baseline too
    assert after_push.comments[2]["body"].endswith("\nCommit abc123 · [log](https://github.com/us/shop/actions/runs/2)\n")
    make_worse(after_push.folder)
    assert not after_push.pull_request(config="gates.yaml").succeeded
    assert len(after_push.comments) == 3
    assert "✖ 1 of 2 gates failed" in after_push.comments[2]["body"]
    assert "stranger" in after_push.comments[0]["body"]


@pytest.mark.skipif(NO_JQ, reason="the stub of gh needs jq")
def test_a_run_without_results_says_so_in_the_same_comment(after_push):
    after_push.pull_request(config="gates.yaml")
    (after_push.folder / "gates.yaml").write_text("data: {}\n")
    ran = after_push.pull_request(config="gates.yaml")
    assert ran.outputs["run"] == {"exit-code": "2"}
    (comment,) = after_push.comments
    assert comment["body"].startswith("<!-- receval results/today -->\n# No evaluation\n\nreceval ended with exit code 2.\n")


def test_a_comment_that_cannot_be_written_is_a_warning(after_push):
    (after_push.stubs / "gh").write_text("#!/bin/sh\necho HTTP 403 >&2\nexit 1\n")
    ran = after_push.pull_request(config="gates.yaml")
    assert ran.succeeded, ran.printed
    assert "::warning::The comment was not written. The job needs the permission pull-requests: write" in ran.printed


def test_the_summary_is_written_once(after_push):
    after_push.pull_request(config="gates.yaml")
    assert (after_push.stubs / "summary.md").read_text().count("# Evaluation of home") == 2


def test_the_actions_of_github_are_those_that_run_on_node_24():
    first = {"actions/setup-python": 6, "actions/cache/restore": 5, "actions/cache/save": 5, "actions/upload-artifact": 6}
    used = dict(step["uses"].split("@v") for step in ACTION["runs"]["steps"] if "uses" in step)
    assert {name: int(version) >= first[name] for name, version in used.items()} == dict.fromkeys(first, True)


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not installed")
def test_shellcheck_finds_no_problem_in_the_scripts():
    scripts = [step["run"] for step in ACTION["runs"]["steps"] if "run" in step] + ["\n".join((*JOB["before_script"], *JOB["script"]))]
    for script in scripts:
        done = subprocess.run(["shellcheck", "--shell=bash", "--severity=warning", "-"], input=script, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
