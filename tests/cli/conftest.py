"""Fixtures: folders of files, and `receval init` in them."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from receval import load_config

from tests.cli.gate_place import CONFIG, SIDE, TEST, lists
from tests.cli.inits import Done
from tests.conftest import built_once


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Mapping[str, Any]], Path]:
    """Return a function that fills the working folder: texts are written unchanged, frames as Parquet."""

    def folder(files: Mapping[str, Any]) -> Path:
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, pl.DataFrame):
                content.write_parquet(path)
            else:
                path.write_bytes(content if isinstance(content, bytes) else content.encode())
        monkeypatch.chdir(tmp_path)
        return tmp_path

    return folder


@pytest.fixture
def init(receval: Any, folder: Any) -> Callable[..., Done]:
    """Return a function that writes a config for the files of a folder, and runs it."""

    def init(files: Mapping[str, Any], *given: str) -> Done:
        folder(files)
        code, out, err = receval("init", *given, "-o", "config.yaml")
        assert (code, out) == (0, ""), err
        assert err.endswith("receval: wrote config.yaml; next: receval run config.yaml\n")
        lines = [line for line in err.splitlines() if ": " in line and not line.startswith(("not sure", "receval"))]
        doubts = "\n".join(line for line in err.splitlines() if line.startswith("not sure"))
        code, out, err = receval("run", "config.yaml", "--format", "csv", "--set", "health=off")
        assert code == 0, err
        rows = csv.DictReader(io.StringIO(out))
        values = {(row["model"], f"{row['metric']}@{row['k']}"): float(row["value"]) for row in rows if row["value"]}
        resolved = load_config("config.yaml").resolved()
        written = Path("config.yaml").read_text()
        return Done(written, dict(line.split(": ", 1) for line in lines), doubts, resolved["data"], resolved["evaluation"], values)

    return init


@pytest.fixture
def gate_folder(receval, tmp_path, monkeypatch):
    """Return a folder with a config, its data and the baseline results/main."""

    def build():
        for name, text in (
            ("test", TEST),
            ("users", SIDE),
            ("home", lists(lambda user: user % 2)),
            ("main", lists(lambda user: user % 2).replace("1,c,1", "1,d,1", 1)),  # one other item, and the same values
            ("worse", lists(lambda user: user % 3 == 1)),
        ):
            Path(f"{name}.csv").write_text(text)
        Path("config.yaml").write_text(yaml.safe_dump(CONFIG))
        main = ("--set", "gates.rules=[]", "--recs", "home=main.csv", "--replace")
        code, _, err = receval("run", "config.yaml", "-q", "-o", "results/main/", *main)
        assert code == 0, err

    monkeypatch.chdir(built_once(tmp_path, build))
    return tmp_path
