"""`receval validate` with only the libraries that docs/ci.md lists for it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest

from tests.conftest import ROOT
from tests.sizes import some

NEEDED = set(re.search(r"pip install ((?:[a-z]+ )*pyyaml)$", (ROOT / "docs" / "ci.md").read_text("utf-8"), re.MULTILINE)[1].split())
REQUIRED = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
MISSING = {re.split(r"[^\w-]", requirement, maxsplit=1)[0] for requirement in REQUIRED} - NEEDED
SCRIPT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from receval.cli.main import main
sys.exit(main(["validate", *sys.argv[2:]]))
"""
WITH_EVERYTHING = """
data:
  test: {path: test.csv, columns: {user: u}}
  train: train.csv
  items: {path: items.csv, categories: genres}
  users: users.csv
  recommendations: {a: a.csv, b: b.parquet}
evaluation:
  metrics: [nDCG@10, EPC@5, ILD@10, ItemCoverage@10, "P@5 / Recall@5"]
  by: [users.plan, {train_count: [9, 11]}]
  yardsticks: {popularity: true}
compare: {baseline: a}
gates: {baseline: results/main, rules: [nDCG@10 max_loss 2%, ItemCoverage@10 >= 0.1]}
report: {charts: [over_k]}
"""


def validate(*configs):
    arguments = [sys.executable, "-c", SCRIPT, ",".join(sorted(MISSING)), *map(str, configs)]
    return subprocess.run(arguments, cwd=ROOT, capture_output=True, text=True)


def test_polars_is_among_the_libraries_that_are_hidden_here():
    assert "polars" in MISSING


@pytest.mark.parametrize("config", some(sorted(path.name for path in (ROOT / "configs").glob("*.yaml")), 3))
def test_the_configs_of_the_repository_are_valid_without_the_large_libraries(config):
    done = validate(f"configs/{config}")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_config_with_every_section_is_valid_without_the_large_libraries(tmp_path):
    (tmp_path / "config.yaml").write_text(WITH_EVERYTHING)
    done = validate(tmp_path / "config.yaml")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.endswith("is valid: 5 measures, 2 models, 2 gates\n")


def test_problems_are_listed_without_the_large_libraries(tmp_path):
    (tmp_path / "config.yaml").write_text(WITH_EVERYTHING.replace("ILD@10", "IDL@10").replace("max_loss 2%", "max_loss x"))
    done = validate(tmp_path / "config.yaml")
    assert done.returncode == 2
    assert "did you mean" in done.stderr
    assert "Traceback" not in done.stderr
