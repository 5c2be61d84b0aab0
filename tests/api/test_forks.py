"""A forked child lacks the threads of Polars: one that needs them gets one error instead of a hang; any other child works."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
HEAD = """
import os, sys
import receval
assert "polars" not in sys.modules

def value():
    return receval.evaluate(test={1: [1]}, recommendations={1: [1]}, metrics="nDCG@1").to_dict()

def forked(work):
    sys.stdout.flush()
    child = os.fork()
    if not child:
        try:
            print(work())
        except receval.RecevalError as error:
            print(type(error).__name__, error.exit_code, error.message)
        sys.stdout.flush()
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
REFUSED = "MachineError 4 this process was forked after Polars started its threads; a fork does not copy threads, so it would wait forever"
VALUE = "{'model': {'nDCG@1': 1.0}}"


def lines_of(script: str) -> list[str]:
    """Run a script and return the lines that it prints; fail if it hangs."""
    done = subprocess.run([sys.executable, "-c", HEAD + script], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


USES = {
    "Polars": "import polars as pl\nprint(pl.DataFrame({'a': [2, 1]}).lazy().sort('a').collect().height)",
    "receval": "print(value()['model']['nDCG@1'])",
}


@pytest.mark.parametrize("use", USES)
def test_a_child_without_the_threads_of_polars_gets_an_error(use: str):
    assert lines_of(f"{USES[use]}\nforked(value)\nforked(lambda: forked(value))\nprint(value())")[1:] == [
        REFUSED,
        REFUSED,
        "None",
        VALUE,
    ]


def test_every_public_function_is_refused_in_a_child_without_threads(tmp_path: Path):
    calls = (
        "receval.check(test={1: [1]}, recommendations={1: [1]})",
        "receval.Evaluator(test={1: [1]}, metrics='nDCG@1')",
        "receval.functional.ndcg({1: [1]}, {1: [1]})",
        "receval.score([1], relevant=[1], metrics='nDCG@1')",
        "receval.load_results('nowhere')",
        "receval.compare(result)",
        "result.to_arrow()",
        "result.save(folder)",
        "back.per_user['a']",
        "receval.run(loaded)",
        "evaluator({1: [1]})",
    )
    config = "{'data': {'test': {1: [1]}, 'recommendations': {'a': {1: [1]}}}, 'evaluation': {'metrics': ['nDCG@1']}}"
    start = f"import receval.functional\nloaded = receval.load_config({config})\nresult = receval.evaluate(loaded)\n"
    start += f"folder = {str(tmp_path / 'out')!r}\nresult.save(folder)\nback = receval.load_results(folder)\n"
    start += "evaluator = receval.Evaluator(test={1: [1]}, metrics='nDCG@1')\n"
    assert lines_of(start + "\n".join(f"forked(lambda: {call})" for call in calls)) == [REFUSED] * len(calls)


def test_a_child_works_if_polars_had_no_threads_before_the_fork():
    assert lines_of("forked(value)\nimport polars\nforked(value)\nprint(value())") == [VALUE] * 3


def test_a_spawned_process_works():
    work = "__import__('receval').evaluate(test={1: [1]}, recommendations={1: [1]}, metrics='nDCG@1').to_dict()"
    pool = "import multiprocessing as mp\nwith mp.get_context('spawn').Pool(1) as pool:\n"
    assert lines_of(f"print(value())\n{pool}    print(pool.apply(eval, ({work!r},)))") == [VALUE] * 2
