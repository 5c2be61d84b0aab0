"""`receval run` leaves complete results, and nothing of a killed run remains."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys

import pytest

SPILL_AND_DIE = """
import os, signal, sys
import receval.engines.partitions as partitions
from receval.cli.main import main

spill, n_spills = partitions._Buckets._spill, []

def spill_and_die(buckets):
    spill(buckets)
    n_spills.append(1)
    if len(n_spills) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

partitions._Buckets._spill = spill_and_die
sys.exit(main(sys.argv[1:]))
"""


def kill_while_writing(temporary, *arguments):
    """Run the command line in another process and kill it while it writes temporary files."""
    environment = os.environ | {"TMPDIR": str(temporary)}
    return subprocess.run([sys.executable, "-c", SPILL_AND_DIE, *map(str, arguments)], env=environment, capture_output=True, text=True)


def is_whole(folder):
    """Return whether the files of a folder are exactly those of its manifest, with their hashes."""
    outputs = {output["path"]: output["sha256"] for output in json.loads((folder / "manifest.json").read_text())["outputs"]}
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    del files["manifest.json"]
    return files == outputs


def test_a_killed_run_leaves_the_old_results_and_the_next_run_removes_its_temporary_files(receval, write, tmp_path, monkeypatch):
    temporary, out = tmp_path / "temporary", tmp_path / "out"
    temporary.mkdir()
    write("test.csv", "user,item\n1,10\n2,12\n")
    write("lists.csv", "user,item,score\n1,10,1\n")
    config = write("config.yaml", "data: {test: test.csv, recommendations: {m: lists.csv}}\nevaluation: {metrics: [MRR]}\nhealth: off\n")
    assert receval("run", config, "-q", "-o", f"{out}/")[0] == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    write("apart.csv", "user,item,score\n" + "".join(f"{row % 997},{row},{row % 7}\n" for row in range(1_100_000)))
    done = kill_while_writing(
        temporary, "run", config, "--set", "data.recommendations.m=apart.csv", "--set", "engine.memory=1MB", "-o", f"{out}/"
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    (left,) = temporary.iterdir()
    assert any(left.iterdir()), "rows were written to temporary files"
    assert {path.name: path.read_bytes() for path in out.iterdir() if path.is_file()} == before
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    assert receval("run", config, "-q", "-o", f"{out}/")[0] == 0
    assert list(temporary.iterdir()) == []
    assert is_whole(out)
    assert {path.name for path in out.iterdir()} == before.keys()


def test_per_user_values_of_an_earlier_run_are_removed(receval, sample, tmp_path):
    out, config = tmp_path / "out", sample / "quickstart.yaml"
    assert receval("run", config, "-q", "-o", f"{out}/")[0] == 0
    assert (out / "per_user.parquet").exists()
    (out / "notes.txt").write_text("mine")
    assert receval("run", config, "-q", "--set", "output.per_user=false", "-o", f"{out}/")[0] == 0
    assert not (out / "per_user.parquet").exists()
    assert (out / "notes.txt").read_text() == "mine"


def test_a_per_user_file_that_no_run_wrote_stays(receval, sample, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "per_user.csv").write_text("mine")
    assert receval("run", sample / "quickstart.yaml", "-q", "-o", f"{out}/")[0] == 0
    assert (out / "per_user.csv").read_text() == "mine"


@pytest.mark.parametrize("there", [True, False])
def test_writing_to_a_link_writes_its_target_and_keeps_the_link(there, receval, sample, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    if there:
        (tmp_path / "elsewhere" / "r.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("elsewhere/r.csv")
    assert receval("run", sample / "quickstart.yaml", "-q", "-o", tmp_path / "link.csv")[0] == 0
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "elsewhere" / "r.csv").read_text().startswith("run_id,model,measure,metric,k,")
    assert [path.name for path in (tmp_path / "elsewhere").iterdir()] == ["r.csv"]


def test_init_writes_the_target_of_a_link(receval, write, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("test.csv", "user,item,rating\n1,10,5\n2,12,4\n")
    write("model.csv", "user,item,score\n1,10,1\n2,11,1\n")
    (tmp_path / "config.yaml").symlink_to("real.yaml")
    assert receval("init", "test.csv", "model.csv", "-o", "config.yaml")[0] == 0
    assert (tmp_path / "config.yaml").is_symlink()
    assert "data:" in (tmp_path / "real.yaml").read_text()
