"""Exit codes are right for any standard streams."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = f"exec {sys.executable} -m receval.cli"
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")


def run_shell(command: str) -> tuple[int, str, str]:
    done = subprocess.run(["sh", "-c", f"{PROGRAM} {command}"], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.each_once
@FULL
@pytest.mark.parametrize("closing", ["2>/dev/full", "2>&-"])
@pytest.mark.parametrize(("command", "code"), [("run nope.yaml", 2), ("run", 2), ("nope", 2), ("--version", 0)])
def test_a_broken_standard_error_does_not_change_the_exit_code(command, code, closing):
    assert run_shell(f"{command} {closing}")[0] == code


@pytest.mark.each_once
@FULL
@pytest.mark.parametrize(("full", "reason"), [(">/dev/full", "No space left on device"), (">&-", "it is closed")])
@pytest.mark.parametrize("command", ["--version", "--help", "schema", "metrics --format json"])
def test_an_unwritable_standard_output_gives_one_sentence_and_exit_code_2(command, full, reason):
    assert run_shell(f"{command} {full}") == (2, "", f"receval: cannot write to standard output: {reason}\n")


@FULL
def test_a_run_succeeds_with_a_full_standard_error_or_an_unneeded_closed_output(sample, tmp_path):
    config = sample / "quickstart.yaml"
    assert run_shell(f"run {config} --format csv 2>/dev/full")[0] == 0
    assert run_shell(f"run {config} -q -o {tmp_path}/out/ >&- 2>&- <&-")[0] == 0
    assert (tmp_path / "out" / "results.csv").stat().st_size > 0


def test_an_interruption_during_imports_prints_one_word(tmp_path):
    """Send the signal when the program imports its first module from outside of the standard library."""
    (tmp_path / "click.py").write_text("import os, signal; os.kill(os.getpid(), signal.SIGINT)\n")
    done = subprocess.run(
        [sys.executable, "-m", "receval.cli", "--version"], capture_output=True, text=True, timeout=60, env={"PYTHONPATH": str(tmp_path)}
    )
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGINT, "", "receval: interrupted\n")


def test_what_libraries_do_at_the_end_of_a_process_is_done_and_threads_are_waited_for(tmp_path):
    """The process ends without freeing its objects, but not before trackers and other libraries are ready."""
    code = """
import atexit, sys, threading, time
from receval.cli.main import program
def late(path):
    time.sleep(0.3)
    open(path, "w").close()
atexit.register(open, sys.argv[1], "w")
if len(sys.argv) > 2:
    threading.Thread(target=late, args=[sys.argv[2]]).start()
sys.argv[1:] = ["--version"]
program()
"""
    for files in ([tmp_path / "one"], [tmp_path / "two", tmp_path / "late"]):
        done = subprocess.run([sys.executable, "-c", code, *map(str, files)], capture_output=True, text=True, timeout=60)
        assert (done.returncode, done.stderr) == (0, "")
        assert all(file.exists() for file in files)
