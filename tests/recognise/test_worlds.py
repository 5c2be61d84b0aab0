"""Random worlds in every shape of file are read right, or asked with an answer that is right; never as something else.

Seventy-five worlds of two files are tried, always the same ones, so that every shape occurs.
`RECEVAL_FUZZ_SECONDS=600 RECEVAL_FUZZ_SEED=7 pytest tests/recognise/test_worlds.py` tries more, with another seed, 1,000 in a minute.
"""

from __future__ import annotations

import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from receval.load.scan import ReadOptions

from tests.recognise import files_of_lists, files_of_truths
from tests.recognise.asking import Asked, Verdict
from tests.recognise.worlds import LISTS, TESTS, Pen, World
from tests.sizes import draws

SECONDS = float(os.environ.get("RECEVAL_FUZZ_SECONDS", "0"))
SEED = int(os.environ.get("RECEVAL_FUZZ_SEED", "1"))
LEAST = draws(40, 75)
"""Number of worlds that are tried in any case."""
MOST_WRONG, MOST_ASKED = 0.001, 0.03
"""Shares of files: those read wrong, or asked without a right answer; and those that are asked although names tell everything."""
assert files_of_lists
assert files_of_truths


def verdicts(seed: int, folder: Path) -> Iterator[tuple[bool, str, Verdict]]:
    """Yield whether names help, the shape, and the verdict of the two files of a world."""
    world = World(seed, folder)
    number = seed % 1_000_000
    shapes = [list(LISTS)[number % len(LISTS)], list(TESTS)[number % len(TESTS)]]
    lists, test = LISTS[shapes[0]](world, Pen(world, "lists")), TESTS[shapes[1]](world, Pen(world, "test"))
    made = [source for source in (lists, test) if source is not None]
    options = {source.path: ReadOptions(where=source.where) for source in made if source.where}
    asked = Asked([test.path] if test else [], [lists.path] if lists else [], options)
    for source, shape in zip((lists, test), shapes, strict=True):
        if source is not None:
            is_clear = world.is_helpful and not shape.endswith(("unknown name", "12.0"))  # those are asked
            yield is_clear, f"{shape} (world {seed})", asked.verdict(source.path, source.truth)


def test_a_file_of_any_world_in_any_shape_is_read_right_or_asked(tmp_path: Path) -> None:
    end, number, n_files, asked, wrong = time.monotonic() + SECONDS, 0, 0, Counter[bool](), []
    while number < LEAST or time.monotonic() < end:
        folder = tmp_path / str(number)
        folder.mkdir()
        for is_helpful, shape, verdict in verdicts(SEED * 1_000_000 + number, folder):
            n_files += 1
            asked[is_helpful] += verdict == "asked"
            wrong += [f"{verdict}: {shape}"] if verdict not in ("right", "asked") else []
        shutil.rmtree(folder)
        number += 1
    assert len(wrong) <= MOST_WRONG * n_files, "\n".join(wrong)
    assert asked[True] <= MOST_ASKED * n_files, asked
