"""`receval init` and then `receval run` give the values of `receval run` on the same files, for random worlds in every shape.

Fourteen worlds are tried, always the same ones, and forty before a release.
`RECEVAL_FUZZ_SECONDS=600 RECEVAL_FUZZ_SEED=7 pytest tests/recognise/test_init_worlds.py` tries more, with another seed.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from pathlib import Path
from typing import Any

from tests.recognise import files_of_lists, files_of_truths
from tests.recognise.worlds import LISTS, TESTS, Made, Pen, World
from tests.sizes import draws

SECONDS = float(os.environ.get("RECEVAL_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("RECEVAL_FUZZ_SEED", "1"))
LEAST = draws(9, 40)
"""Number of worlds that are tried in any case."""
MEASURES = ("-m", "MRR@3", "-m", "Recall@3", "--set", "health=off", "--format", "json")
UNSET = ("--set", "evaluation.relevance=null", "--set", "evaluation.policy=null")
"""What init proposes beside the readings."""
assert files_of_lists
assert files_of_truths


def made(seed: int, folder: Path) -> tuple[Made, Made] | None:
    """Return the two files of a world; `None` if one cannot be written so, or needs a filter, which only a person knows."""
    world, number = World(seed, folder), seed % 1_000_000
    lists = LISTS[[*LISTS][number % len(LISTS)]](world, Pen(world, "lists"))
    test = TESTS[[*TESTS][number % len(TESTS)]](world, Pen(world, "test"))
    return (lists, test) if lists and test and not (lists.where or test.where) else None


def values(out: str) -> list[tuple[Any, ...]]:
    """Return the values of a result."""
    return sorted((row["metric"], row["k"], row["value"]) for row in json.loads(out)["results"])


def test_init_and_run_give_the_values_of_run_on_the_same_files(tmp_path, receval, monkeypatch) -> None:
    end, number, n_files, n_equal, differ = time.monotonic() + SECONDS, 0, 0, 0, []
    while number < LEAST or time.monotonic() < end:
        folder, seed = tmp_path / str(number), SEED * 1_000_000 + number
        folder.mkdir()
        number += 1
        files = made(seed, folder)
        if files is None:
            continue
        monkeypatch.chdir(folder)
        lists, test = (file.path.name for file in files)
        code, out, err = receval("run", "--test", test, "--recs", lists, *MEASURES)
        init_code, _, said = receval("init", test, lists, "-o", "config.yaml")
        again, values_of_config, refused = receval("run", "config.yaml", *MEASURES, *UNSET) if init_code == 0 else (3, "", said)
        n_files += 1
        if "are read as 12" in said or "in common with" in said:  # of which the health checks of a run say that something is wrong
            continue
        if code == again == 0:
            is_equal = values(out) == values(values_of_config)
            n_equal += is_equal
            differ += [] if is_equal else [f"world {seed}: {said}"]
        elif code == 0:
            differ.append(f"world {seed}: only run reads it: {refused}")
        elif again == 0 and "not sure" not in said:
            differ.append(f"world {seed}: only init reads it: {err}")
        shutil.rmtree(folder)
    assert not differ, "\n".join(differ)
    assert n_equal > n_files / 2
