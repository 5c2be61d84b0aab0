"""Paths that Polars rejects after it has read NDJSON or Arrow, because it then reads them as addresses of a store."""

from __future__ import annotations

import io

import polars as pl
import pytest

from tests.load.conftest import EXPECTED, LISTS

TRUTH = '{"user": 1, "item": 10}\n{"user": 1, "item": 11}\n{"user": 2, "item": 12}\n'
PATHS = ["below/../lists.csv", "two\nlines.csv", "t\tab.csv", "below/../lists.parquet", "two\nlines.parquet", "[1]?.parquet"]


@pytest.mark.parametrize("path", PATHS)
def test_a_file_beside_json_can_have_any_path(path, write, evaluate_lists, tmp_path):
    (tmp_path / "below").mkdir()
    write("test.ndjson", TRUTH)
    frame = pl.DataFrame(LISTS, ["user", "item", "score"], orient="row")
    content = io.BytesIO()
    (frame.write_parquet if path.endswith("parquet") else frame.write_csv)(content)
    write(path, content.getvalue())
    named = path if "?" not in path else "[[]1]*.parquet"
    assert evaluate_lists(named, test="test.ndjson") == EXPECTED


def test_init_reads_a_parquet_file_with_a_pattern_in_its_name_beside_json(receval, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test.jsonl").write_text(TRUTH)
    pl.DataFrame(LISTS, ["user", "item", "score"], orient="row").write_parquet("als[1].parquet")
    code, _, err = receval("init", "test.jsonl", "als[1].parquet", "-o", "config.yaml")
    assert (code, "not a readable" in err) == (0, False), err
    out = receval("run", "config.yaml", "--set", "evaluation.metrics=[Recall@1]", "--format", "csv")[1]
    assert ",als[1],Recall@1,Recall,1,mean,,,,," in out
