"""A plug-in that ends the program, in any way and anywhere, is an error of receval with its name: only receval decides the exit code."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from receval.engines.processes import Processes
from receval.support import plugins
from receval.support.errors import ConfigError, MachineError

from tests.engines import work
from tests.engines.test_processes import parts
from tests.plugins.conftest import install
from tests.sizes import each_once

WAYS = {
    "sys.exit(0)": "import sys; sys.exit(0)",
    "sys.exit(5)": "import sys; sys.exit(5)",
    "sys.exit()": "raise SystemExit",
    "GeneratorExit": "raise GeneratorExit",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "BrokenPipeError": "raise BrokenPipeError",
    "Exit": "import click; raise click.exceptions.Exit(0)",
    "Fine": "import receval; raise type('Fine', (receval.ConfigError,), {'exit_code': 0, '__module__': 'mine'})('all is well')",
    "ZeroDivisionError": "1 / 0",
}
"""What a message says of an ending → the code of it."""
METRIC = "import receval\n@receval.metric('Mine')\ndef mine(listed):\n    {way}\n    return 1.0\n"
FAST = (
    "import receval.metrics.registry as r\n@r.metric('Mine', family='own', reference=''{more})\ndef mine(m):\n    '''Mine.'''\n    {way}\n"
)
CHECK = """
import receval
from receval.checks import Check
from receval.health import HealthCheck, check

@check(Check("Z09", "info", "a list is there", "nothing to do"))
class Mine(HealthCheck):
    def {answer}(self, *arguments):
        {way}
"""
PLACES = {
    "the file": ("{way}\n", "mine.py cannot be loaded"),
    "a metric": (METRIC, "the metric Mine failed for a user"),
    "a metric on columns": (FAST.replace("{more}", ""), "the metric Mine of mine.py "),
    "the tables of a metric": (
        FAST.replace("{more}", ", uses=end").replace("@r", "def end(*_):\n    {way}\n@r"),
        "the metric Mine of mine.py ",
    ),
    "the tally of a check": (CHECK.replace("{answer}", "tally"), "the check Z09 of mine.py "),
    "the finding of a check": (CHECK.replace("{answer}", "finding"), "the check Z09 of mine.py "),
}
"""Where a file of `--plugin` ends the program → the file, and the beginning of the message."""


@pytest.fixture
def job(write: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Return a function that writes a job with a gate that fails, and a plug-in, and returns the command."""
    write("test.csv", "user,item\n1,1\n2,3\n")
    write("lists.csv", "user,item\n1,5\n1,1\n2,3\n")
    write(
        "c.yaml",
        "data: {test: test.csv, recommendations: lists.csv}\nevaluation: {metrics: [nDCG@2]}\ngates: {rules: [nDCG@2 >= 1]}\n",
    )
    monkeypatch.chdir(tmp_path)

    def command(text: str) -> list[str]:
        write("mine.py", text)
        return ["run", "c.yaml", "--plugin", "mine.py", *(["--set", "evaluation.metrics=[nDCG@2, Mine@2]"] if "etric(" in text else [])]

    return command


@pytest.mark.parametrize(("place", "way"), each_once(PLACES, WAYS))
def test_a_plugin_file_that_ends_the_program_is_named_and_the_exit_code_is_2(place, way, job, receval, tmp_path):
    text, named = PLACES[place]
    code, out, err = receval(*job(text.replace("{way}", WAYS[way])), "-o", "out/")
    assert (code, out) == (2, ""), err
    assert named in err
    assert way in err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("place", "way"), each_once(["import", "as_lines", "how_many_users", "__init__", "log"], WAYS))
def test_a_package_that_ends_the_program_is_named_and_the_exit_code_is_2(place, way, job, receval, tmp_path, monkeypatch):
    install(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    module = tmp_path / "acme_receval.py"
    text = module.read_text()
    head = next(line for line in text.splitlines() if (f"def {place}(" if place != "import" else "CONVENTION =") in line)
    indent = " " * (len(head) - len(head.lstrip()) + 4 * head.endswith(":"))
    module.write_text(text.replace(f"{head}\n", f"{head}\n{indent}{WAYS[way]}\n", 1))
    options = {
        "import": ["--set", "evaluation.metrics=[nDCG@2, LateHits@2]"],
        "as_lines": ["--format", "lines"],
        "how_many_users": ["-o", "r.html"],
    }.get(place, ["--set", "track=[{journal: {path: j.txt, required: true}}]"])
    code, _, err = receval(*job("")[:2], *options)
    assert code == 2, err
    assert way in err
    assert any(name in err for name in ("acme-receval 1.2", "journal: "))


def test_an_interruption_from_the_keyboard_in_a_plugin_stays_one(job, receval):
    code, _, err = receval(*job(METRIC.format(way="import signal; signal.raise_signal(signal.SIGINT)")))
    assert (code, err) == (130, "receval: interrupted\n")


@pytest.mark.parametrize("handler", ["signal.default_int_handler", "stop"])
def test_an_interruption_that_a_handler_raises_passes_a_plugin(handler, monkeypatch):
    def stop(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop if handler == "stop" else signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), plugins.failing_as("mine failed"):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_ends_in_a_worker_process_is_raised_here():
    with Processes(2, work.__name__) as two:
        with pytest.raises(ConfigError, match=r"the metric Mine failed: it ended the program with sys.exit\(0\)"):
            list(two.measure(partial(work.end_with, "sys.exit(0)"), parts(4)))
        with pytest.raises(MachineError, match=r"a worker process ended before its work was done \(exit code 0\)"):
            list(two.measure(partial(work.leave, os.getpid()), parts(4)))


def test_a_library_that_ends_the_program_is_no_success(receval, monkeypatch):
    monkeypatch.setattr("receval.cli.main._call", lambda arguments: sys.exit(0))
    code, _, err = receval("--version")
    assert (code, err.splitlines()[-1]) == (70, "receval: internal error; please report it with the lines above")
