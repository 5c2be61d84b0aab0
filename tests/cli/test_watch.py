"""`receval run --watch` runs again after each change, prints only what changed, and goes on after errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from functools import partial

import pytest

CONFIG = """
data: {test: test.csv, recommendations: {a: a.csv, b: b.csv}}
evaluation: {metrics: [MRR@10, Recall@2]}
health: off
"""


@pytest.fixture
def config(write):
    write("test.csv", "user,item\n1,10\n2,20\n")
    write("a.csv", "user,item,rank\n1,10,1\n2,21,1\n2,20,2\n")
    write("b.csv", "user,item,rank\n1,11,1\n2,20,1\n")
    return write("config.yaml", CONFIG)


@pytest.fixture
def watched(receval, monkeypatch):
    """Return a function that watches while steps are done, one at a time, and then interrupts."""

    def watched(steps: list[Callable[[], object]], *arguments: object):
        left = list(steps)
        idle, sleep = [0], time.sleep

        def wait(seconds: float) -> None:
            if threading.current_thread() is not threading.main_thread():  # a thread of another library, such as py4j's
                sleep(seconds)
                return
            idle[0] += 1
            if idle[0] % 12 == 1:  # a removed file is a change after ten looks
                if not left:
                    raise KeyboardInterrupt
                left.pop(0)()

        monkeypatch.setattr(time, "sleep", wait)
        return receval("run", "--watch", *arguments)

    return watched


def test_only_what_changed_is_printed_with_arrows(config, watched, write):
    code, out, err = watched([lambda: write("a.csv", "user,item,rank\n1,11,1\n1,10,2\n2,20,2\n2,21,1\n")], config)
    assert [line for line in out.splitlines() if " → " in line] == ["MRR@10 of a: 0.7500 → 0.5000 ↓ worse"]
    assert code == 130
    assert err.endswith("receval: interrupted\n")
    assert "a.csv changed" in err


def test_a_value_that_falls_is_worse_and_one_that_rises_is_better(config, watched, write):
    steps = [lambda: write("b.csv", "user,item,rank\n1,10,1\n2,20,1\n"), lambda: write("b.csv", "user,item,rank\n1,9,1\n2,21,1\n")]
    _, out, _ = watched(steps, config)
    lines = [line for line in out.splitlines() if " → " in line]
    assert lines == [
        "MRR@10 of b: 0.5000 → 1.0000 ↑ better",
        "Recall@2 of b: 0.5000 → 1.0000 ↑ better",
        "MRR@10 of b: 1.0000 → 0.0000 ↓ worse",
        "Recall@2 of b: 1.0000 → 0.0000 ↓ worse",
    ]


def test_a_change_without_effect_says_so(config, watched, write):
    _, out, _ = watched([lambda: write("config.yaml", CONFIG + "# a remark\n")], config)
    assert out.endswith("nothing changed\n")


def test_an_error_in_the_config_is_one_sentence_and_watching_goes_on(config, watched, write):
    steps = [
        lambda: write("config.yaml", CONFIG.replace("MRR@10", "MRRR@10")),
        lambda: write("config.yaml", CONFIG.replace("MRR@10, ", "")),
    ]
    code, out, err = watched(steps, config)
    assert code == 130
    assert err.count("MRRR") == 1
    assert "Traceback" not in err
    assert out.splitlines()[-2:] == ["MRR@10 of a: gone", "MRR@10 of b: gone"]


def test_a_config_that_is_wrong_from_the_start_is_waited_for(watched, write, config):
    write("config.yaml", "data: [")
    code, out, err = watched([lambda: write("config.yaml", CONFIG)], config)
    assert code == 130
    assert "not valid YAML" in err
    assert "MRR@10" in out


def test_a_missing_file_of_lists_is_an_error_until_it_is_there(config, watched, write, tmp_path):
    steps = [(tmp_path / "a.csv").unlink, lambda: write("a.csv", "user,item,rank\n1,10,1\n2,20,1\n")]
    code, out, err = watched(steps, config)
    assert code == 130
    assert "a.csv" in err
    assert "MRR@10 of a: 0.7500 → 1.0000 ↑ better" in out


def test_options_and_outputs_apply_to_every_run(config, watched, write, tmp_path):
    target = tmp_path / "values.csv"
    steps = [lambda: write("b.csv", "user,item,rank\n1,10,1\n2,20,1\n")]
    _, out, _ = watched(steps, config, "--set", "evaluation.metrics=[MRR@10]", "-o", target)
    assert "Recall" not in out
    assert "1.0" in target.read_text()


@pytest.mark.parametrize("option", [("--format", "json"), ("--per-user",), ("--print-config",)])
def test_options_that_print_something_else_are_refused(config, receval, option):
    code, _, err = receval("run", config, "--watch", *option)
    assert code == 2
    assert f"does not go with {option[0]}" in err


def test_standard_input_is_refused(config, receval):
    code, _, err = receval("run", config, "--watch", "--set", "data.test.path=-")
    assert code == 2
    assert "cannot be read again: --watch needs files" in err


def test_a_real_process_in_a_pipe_prints_each_change_at_once_and_ends_with_130(config, write, tmp_path):
    command = [sys.executable, "-m", "receval.cli", "run", "--watch", str(config)]
    interruptible = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # a shell's background jobs, and so their children, ignore it
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, preexec_fn=interruptible
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            assert any("watching" in line for line in process.stderr)
            new = tmp_path / "new.csv"
            new.write_text("user,item,rank\n1,10,1\n2,20,1\n")
            os.replace(new, tmp_path / "b.csv")
            line = next(line for line in process.stdout if " → " in line)
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 130
            assert line == "MRR@10 of b: 0.5000 → 1.0000 ↑ better\n"
        finally:
            process.kill()
