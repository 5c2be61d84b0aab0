"""The GitHub action and the GitLab job, run step by step in a folder, with stubs for programs of their machines."""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from unittest import mock

import yaml
from msgspec import Struct
from receval.cli.main import main

from tests.conftest import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
JOB = yaml.safe_load((ROOT / "docs" / "examples" / "gitlab.yml").read_text("utf-8"))[".receval"]
_GH = """#!/bin/sh
# Keep comments in comments.json: GET lists them by the filter of --jq, PATCH and POST write the file of -F body=@FILE.
exec "$STUB_PYTHON" "$STUB_FOLDER/gh.py" "$@"
"""
_GH_PY = """
import json, os, pathlib, subprocess, sys
file = pathlib.Path(os.environ["STUB_FOLDER"], "comments.json")
comments, arguments = json.loads(file.read_text()), sys.argv[1:]
assert arguments[0] == "api" and os.environ["GH_TOKEN"]
method = arguments[arguments.index("--method") + 1] if "--method" in arguments else "GET"
place = next(part for part in arguments if part.startswith("repos/"))
if method == "GET":
    assert place == "repos/us/shop/issues/7/comments?per_page=100" and "--paginate" in arguments
    jq = ["jq", "-r", arguments[arguments.index("--jq") + 1]]
    sys.exit(subprocess.run(jq, input=json.dumps(comments), text=True).returncode)
name, _, path = arguments[arguments.index("-F") + 1].partition("=@")
assert name == "body"
body = pathlib.Path(path).read_text()
if method == "POST":
    assert place == "repos/us/shop/issues/7/comments"
    comments.append({"id": 100 + len(comments), "body": body, "user": {"type": "Bot"}, "author_association": "NONE"})
else:
    (one,) = (one for one in comments if place == f"repos/us/shop/issues/comments/{one['id']}")
    one["body"] = body
file.write_text(json.dumps(comments))
"""


RECEVAL = """#!/bin/sh
printf '%s\\0' "$PWD" "$@" > "$STUB_FOLDER/call"
env -0 > "$STUB_FOLDER/environment"
printf x > "$STUB_FOLDER/calls"
read -r code < "$STUB_FOLDER/answers"
cat "$STUB_FOLDER/printed"
exit "$code"
"""
"""Asks the process of the tests to run receval, and prints what it printed."""


class Ran(Struct):
    """The outcome of a job: whether it succeeded, its output, the outputs of its steps, and the names of the steps that ran."""

    succeeded: bool
    printed: str
    outputs: dict[str, dict[str, str]]
    steps: list[str]
    uploaded: list[str]


class GitHub:
    """A repository whose action is run for events; caches and comments are kept between runs."""

    def __init__(self, folder: Path, stubs: Path, runs: int = 0) -> None:
        """After some `runs` the folder of stubs keeps their caches and comments."""
        self.folder, self.stubs, self.caches, self.runs = folder, stubs, stubs / "caches", runs
        if runs:
            return
        self.caches.mkdir(parents=True)
        (stubs / "comments.json").write_text("[]")
        (stubs / "gh.py").write_text(_GH_PY)
        python = '#!/bin/sh\necho "$@" >> "$STUB_FOLDER/installed.txt"\n'
        for name, text in {"gh": _GH, "python": python, "receval": RECEVAL}.items():
            (stubs / name).write_text(text)
            (stubs / name).chmod(0o755)

    @property
    def comments(self) -> list[dict[str, Any]]:
        return json.loads((self.stubs / "comments.json").read_text())

    def add_comment(self, body: str, kind: str, association: str) -> None:
        comment = {"id": 100 + len(self.comments), "body": body, "user": {"type": kind}, "author_association": association}
        (self.stubs / "comments.json").write_text(json.dumps([*self.comments, comment]))

    def push(self, **inputs: str) -> Ran:
        """Run the action after a push to the main branch."""
        return self.run("push", "refs/heads/main", {"repository": {"default_branch": "main"}}, inputs)

    def pull_request(self, *, event: str = "pull_request", ref: str = "refs/pull/7/merge", **inputs: str) -> Ran:
        """Run the action for pull request 7."""
        about = {"repository": {"default_branch": "main"}, "pull_request": {"number": 7, "head": {"sha": "abc123"}}}
        return self.run(event, ref, about, inputs)

    def run(self, event: str, ref: str, about: dict[str, Any], inputs: dict[str, str]) -> Ran:
        """Run the steps in a fresh copy of the repository."""
        self.runs += 1
        work = self.stubs / f"work-{self.runs}"
        shutil.copytree(self.folder, work)
        github = {"event": about, "run_id": self.runs, "run_attempt": 1, "token": "secret"}
        defaults = {name: _filled(declared.get("default", ""), {"github": github}) for name, declared in ACTION["inputs"].items()}
        context = {"github": github, "inputs": {**defaults, **{name.replace("_", "-"): value for name, value in inputs.items()}}}
        context["steps"] = {}
        ran = Ran(True, "", {}, [], [])
        for step in ACTION["runs"]["steps"]:
            if _holds(step.get("if", "success()"), context, ran.succeeded):
                ran.steps.append(step.get("name", step.get("uses")))
                done = self._use(step, context, work, ran) if "uses" in step else self._shell(step, context, work, event, ref, ran)
                ran.succeeded = ran.succeeded and done
        return ran

    def _shell(self, step: dict[str, Any], context: dict[str, Any], work: Path, event: str, ref: str, ran: Ran) -> bool:
        output = self.stubs / "output.txt"
        output.write_text("")
        own = {name: _filled(text, context) for name, text in step.get("env", {}).items()}
        known = {
            "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": event, "GITHUB_REF": ref, "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.stubs / "summary.md"), "GITHUB_REPOSITORY": "us/shop", "GITHUB_ACTION_PATH": "/action",
            "GITHUB_SERVER_URL": "https://github.com", "GITHUB_RUN_ID": str(self.runs),
        }  # fmt: skip
        done = bash(step["run"], work, {**known, **own}, self.stubs)
        ran.printed += done.stdout
        context["steps"][step.get("id", "")] = {"outputs": dict(line.split("=", 1) for line in output.read_text().splitlines())}
        ran.outputs = {id: state["outputs"] for id, state in context["steps"].items() if id}
        return done.returncode == 0

    def _use(self, step: dict[str, Any], context: dict[str, Any], work: Path, ran: Ran) -> bool:
        given = {name: _filled(text, context) for name, text in step.get("with", {}).items()}
        name = step["uses"].partition("@")[0]
        if name == "actions/cache/save":
            shutil.copytree(work / given["path"], self.caches / given["key"].replace("/", "+") / "x")
        elif name == "actions/cache/restore":
            kept = sorted(self.caches.glob(given["restore-keys"].replace("/", "+") + "*"), key=lambda path: path.stat().st_mtime_ns)
            if kept:
                shutil.copytree(kept[-1] / "x", work / given["path"])
        elif name == "actions/upload-artifact":
            ran.uploaded += [path.name for path in sorted((work / given["path"]).glob("*"))]
        else:
            assert name == "actions/setup-python"
        return True


def bash(script: str, folder: Path, environment: dict[str, str], stubs: Path) -> subprocess.CompletedProcess[str]:
    """Run a step as GitHub and GitLab do, with the stubs first in the PATH and the receval of the tests.

    A stub passes calls of receval to this process, which has all modules already; without the stub, bash finds the installed program.
    """
    path = os.pathsep.join((str(stubs), str(Path(sys.executable).parent), os.environ["PATH"]))
    known = {"PATH": path, "STUB_FOLDER": str(stubs), "STUB_PYTHON": sys.executable, "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    calls, answers = stubs / "calls", stubs / "answers"
    for pipe in (calls, answers):
        os.mkfifo(pipe)
    asked, answered = (os.open(pipe, os.O_RDWR) for pipe in (calls, answers))
    try:
        with subprocess.Popen(
            command, cwd=folder, env={**known, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        ) as running:
            output, printed = running.stdout, b""
            assert output is not None
            while True:
                ready, _, _ = select.select([output, asked], [], [])
                if asked in ready:
                    os.read(asked, 1)
                    os.write(answered, b"%d\n" % _receval(stubs))
                elif chunk := os.read(output.fileno(), 65536):
                    printed += chunk
                else:
                    return subprocess.CompletedProcess(command, running.wait(), printed.decode())
    finally:
        for pipe, number in ((calls, asked), (answers, answered)):
            os.close(number)
            pipe.unlink()


def _receval(stubs: Path) -> int:
    """Run the call that the stub of receval wrote down, with its folder and its environment; what it prints goes to a file."""
    folder, *arguments = (stubs / "call").read_text().split("\0")[:-1]
    variables = dict(line.split("=", 1) for line in (stubs / "environment").read_text().split("\0")[:-1])
    with (
        open(stubs / "printed", "w") as printed,
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, variables, clear=True),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
    ):
        return main(arguments)


def _filled(text: str, context: dict[str, Any]) -> str:
    """Return a text with its expressions filled in."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(_value(found[1], context, True)), str(text))


def _holds(condition: str, context: dict[str, Any], succeeded: bool) -> bool:
    """Return whether a step runs; without a status function it runs only if all before it succeeded."""
    bare = condition.removeprefix("${{").removesuffix("}}")
    asks = re.search(r"\b(always|cancelled|success|failure)\(\)", bare)
    return bool(_value(bare, context, succeeded)) and (succeeded or asks is not None)


def _value(expression: str, context: dict[str, Any], succeeded: bool) -> Any:
    """Evaluate the few expressions of the action: names, texts, comparisons, and, or, not."""

    def name(found: re.Match[str]) -> str:
        value: Any = context
        for part in found[0].split("."):
            value = value.get(part, "") if isinstance(value, dict) else ""
        return repr(value)

    functions = {"always()": "True", "cancelled()": "False", "success()": str(succeeded)}
    for function, value in functions.items():
        expression = expression.replace(function, value)
    python = re.sub(r"\b(?:github|inputs|steps)(?:\.[\w-]+)+", name, expression)
    python = re.sub(r"!(?!=)", " not ", python.replace("&&", " and ").replace("||", " or "))
    return eval(python.strip(), {"__builtins__": {}})
