"""Helpers of the tests of reading: one small world, evaluated from files of any form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from receval import load, load_config, run

from tests.conftest import values

TEST = "user,item,rating\n1,10,5\n1,11,4\n2,12,3\n"
"""Relevant items: 10 and 11 for user 1, 12 for user 2."""
LISTS = ((1, 10, 0.9), (1, 99, 0.8), (2, 98, 0.7), (2, 12, 0.6))
EXPECTED = {"MRR@10": 0.75, "Recall@10": 0.75}


def look_at(role: str, table: str, *paths: Path, **options: Any) -> load.Source:
    """Return the source of these files, examined with these read options."""
    files, given = [load.SourceFile.from_path(path) for path in paths], load.ReadOptions(**options)
    return load.look(load.open_source(role, table, [path.name for path in paths], files, given), given)


@pytest.fixture
def evaluate_lists(write: Callable[..., Path], tmp_path: Path) -> Callable[..., dict[str, float | None]]:
    """Return a function that gives the values of `lists`, a path or the config of a source, against a plain test file or another one."""

    def evaluate_lists(
        lists: Any = "plain.csv", *, test: Any = "plain_test.csv", engine: Any = None, **more: Any
    ) -> dict[str, float | None]:
        write("plain_test.csv", TEST)
        write("plain.csv", "user,item,score\n" + "".join(f"{user},{item},{score}\n" for user, item, score in LISTS))
        data = {"test": test, "recommendations": {"model": lists}} | more
        config = {"data": data, "evaluation": {"metrics": ["MRR", "Recall"]}, "health": "off"} | ({"engine": engine} if engine else {})
        write("config.yaml", yaml.safe_dump(config))
        return values(run(load_config(tmp_path / "config.yaml")))

    return evaluate_lists
