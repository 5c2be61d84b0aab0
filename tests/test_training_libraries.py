"""docs/training-libraries.md: its examples are short, and run if their library is installed."""

from __future__ import annotations

import re
import warnings
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from tests.conftest import ROOT

PAGE = (ROOT / "docs" / "training-libraries.md").read_text("utf-8")
BLOCKS = dict(re.findall(r"^<!-- example: ([\w-]+) -->\n\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_there_is_an_example_for_each_library():
    names = {name.removesuffix("-notrun") for name in BLOCKS}
    assert names == {"implicit", "surprise", "lenskit", "lightfm", "recbole", "replay", "rectools", "elliot"}


@pytest.mark.parametrize("name", BLOCKS)
def test_an_example_is_valid_python_and_short(name: str):
    compile(BLOCKS[name], name, "exec")
    lines = [line for line in BLOCKS[name].split("\n\n")[-1].splitlines() if not line.startswith(("import", "from"))]
    assert len(lines) <= 5
    assert lines[-1].startswith("result = receval.evaluate(")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in BLOCKS if not name.endswith("-notrun")])
def test_an_example_runs_with_its_library(name: str):
    if find_spec(name) is None:
        pytest.skip(f"needs {name}")
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    pairs = [(user, item) for user in range(40) for item in random.choice(30, 12, replace=False)]
    ratings = pandas.DataFrame(pairs, columns=["user", "item"]).assign(rating=random.integers(1, 6, len(pairs)).astype(float))
    is_test = ratings.groupby("user").cumcount() < 3
    known: dict[str, Any] = {"train": ratings[~is_test].reset_index(drop=True), "test": ratings[is_test].reset_index(drop=True)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(BLOCKS[name], name, "exec"), known)
    result = known["result"]
    (model,) = result.models
    assert result[model, "nDCG@10"].n_users == 40
    assert all(0 < row.value <= 2 for row in result[model].values())
