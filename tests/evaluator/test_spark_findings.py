"""Both engines find the same in dirty input, and the same bounds of values under ties."""

from __future__ import annotations

import json

import pytest
import yaml
from receval.evaluator.checks import CHECKS

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


def findings(receval, path):
    code, out, err = receval("check", path, "--format", "json")
    assert code in (0, 1), err
    return json.loads(out)["findings"]


def test_every_check_is_tried_on_spark():
    assert {one["check"] for name in TRIED for one in CASES[name].findings} == set(CHECKS)
