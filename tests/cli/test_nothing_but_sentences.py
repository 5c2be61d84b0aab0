"""Any command on any valid config ends in a result or in one sentence.

Three configs are tried, always the same ones, and eight before a release.
`RECEVAL_FUZZ_SECONDS=600 RECEVAL_FUZZ_SEED=7 pytest tests/cli/test_nothing_but_sentences.py` tries more, with another seed.
"""

from __future__ import annotations

import os
import random
import time

import pytest

from tests.cli.random_configs import call, config, world, write_world
from tests.sizes import draws

SECONDS = float(os.environ.get("RECEVAL_FUZZ_SECONDS", "0"))
LEAST = draws(3, 8)
"""Number of valid configs that are tried in any case, even if time is up."""
SEED = int(os.environ.get("RECEVAL_FUZZ_SEED", "1"))

ENDS = ("results.csv", "results.json", "results.jsonl", "results.md", "results.parquet", "results.tex", "junit.xml", "b.svg")
PAGE = 0.05
"""Share of commands that make a page, which takes a second."""


def commands(chance, made, path, folder):
    """Return every command of a config, with one format each."""
    ends = [*ENDS, "results.html"] if chance.random() < PAGE else ENDS
    yield ["run", path, "-o", f"{folder}/out/", *(part for end in ends for part in ("-o", folder / end))]
    yield ["run", path, "--format", chance.choice(("csv", "json", "jsonl", "latex", "md")), "-v"]
    yield ["run", path, "--per-user", "--format", chance.choice(("csv", "jsonl"))]
    yield ["check", path]
    yield ["describe", path]
    yield ["audit", path, "--format", chance.choice(("table", "csv", "json", "md"))]
    named = made["evaluation"]["metrics"]
    for measure in (chance.choice(named), "nDCG@2"):
        form = chance.choice(("table", "json", "md"))
        yield ["explain", measure, path, "--user", chance.choice((0, 1, 99, 98)), "--model", "one", "--format", form]
    yield ["compare", f"{folder}/out/", "--format", chance.choice(("table", "csv", "json", "md"))]
    yield ["gate", path]
    yield ["report", f"{folder}/out/", "-o", folder / ("r.html" if chance.random() < PAGE else chance.choice(("r.md", "r.tex", "r.xml")))]


@pytest.mark.slow
def test_every_command_ends_in_a_result_or_a_sentence(tmp_path):
    chance = random.Random(SEED)
    end, tried, fine = time.monotonic() + SECONDS, 0, 0
    while tried < LEAST or time.monotonic() < end:
        made = config(chance)
        path = write_world(tmp_path, world(chance), made, chance)
        if call("validate", path)[0]:
            continue
        tried += 1
        for command in commands(chance, made, path, tmp_path):
            code, _, err = call(*command)
            assert code in (0, 1, 2, 3, 4), (made, command, err)
            assert "Traceback" not in err, (made, command, err)
            fine += code in (0, 1)
    assert fine > 2 * LEAST
