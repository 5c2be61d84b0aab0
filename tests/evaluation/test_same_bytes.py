"""The same input gives the same bytes of every result file, for any order of rows, parts and threads."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from receval.cli.main import main
from receval.config import load_config
from receval.engines import RowFile, partitions
from receval.engines.processes import Processes
from receval.evaluation import files, running
from receval.metrics import METRICS
from receval.support import outputs
from receval.syntax.measure_strings import parse

from tests.conftest import table
from tests.sizes import draws, half, some
from tests.variants import COLUMN, FILE_ORDER, without
from tests.worlds import OF_ITEMS, OF_TEST, World, pairs, sides

PER_USER = ("per_user.parquet", "per_user.csv", "per_user.jsonl")
ORDERLESS = without(*FILE_ORDER)
ONE_OF_EACH = list({parse(text).name: text for text in reversed(ORDERLESS)}.values())
BY = [f"users.{COLUMN}", f"items.{COLUMN}", "items.categories", {"train_count": [1, 4]}, "cold"]
AGGREGATES = ["bootstrap95", "micro", "mean", "median", "p90", "std", "ci95"]
RUNS: dict[str, dict[str, Any]] = {
    "every metric, reference list and check": {
        "evaluation": {
            "metrics": ONE_OF_EACH,
            "top_k": some([3, "none"], 1),
            "yardsticks": some(["popularity", "oracle", "random"], 2),
            "by": BY[:2],
        },
    },
    "every value of every axis": {
        "evaluation": {"metrics": ORDERLESS, "top_k": some([3, "none"], 1)},
        "health": "off",
        "models": ["model"],
    },
    "every aggregate, bootstrap and pooled values": {
        "evaluation": {"metrics": ["Precision", "Recall", "AUC"], "top_k": [3], "aggregates": AGGREGATES, "by": BY}
    },
}
"""Settings of each run. Aggregates are computed from per-user values of any metric, so a few metrics are enough for all of them; values of
axes are tried on the model with ties and duplicates."""
HEAVY = ("every metric, reference list and check", "every value of every axis")
"""Runs over all metrics, which a release tries."""
HOWS: dict[str, Sequence[tuple[int | None, int | None]]] = {
    "every metric, reference list and check": ((12, 8),),
    "every value of every axis": ((60, None),),
    "every aggregate, bootstrap and pooled values": ((1, 8), (7, None), (None, 1)),
}
"""Runs over shuffled files, which are partitioned in temporary files because `engine.memory` is small: the rows of a part, and the threads,
in an own process because Polars reads their number only once."""
IN_PARTS = """
import sys
from functools import partial
from receval.cli.main import main
from receval.evaluation import running
if rows := int(sys.argv[1]):
    running.whole_users = partial(running.whole_users, rows_per_part=rows)
sys.exit(main(sys.argv[2:]))
"""
"""A program that runs receval with its first argument as the number of rows in a part; 0 means receval's default."""


WHOLE_USERS = running.whole_users


def awkward_world(seed: int) -> World:
    """Return lists with ties and duplicates, users on one side only, missing values in every side input, and sums that round."""
    chance = random.Random(seed)
    users, items = range(14), range(14)
    lists = [(u, i, chance.randint(0, 4) / 3) for u in (*users, 99, 98) for i in chance.sample([*items, 100, 101], chance.randint(0, 12))]
    lists += [(user, item, chance.choice((0.1, 0.2, 1.0))) for user, item, _ in lists if chance.random() < 0.25]
    test = [(user, item, chance.randint(0, 5)) for user, item in pairs(chance, users, items, 0.4)]
    return {
        "test": table(["user", "item", "rating"], test),
        "lists": table(["user", "item", "score"], lists),
        **sides(chance, users, items),
    }


def write_world(folder: Path, world: World, run: dict[str, Any], shuffled: int | None) -> Path:
    """Write the files, in the order of users or shuffled, and their config."""
    folder.mkdir()
    for name, frame in world.items():
        rows = frame if shuffled is None else frame.sample(fraction=1, shuffle=True, seed=shuffled)
        rows.write_parquet(folder / f"{name}.parquet")
    data: dict[str, Any] = {name: f"{name}.parquet" for name in world if name != "lists"}
    lists = {"model": "lists.parquet", "other": "baseline.parquet"}
    data["recommendations"] = {model: lists[model] for model in run.get("models", lists)}
    data |= {"items": {"path": "items.parquet", **OF_ITEMS}, "test": {"path": "test.parquet", **OF_TEST}}
    config = {"data": data, "engine": {"memory": "1KB"}, "output": {"dir": "results", "per_user": ["parquet", "csv", "jsonl"]}}
    config |= {"evaluation": {"relevance": {"graded": True}, **run["evaluation"]}, "health": run.get("health", {})}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    return folder / "config.yaml"


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return the bytes of every result file but the manifest, without what results.json says of input and engine."""
    found = {path.name: path.read_bytes() for path in (folder / "results").iterdir() if path.name != "manifest.json"}
    content = json.loads(found["results.json"])
    content["config"].pop("engine")
    found["results.json"] = json.dumps({key: value for key, value in content.items() if key != "inputs"}).encode()
    return found


def assert_equal(found: dict[str, bytes], expected: dict[str, bytes]) -> None:
    assert found.keys() == expected.keys()
    assert expected.keys() == {"ledger.csv", "results.csv", "results_wide.csv", "results.json", "results.parquet", "results.md", *PER_USER}
    assert not [name for name in expected if found[name] != expected[name]]


def test_every_metric_is_tried():
    assert {parse(text).name for text in ONE_OF_EACH} == METRICS.keys()


@pytest.fixture(scope="module")
def plain_bytes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, bytes]]:
    """Return a function that gives the result files of a run over files in the order of users, in one part."""

    @cache
    def plain_bytes(name: str) -> dict[str, bytes]:
        folder = tmp_path_factory.mktemp("world") / "plain"
        assert main(["run", str(write_world(folder, awkward_world(4), RUNS[name], None)), "-q"]) in (0, 1)
        assert pl.read_parquet(folder / "results" / "per_user.parquet")["user"].n_unique() > 12
        return bytes_of(folder)

    return plain_bytes


@pytest.mark.slow
@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.release) if name in HEAVY else name for name in RUNS])
def test_orders_of_rows_parts_and_threads_change_no_byte(name, plain_bytes, receval, tmp_path, monkeypatch):
    world, expected = awkward_world(4), plain_bytes(name)
    for seed, (rows_per_part, n_threads) in enumerate(some(HOWS[name], 2), 1):
        config = write_world(tmp_path / f"{rows_per_part} rows, {n_threads} threads", world, RUNS[name], seed)
        if n_threads:
            program = [sys.executable, "-c", IN_PARTS, str(rows_per_part or 0), "run", str(config), "-q"]
            done = subprocess.run(program, env={**os.environ, "POLARS_MAX_THREADS": str(n_threads)}, capture_output=True, text=True)
            assert done.returncode in (0, 1), done.stderr
        else:
            monkeypatch.setattr(running, "whole_users", partial(WHOLE_USERS, rows_per_part=rows_per_part))
            assert receval("run", config, "-q")[0] in (0, 1)
        assert_equal(bytes_of(config.parent), expected)


@pytest.mark.parametrize(
    ("order", "is_used", "evaluation"),
    [
        ("by user", True, {"by": BY[:1]}),
        ("by user", True, {"aggregates": AGGREGATES, "yardsticks": ["oracle"]}),
        ("shuffled", False, {}),
        ("users without a list", False, {}),
    ],
)
def test_per_user_values_written_while_measuring_change_no_byte(order, is_used, evaluation, receval, tmp_path, monkeypatch):
    world = awkward_world(4)
    if order != "users without a list":
        listed = [*{*world["lists"]["user"]} & {*world["baseline"]["user"]}]
        world |= {name: world[name].filter(pl.col("user").is_in(listed)) for name in ("test", "lists", "baseline")}
    world |= {name: world[name].sort("user", maintain_order=True) for name in ("test", "lists", "baseline")}
    run = {"evaluation": {"metrics": ["Recall", "MAP", "AUC"], "top_k": [3], **evaluation}}
    config = write_world(tmp_path / "world", world, run, 7 if order == "shuffled" else None)
    monkeypatch.setitem(outputs.PARQUET, "row_group_size", 3)
    monkeypatch.setattr(running, "whole_users", partial(WHOLE_USERS, rows_per_part=20))
    file_of, found = RowFile.file_of, list[Path | None]()
    monkeypatch.setattr(RowFile, "file_of", lambda file, frames: found.append(file_of(file, frames)) or found[-1])
    assert receval("run", config, "-q")[0] in (0, 1)
    assert (found[0] is not None) == is_used
    while_measuring = bytes_of(config.parent)
    monkeypatch.setattr(RowFile, "file_of", lambda file, frames: None)
    assert receval("run", config, "-q")[0] in (0, 1)
    assert_equal(bytes_of(config.parent), while_measuring)


@pytest.mark.slow
@pytest.mark.parametrize(("n_processes", "shuffled"), some([(3, 9), (1, 8), (2, None)], 1))
@pytest.mark.parametrize("name", ["every aggregate, bootstrap and pooled values", pytest.param(HEAVY[0], marks=pytest.mark.release)])
def test_processes_that_measure_change_no_byte(name, n_processes, shuffled, plain_bytes, receval, tmp_path, monkeypatch):
    world, run = awkward_world(4), RUNS[name]
    monkeypatch.setattr(running, "whole_users", partial(WHOLE_USERS, rows_per_part=25))
    monkeypatch.setattr(partitions, "n_sorting", lambda: n_processes)
    config = write_world(tmp_path / "processes", world, run, shuffled)
    assert receval("run", config, "-q", "--set", f"engine.workers={n_processes}")[0] in (0, 1)
    assert_equal(bytes_of(config.parent), plain_bytes(name))


LISTS = {"user": pl.Int64, "item": pl.Int64, "score": pl.Float64}


class Lasting(Processes):
    """Processes that last for many runs."""

    def __exit__(self, *error: object) -> None:
        pass

    def end(self) -> None:
        super().__exit__()


@pytest.fixture(scope="module")
def lasting() -> Iterator[Lasting]:
    processes = Lasting(2, running.measure_part.__module__)
    yield processes
    processes.end()


@pytest.mark.slow
@settings(max_examples=draws(6, 15), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_files_cut_anywhere_give_the_same_values_with_processes(data, lasting, tmp_path, monkeypatch):
    row = st.tuples(st.integers(0, 5), st.integers(0, 8), st.sampled_from([0.1, 0.2, 0.7]))
    lists = data.draw(st.lists(row, min_size=1, max_size=40), "lists")
    if data.draw(st.booleans(), "in order"):
        lists.sort(key=lambda entry: entry[0])
    test = sorted(data.draw(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 9)), min_size=1, max_size=20), "test"))
    n_files = data.draw(st.integers(1, 3), "number of files")
    folder = Path(tempfile.mkdtemp(dir=tmp_path))
    for number, places in enumerate(np.array_split(np.arange(len(lists)), n_files)):
        pl.DataFrame([lists[row] for row in places], dict.fromkeys(LISTS), orient="row").cast(LISTS).write_parquet(
            folder / f"{number}.parquet"
        )
    pl.DataFrame(test, ["user", "item"], orient="row").write_parquet(folder / "test" / "test.parquet", mkdir=True)
    config = load_config(
        {
            "data": {"test": str(folder / "test" / "test.parquet"), "recommendations": {"model": str(folder / "*.parquet")}},
            "evaluation": {"metrics": ["nDCG", "Recall", "MAP", "ShannonEntropy", "Precision"], "top_k": [2, "none"]},
        }
    )
    monkeypatch.setattr(files, "_processes", lambda *arguments: Processes(0, ""))
    expected = running.run(config)
    monkeypatch.setattr(files, "_processes", lambda *arguments: lasting)
    rows_per_part = data.draw(st.integers(1, 12), "rows of a part")
    monkeypatch.setattr(running, "whole_users", partial(WHOLE_USERS, rows_per_part=rows_per_part))
    found = running.run(config)
    monkeypatch.setattr(running, "whole_users", WHOLE_USERS)
    assert (found.rows, found.counts, found.findings, found.truths) == (expected.rows, expected.counts, expected.findings, expected.truths)
    assert found.per_user["model"].equals(expected.per_user["model"])
    assert lasting._all[0]._work is not None  # it was measured there


@pytest.mark.parametrize(("column", "value", "code"), half([("item", None, 3), ("score", float("nan"), 3)]))
def test_faulty_rows_are_the_same_sentence_whoever_measures(column, value, code, receval, tmp_path, monkeypatch):
    world = awkward_world(5)
    world["lists"] = pl.concat(
        [world["lists"], world["lists"].tail(3).with_columns(pl.lit(value).cast(world["lists"].schema[column]).alias(column))]
    )
    monkeypatch.setattr(running, "whole_users", partial(WHOLE_USERS, rows_per_part=25))
    config = write_world(tmp_path / "world", world, {"evaluation": {"metrics": ["nDCG@3"]}}, None)
    first, second = (receval("run", config, "--set", f"engine.workers={n}") for n in (0, 2))
    assert first[0] == code
    assert first == second
