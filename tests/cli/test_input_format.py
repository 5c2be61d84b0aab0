"""`--input-format` sets the format of standard input; without it, the format is detected."""

from __future__ import annotations

import io

import polars as pl
import pytest

from tests.load.conftest import LISTS, TEST

FRAME = pl.DataFrame(LISTS, schema=["user", "item", "score"], orient="row")
FORMS = {
    "csv": FRAME.write_csv().encode(),
    "tsv": FRAME.write_csv(separator="\t").encode(),
    "ndjson": FRAME.write_ndjson().encode(),
    "trec": "".join(f"{user} 0 {item} {5 - score} {score} t\n" for user, item, score in LISTS).encode(),
}
for form, method in (("parquet", "write_parquet"), ("ipc", "write_ipc")):
    getattr(FRAME, method)(file := io.BytesIO())
    FORMS[form] = file.getvalue()


class Piped:
    """Standard input with given bytes."""

    def __init__(self, content: bytes) -> None:
        self.buffer = io.BytesIO(content)

    def isatty(self) -> bool:
        return False


@pytest.fixture
def config(write):
    write("test.csv", TEST)
    write("lists.csv", FORMS["csv"])
    data = "{test: test.csv, recommendations: {m: lists.csv}}"
    return write("config.yaml", f"data: {data}\nevaluation: {{convention: receval, metrics: [MRR]}}\n")


@pytest.mark.each_once
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("message", [True, False])
def test_standard_input_is_read_in_every_format(form, message, config, receval, monkeypatch):
    content = FORMS[form] if message else FORMS[form].replace(b" 0 ", b" Q0 ")
    monkeypatch.setattr("sys.stdin", Piped(content))
    options = ["--input-format", form] if message else []
    code, out, err = receval("run", config, "--recs", "piped=-", "--format", "csv", "--set", "health=off", *options)
    assert (code, err) == (0, "")
    assert ",piped,MRR@10,MRR,10,mean,,,,,0.75," in out


@pytest.mark.parametrize(
    "data",
    [
        "{test: test.csv, recommendations: '-'}",
        "{test: '-', recommendations: {m: lists.csv}}",
        "{test: test.csv, recommendations: {m: {path: '-'}}}",
        "{test: test.csv, recommendations: [lists.csv, {path: '-', name: p}]}",
    ],
)
def test_input_format_applies_to_every_source_that_reads_standard_input(data, config, receval, write):
    path = write("piped.yaml", f"data: {data}\nevaluation: {{convention: receval, metrics: [MRR]}}\n")
    code, out, err = receval("run", path, "--input-format", "ndjson", "--print-config")
    assert code == 0, err
    assert out.count("format: ndjson") == 1


def test_audit_and_explain_have_input_format_too(config, receval, monkeypatch):
    for command in (
        ["audit", config, "--set", "evaluation.metrics=[MRR@10]"],
        ["explain", "MRR@10", config, "--user", "1", "--model", "p"],
    ):
        monkeypatch.setattr("sys.stdin", Piped(FORMS["trec"]))
        code, _, err = receval(*command, "--recs", "p=-", "--input-format", "trec")
        assert code == 0, err


def test_input_format_is_refused_if_standard_input_is_not_read(config, receval):
    code, _, err = receval("validate", config, "--input-format", "csv")
    assert code == 2
    assert "--input-format csv: no input is read from standard input" in err
    assert receval("validate", config, "--recs", "p=-", "--input-format", "csv")[0] == 0


def test_standard_input_of_another_format_is_refused(config, receval, monkeypatch):
    monkeypatch.setattr("sys.stdin", Piped(FORMS["csv"]))
    code, _, err = receval("run", config, "--recs", "p=-", "--input-format", "parquet")
    assert code == 3
    assert "standard input: not a readable parquet file" in err
