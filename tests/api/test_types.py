"""Type checkers see the types of public calls, and none of them is `Any`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

TYPES = {
    "result": "receval.api.evaluation_result.EvaluationResult",
    "result['als']": "receval.api.evaluation_result.RowsOfModel",
    "result['als']['nDCG@2']": "receval.results.row.Row",
    "result['als', 'nDCG@2'].value": "float | None",
    "result['nDCG@2'].value": "float | None",
    "result['nDCG@2'].n_users": "int",
    "result.to_pandas()": "pandas.DataFrame",
    "result.to_arrow()": "pyarrow.Table",
    "result.to_polars()": "polars.dataframe.frame.DataFrame",
    "result.chart()": "receval.api.charts.DrawnChart",
    "result.compare()": "receval.api.comparisons.ComparisonResult",
    "result.compare().to_pandas()": "pandas.DataFrame",
    "result.compare().chart()": "receval.api.charts.DrawnChart",
    "result.gate('nDCG@2 >= 0.5')": "receval.api.comparisons.GateVerdicts",
    "result.gate('nDCG@2 >= 0.5').passed": "bool",
    "receval.compare(result)": "receval.api.comparisons.ComparisonResult",
    "receval.gate(result)": "receval.api.comparisons.GateVerdicts",
    "receval.load_results('x')": "receval.api.evaluation_result.EvaluationResult",
    "receval.evaluate_config('x').result": "receval.api.evaluation_result.EvaluationResult",
    "receval.score([1], [1], 'nDCG@2')": "float | None",
    "receval.Evaluator(test=lists)(lists)": "receval.api.epoch_values.EpochValues",
    "ndcg(lists, lists, gain='linear')": "float",
    "ndcg(lists, lists, k=[1, 2])": "dict[int | None, float]",
    "ndcg(lists, lists, apply_mean=False)": "list[float]",
    "ndcg(lists, lists, k=[1, 2], apply_mean=False)": "dict[int | None, list[float]]",
    "functional.coverage(lists, lists)": "float",
}
HEAD = """import receval
from receval import functional
from receval.functional import ndcg
lists = {1: [3, 5]}
result = receval.evaluate(test=lists, recommendations={"als": lists}, metrics="nDCG@2")
"""


@pytest.mark.release
@pytest.mark.slow
def test_mypy_reveals_the_type_of_every_public_call(tmp_path: Path):
    subprocess.run([sys.executable, "setup.py", "--quiet", "link_types"], cwd=ROOT, check=True)
    for library, name in (("pandas", "DataFrame"), ("pyarrow", "Table")):  # neither has types of its own
        (tmp_path / library).mkdir()
        (tmp_path / library / "__init__.pyi").write_text(f"class {name}: ...\n")
    (tmp_path / "use.py").write_text(HEAD + "".join(f"reveal_type({call})\n" for call in TYPES))
    paths = os.pathsep.join((str(ROOT / "build" / "types"), str(tmp_path)))
    cache = ROOT / "build" / "mypy_of_tests"
    command = [sys.executable, "-m", "mypy", "--config-file=", f"--cache-dir={cache}", "--follow-imports=silent", "use.py"]
    done = subprocess.run(command, cwd=tmp_path, env={**os.environ, "MYPYPATH": paths}, capture_output=True, text=True)
    assert done.stdout.endswith("Success: no issues found in 1 source file\n"), done.stdout + done.stderr
    assert dict(zip(TYPES, re.findall('Revealed type is "(.*)"', done.stdout), strict=True)) == TYPES
