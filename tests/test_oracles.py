"""Values of the real libraries on our own odd data: each convention gives the values of its library."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import ROOT

ORACLES = ROOT / "tests" / "oracles"
PARITY = ROOT / "benchmarks" / "parity.py"


def parity(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(PARITY), str(folder)], capture_output=True, text=True)


@pytest.mark.slow
def test_every_value_of_every_library_is_equal_or_has_a_reason(tmp_path):
    """Use the two most different list files; `python benchmarks/parity.py tests/oracles` compares all eight."""
    rows = []
    for file in sorted((ORACLES / "reference").glob("*.jsonl")):
        rows += [row for row in map(json.loads, file.read_text().splitlines()) if row["model"] in ("everything", "missing", "ratings_pred")]
    for file in ORACLES.glob("*.csv"):
        shutil.copy(file, tmp_path)
    (tmp_path / "reference.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = parity(tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    *_, last = done.stdout.splitlines()
    found = dict(part.rsplit(" ", 1) for part in last.split(", "))
    assert int(found["rows"]) == len(rows) > 3_000
    assert found["different"] == "0"
    assert int(found["equal"]) > 2_800
    libraries = Counter(row["library"] for row in rows)
    assert len(libraries) == 11
    for library in libraries:
        lines = [line.split("|") for line in done.stdout.splitlines() if line.startswith(f"| {library} |") and line.count("|") == 8]
        assert sum(int(cells[4]) for cells in lines) > 50, library


def test_a_different_value_is_found_and_gives_exit_code_1(tmp_path):
    for name in ("test.csv", "train.csv", "items.csv", "clean.csv"):
        shutil.copy(ORACLES / name, tmp_path / name)
    lines = (ORACLES / "reference" / "rs_metrics.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row["model"] == "clean" and row["metric"] == "mapr"]
    (tmp_path / "reference.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert parity(tmp_path).returncode == 0
    rows[0]["value"] += 1e-8
    (tmp_path / "reference.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = parity(tmp_path)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == f"rows {len(rows)}, equal {len(rows) - 1}, different 1, unsupported 0"


def test_the_script_reproduces_the_data(tmp_path):
    shutil.copy(ORACLES / "make_data.py", tmp_path / "make_data.py")
    subprocess.run([sys.executable, str(tmp_path / "make_data.py")], check=True)
    for made in tmp_path.glob("*.csv"):
        assert made.read_bytes() == (ORACLES / made.name).read_bytes(), made.name
    assert {path.name for path in tmp_path.glob("*.csv")} == {path.name for path in ORACLES.glob("*.csv")}
