"""The GitLab job, run line by line against a server that keeps its artifacts."""

from __future__ import annotations

import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

import pytest
import yaml

from tests.cli.gate_place import CONFIG, TEST, lists
from tests.pipelines import JOB, RECEVAL, bash


@pytest.fixture
def server():
    """Yield the artifacts of the latest successful pipeline of the main branch, or none, and the requests for them."""
    kept = SimpleNamespace(archive=None, asked=[])

    class Artifacts(BaseHTTPRequestHandler):
        def do_GET(self):
            kept.asked.append((self.path, self.headers.get("JOB-TOKEN"), self.headers.get("PRIVATE-TOKEN")))
            self.send_response(404 if kept.archive is None else 200)
            self.end_headers()
            self.wfile.write(kept.archive or b"")

        def log_message(self, *arguments):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Artifacts) as listening:
        threading.Thread(target=listening.serve_forever, daemon=True).start()
        kept.place = f"http://127.0.0.1:{listening.server_port}/api/v4"
        yield kept
        listening.shutdown()


@pytest.fixture
def pipeline(server, tmp_path):
    """Return a function that runs the job on a branch, with good lists for some users; it gives exit code and output."""
    numbers = iter(range(100))
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    python = '#!/bin/sh\n[ "$1" = - ] && exec "$STUB_PYTHON" -\necho "$@" >> "$STUB_FOLDER/installed.txt"\n'
    for name, text in {"python": python, "receval": RECEVAL}.items():
        (stubs / name).write_text(text)
        (stubs / name).chmod(0o755)

    def pipeline(branch, good=lambda user: True, **variables):
        work = tmp_path / f"work-{next(numbers)}"
        work.mkdir()
        for name, text in {"config.yaml": yaml.safe_dump(CONFIG), "test.csv": TEST, "home.csv": lists(good)}.items():
            (work / name).write_text(text)
        known = {
            "CI_API_V4_URL": server.place, "CI_PROJECT_ID": "5", "CI_JOB_NAME": "evaluate home", "CI_JOB_TOKEN": "token",
            "CI_DEFAULT_BRANCH": "main", **({"CI_COMMIT_BRANCH": branch} if branch else {}),
        }  # fmt: skip
        script = "\n".join((*JOB["before_script"], *JOB["script"]))
        done = bash(script, work, {**known, **JOB["variables"], "RECEVAL_PACKAGE": "a.whl", **variables}, stubs)
        if branch == "main" and done.returncode == 0:
            paths = [JOB["variables"][path.removeprefix("$")] for path in JOB["artifacts"]["paths"]]
            body = io.BytesIO()
            with zipfile.ZipFile(body, "w") as archive:
                for file in (file for path in paths for file in sorted((work / path).rglob("*"))):
                    archive.write(file, file.relative_to(work))
            server.archive = body.getvalue()
        assert all((work / name).exists() for name in JOB["artifacts"]["reports"].values()) or done.returncode > 1
        return done.returncode, done.stdout

    pipeline.stubs = stubs
    return pipeline


def worse(user):
    return user % 2


def test_the_default_branch_makes_the_baseline_and_a_merge_request_that_is_worse_fails(pipeline, server):
    code, printed = pipeline("main")
    assert code == 0, printed
    assert "No baseline: the artifacts of the job evaluate home on main cannot be read: HTTP Error 404" in printed
    assert "results/today is now the baseline results/main" in printed
    assert pipeline(None)[0] == 0
    assert pipeline(None, worse)[0] == 1
    assert pipeline("main", worse)[0] == 1
    assert server.asked[0] == ("/api/v4/projects/5/jobs/artifacts/main/download?job=evaluate%20home", "token", None)


def test_a_merge_request_without_a_baseline_fails_unless_it_may_be_missing(pipeline):
    code, printed = pipeline(None)
    assert code == 3
    assert "there is no baseline results/main" in printed
    assert pipeline(None, RECEVAL_IF_MISSING="pass")[0] == 0


def test_a_token_of_the_project_is_used_if_there_is_one(pipeline, server):
    (pipeline.stubs / "receval").unlink()  # once the installed program runs
    pipeline("main", RECEVAL_TOKEN="of the project")
    assert server.asked[0][1:] == (None, "of the project")


def test_the_package_must_be_set_and_is_installed(pipeline):
    code, printed = pipeline("main", RECEVAL_PACKAGE="")
    assert code == 2
    assert "Set RECEVAL_PACKAGE to what pip should install: the address of an archive of receval, a wheel, or a clone." in printed
    assert pipeline("main", RECEVAL_PACKAGE="https://example.org/receval.tar.gz")[0] == 0
    installed = (pipeline.stubs / "installed.txt").read_text()
    assert installed == "-m pip install --quiet https://example.org/receval.tar.gz\n"
