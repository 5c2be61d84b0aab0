"""Values of the real libraries on our own odd data: each convention gives the values of its library."""

from __future__ import annotations

import importlib
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


@pytest.mark.release
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
    assert len(libraries) == 25
    for library, n_rows in libraries.items():
        lines = [line.split("|") for line in done.stdout.splitlines() if line.startswith(f"| {library} |") and line.count("|") == 8]
        assert sum(int(cells[4]) for cells in lines) >= min(51, 0.8 * n_rows), library


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


def peers_case(**changes: object) -> str:
    test, lists = {"user": ["a", "b"], "item": ["x", "y"]}, {"user": ["a", "b"], "item": ["x", "z"], "rank": [1, 1]}
    case = {"library": "L", "test": "t", "convention": "receval", "measure": "Recall@1", "input": {"test": test, "recommendations": lists}}
    return json.dumps(case | {"options": {}, "expected": 0.5, "tol": 1e-9, "status": "equal", "note": ""} | changes) + "\n"


def peers_tests(capsys, monkeypatch, *arguments: str) -> tuple[int, list[str]]:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.setattr(sys, "argv", ["peers_tests.py", *arguments])
    code = importlib.import_module("peers_tests").main()
    return code, capsys.readouterr().out.splitlines()


def test_cases_of_other_suites_are_counted_by_library(tmp_path, capsys, monkeypatch):
    cases = tmp_path / "cases.jsonl"
    of_users = peers_case(library="M", measure="Precision@1", expected={"users": ["a", "b"], "values": [1, 0]})
    text = "library: T\naxes: {}\nmetrics: {Recall: {}}\nspellings: {'r(\\d+)': 'Recall@\\1'}\n"
    without_data = peers_case(input={}, expected=None) + peers_case(expected=None)
    cases.write_text(peers_case() + of_users + peers_case(convention=text, measure="r1") + without_data)
    code, lines = peers_tests(capsys, monkeypatch, str(cases))
    assert code == 0
    assert [line.split() for line in lines[1:3]] == [["L", "2", "0", "0", "0", "0"], ["M", "1", "0", "0", "0", "0"]]
    assert lines[-1] == "equal: 3 of 3 (100.0%)"


def test_a_case_that_is_different_or_refused_is_named_and_gives_exit_code_1(tmp_path, capsys, monkeypatch):
    cases = tmp_path / "cases.jsonl"
    different = peers_case(test="wrong", expected={"users": ["a"], "values": [0]}, note="a note")
    refused = peers_case(test="unknown", measure="Recal@1")
    other = peers_case(library="M", status="inexpressible: a reason", expected=7)
    cases.write_text(peers_case() + different + refused + other)
    code, lines = peers_tests(capsys, monkeypatch, str(cases), "--failures", "L")
    assert code == 1
    assert lines[:3] == ["different: L, wrong: Recall@1  (a note)", "  expected a: 0", "  got      a: 1.0, b: 0.0"]
    assert lines[3] == "refused: L, unknown: Recal@1"
    assert [line.split() for line in lines[7:9]] == [["L", "1", "1", "1", "0", "0"], ["M", "0", "0", "0", "0", "1"]]


def test_a_case_with_a_reason_beside_receval_is_shown_with_it_and_is_no_failure(tmp_path, capsys, monkeypatch):
    cases = tmp_path / "cases.jsonl"
    cases.write_text(peers_case(library="RecBole", test="test_tailpercentage @1", expected={"users": ["a"], "values": [0]}))
    code, lines = peers_tests(capsys, monkeypatch, str(cases), "--failures")
    assert code == 0
    assert lines[1].startswith("  because its counts of train rows have an item with 0 rows")
    assert lines[-4].split() == ["RecBole", "0", "0", "0", "1", "0"]
