"""The table on the screen is never cut off, at any width."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from unittest.mock import patch

import pytest
from receval.cli.main import main

RECEVAL = [sys.executable, "-m", "receval.cli"]


@contextmanager
def terminal(columns: int, **environment: str) -> Iterator[tuple[int, dict[str, str], Future[bytes]]]:
    """Yield a terminal of this width: the end to write to, the environment of programs in it, and a function that returns the output."""
    import fcntl
    import struct
    import termios

    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}  # these variables set another size
    with ThreadPoolExecutor(1) as aside:
        text = aside.submit(everything, leader)
        try:
            yield follower, {**inherited, "TERM": "xterm-256color", **environment}, text
        finally:
            os.close(follower)
    os.close(leader)


def everything(leader: int) -> bytes:
    """Read a terminal until no process has it open."""
    text = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            return text
        if not part:
            return text
        text += part


def on_a_terminal(arguments: list[str], columns: int, **environment: str) -> str:
    """Return what the command line prints on a terminal of this width; it runs in this process, with the terminal as standard output."""
    before = os.dup(1)
    with terminal(columns, **environment) as (follower, variables, text):
        os.dup2(follower, 1)
        encoding = environment.get("PYTHONIOENCODING", "utf-8")
        try:
            with (
                patch.dict(os.environ, variables, clear=True),
                open(1, "w", encoding=encoding, closefd=False) as screen,
                open(os.devnull, "w") as nowhere,
                redirect_stdout(screen),
                redirect_stderr(nowhere),
            ):
                main(arguments)
        finally:
            os.dup2(before, 1)
            os.close(before)
    return text.result().decode()


@pytest.fixture
def crowd(sample):
    """Return a config with 12 models of long names."""
    models = ", ".join(f"a_model_with_a_long_name_{index}: data/knn.parquet" for index in range(12))
    text = (sample / "quickstart.yaml").read_text()
    start, end = text.index("  recommendations:"), text.index("evaluation:")
    (sample / "crowd.yaml").write_text(f"{text[:start]}  recommendations: {{{models}}}\n{text[end:]}")
    return sample / "crowd.yaml"


@pytest.mark.parametrize("columns", [80, 200])
def test_names_and_values_are_whole_on_a_terminal_with_room_for_a_name(columns, crowd):
    text = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(["run", str(crowd)], columns))
    assert "…" not in text
    for index in range(12):
        assert f" a_model_with_a_long_name_{index} " in text
    assert text.count("0.2037") == 12
    assert max(len(line) for line in text.splitlines()) <= columns


def test_names_are_cut_in_the_middle_and_stay_different_on_a_narrow_terminal(crowd):
    text = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(["run", str(crowd)], 40))
    for index in range(12):
        assert re.search(rf"a_model…\w*_{index} ", text), index
    assert text.count("0.2037") == 12
    assert "… replaces the middle of a name" in text
    assert max(len(line) for line in text.splitlines()) <= 40


def test_a_pipe_has_whole_names_and_unbroken_lines_unless_columns_sets_a_width(crowd, receval, monkeypatch):
    arguments = ("run", crowd, "--set", "evaluation.metrics=[nDCG@10, MAP@10]")
    code, out, _ = receval(*arguments)
    assert code == 0
    assert "…" not in out
    assert out.count("0.2037") == 12
    assert max(map(len, out.splitlines())) > 100
    monkeypatch.setenv("COLUMNS", "40")
    narrow = receval(*arguments)[1]
    assert max(map(len, narrow.splitlines())) <= 40
    assert narrow.count("0.2037") == 12


def test_only_terminals_get_colours_and_no_color_is_honoured(sample):
    arguments = ["run", str(sample / "quickstart.yaml"), "--set", "health.T02=warn"]
    colour = re.compile(r"\x1b\[(?:\d+;)*[39]\d")
    assert colour.search(on_a_terminal(arguments, 100))
    assert not colour.search(on_a_terminal(arguments, 100, NO_COLOR="1"))


def test_names_are_never_interpreted_as_markup(receval, sample):
    code, out, _ = receval("run", sample / "quickstart.yaml", "--recs", f"[red]x[/red]={sample}/data/knn.parquet")
    assert code == 0
    assert "[red]x[/red]" in out


def test_a_pipe_that_is_closed_before_the_first_line_is_not_an_error(sample):
    for options in ("", "--format csv", "--print-config"):
        command = f"{' '.join(RECEVAL)} run {sample}/quickstart.yaml {options} | true; echo ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        assert done.stdout == "0\n"
        assert "receval:" not in done.stderr


def test_a_full_disk_behind_standard_output_is_reported_in_one_sentence(sample):
    with open("/dev/full", "w") as full:
        command = [*RECEVAL, "run", str(sample / "quickstart.yaml"), "--format", "csv"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2
    assert "cannot write to standard output: No space left on device" in done.stderr


def test_an_output_without_unicode_gets_escaped_characters(sample):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [*RECEVAL, "run", str(sample / "quickstart.yaml"), "--recs", f"é={sample}/data/knn.parquet"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\xe9" in done.stdout


def test_examples_of_findings_take_one_line_of_a_terminal_and_are_whole_in_a_pipe(sample, receval):
    arguments = ["run", str(sample / "quickstart.yaml"), "--set", "health.T02=warn"]
    text = re.sub(r"\x1b\[[0-9;]*m", "", on_a_terminal(arguments, 50))
    assert [line.rstrip() for line in text.splitlines() if "user 10;" in line] == ["  for example: user 10; user 66; user 148"]
    assert "  for example: user 10; user 66; user 148; user 153; user 211\n" in receval(*arguments)[1]
