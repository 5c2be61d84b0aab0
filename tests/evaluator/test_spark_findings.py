"""Both engines find the same in dirty input, and the same bounds of values under ties."""

from __future__ import annotations

import json

import pytest
import yaml
from receval.checks import CHECKS
from receval.engine.base import Scan
from receval.engine.polars import PolarsEngine
from receval.engine.spark import SparkEngine

from tests.dirty import CASES

pytestmark = [pytest.mark.spark, pytest.mark.slow]

TRIED = ["lists: scores are tied across the cut-off", *(name for name in CASES if name.startswith("together"))]


@pytest.mark.parametrize("name", TRIED)
def test_spark_and_polars_find_the_same(name, spark, receval, tmp_path):
    path = CASES[name].write(tmp_path / "case")
    here = findings(receval, path)
    path.write_text(yaml.safe_dump({**CASES[name].config, "engine": dict(spark)}))
    there = findings(receval, path)
    for one, other in zip(here, there, strict=True):
        bounds, others = (found.pop("details", {}).pop("bounds", {}) for found in (one, other))
        assert one == other
        assert bounds.keys() == others.keys()
        for label, ends in bounds.items():
            assert ends == pytest.approx(others[label], abs=1e-12), label


TIMES = {
    "1700000000": 1_700_000_000,
    "1.5": 1.5,
    "2024-01-03": 1_704_240_000,
    "2024/1/3": 1_704_240_000,
    "03.01.2024": 1_704_240_000,
    "2024-01-03 00:30": 1_704_241_800,
    "2024-01-03T00:30": 1_704_241_800,
    "2024-01-03 00:30:00.25": 1_704_241_800.25,
    "2024-01-03T00:30:00.5Z": 1_704_241_800.5,
    "2024-01-03T00:30:00+02:00": 1_704_234_600,
    "2024-01-03T00:30:00+0200": 1_704_234_600,
    "2024-01-03 00:30:00+02": 1_704_234_600,
    "03/01/24": None,
    "soon": None,
}
"""Text → seconds since 1970."""


def test_both_engines_read_the_same_times(spark, write):
    path = write("times.csv", "user,time\n" + "".join(f"{place},{text}\n" for place, text in enumerate(TIMES)))
    names, kinds = {"user": "user", "timestamp": "time"}, {"user": "integer", "timestamp": "time"}
    for engine in (PolarsEngine(), SparkEngine(master=spark["master"])):
        scan = engine.scan(Scan((str(path),), "csv", names, kinds, ",", ("user", "time"), True))
        found = dict(engine.collect(scan.select("user", "timestamp")).rows())
        assert dict(zip(TIMES, (found[place] for place in range(len(TIMES))), strict=True)) == TIMES, engine.name


def findings(receval, path):
    code, out, err = receval("check", path, "--format", "json")
    assert code in (0, 1), err
    return json.loads(out)["findings"]


def test_every_check_is_tried_on_spark():
    assert {one["check"] for name in TRIED for one in CASES[name].findings} == set(CHECKS)
