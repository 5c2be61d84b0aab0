"""No command makes a local folder out of an address: where nothing can be written is refused, with every option and from Python."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import receval as library
from receval.support.errors import OutputError

CONFIG = """data: {test: test.csv, recommendations: {a: a.csv, b: b.csv}}
evaluation: {metrics: [MRR@2]}
health: off
"""
NOWHERE = "is an address that results cannot be written to; stores are s3://, gs:// and az://"
LOCAL = "is an address, but this is written only into local files and folders"
COMMANDS = {
    "run c.yaml -o https://host/x.csv": NOWHERE,
    "run c.yaml -o runs:/id/x/": NOWHERE,
    "run c.yaml -o mlflow:id/x/": NOWHERE,
    "run c.yaml -o hdfs://host/x/": NOWHERE,
    "run c.yaml -o oss://host/x/": NOWHERE,
    "run c.yaml --set output.dir=hdfs://host/x": NOWHERE,
    "run c.yaml --set report.files=[https://host/x.html]": NOWHERE,
    "run c.yaml --store-failures hdfs://host/x": NOWHERE,
    "check c.yaml --store-failures hdfs://host/x": NOWHERE,
    "gate c.yaml --rule MRR@2>=0 -o hdfs://host/x.json": NOWHERE,
    "compare c.yaml -o hdfs://host/x/": NOWHERE,
    "report c.yaml -o hdfs://host/x.html": NOWHERE,
    "plot over_k c.yaml -o hdfs://host/x.json": NOWHERE,
    "diff c.yaml a b -o hdfs://host/x.html": NOWHERE,
    "slices c.yaml -o hdfs://host/x.json": NOWHERE,
    "user 1 c.yaml -o hdfs://host/x.md": NOWHERE,
    "baseline set results --to hdfs://host/main": NOWHERE,
    "init test.csv a.csv -o s3://bucket/c.yaml": LOCAL,
    "init --demo s3://bucket/demo": LOCAL,
}


@pytest.fixture
def place(write, tmp_path: Path, monkeypatch) -> Iterator[Path]:
    write("test.csv", "user,item\n1,5\n2,6\n")
    write("a.csv", "user,item,score\n1,5,2\n1,6,1\n2,5,2\n")
    write("b.csv", "user,item,score\n1,7,2\n1,5,1\n2,6,2\n")
    write("c.yaml", CONFIG)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    assert not [folder for folder, _, _ in os.walk(tmp_path) if ":" in folder]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_address_where_nothing_can_be_written_is_refused_before_any_work(command, place, receval):
    if "results" in command:
        assert receval("run", "c.yaml", "-o", "results/")[0] == 0
    code, out, err = receval(*command.split())
    assert (code, out) == (2, "")
    address = next(word for word in re.split(r"[ =\[\]]", command) if ":" in word).rstrip("/")
    assert f"{address}{'/data' if '--demo' in command else ''} {COMMANDS[command]}\n" in err
    assert "choose a local folder, and copy it when it is complete" in err


def test_a_folder_that_an_earlier_version_made_of_an_address_is_no_output(place, receval):
    (place / "hdfs:").mkdir()
    assert receval("run", "c.yaml", "-o", "s3://bucket/x/")[0] == 2
    (place / "s3:").mkdir()
    assert receval("run", "c.yaml", "-o", "s3://bucket/x/")[0] == 2
    assert not os.listdir(place / "s3:")
    (place / "s3:").rmdir()
    (place / "hdfs:").rmdir()


def test_a_local_folder_with_a_colon_is_an_output(place, receval):
    (place / "at:12").mkdir()
    (place / "today:").mkdir()
    assert receval("run", "c.yaml", "-o", "at:12/", "-o", "today:/x/")[0] == 0
    shutil.rmtree(place / "at:12")
    shutil.rmtree(place / "today:")


def test_python_refuses_an_address_as_output(place):
    result = library.evaluate("c.yaml")
    with pytest.raises(OutputError, match=f"hdfs://host/x {NOWHERE}"):
        result.save("hdfs://host/x")
    with pytest.raises(OutputError, match=f"hdfs://host/x.json {NOWHERE}"):
        result.chart("differences").save("hdfs://host/x.json")


def test_a_secret_in_an_address_is_not_printed(place, receval):
    code, _, err = receval("run", "c.yaml", "-o", "https://me:hidden@host/x.csv")
    assert code == 2
    assert "hidden" not in err
