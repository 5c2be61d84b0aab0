"""A value of the environment, at any key of a config, is never printed or written, whether a command succeeds or fails."""

from __future__ import annotations

import copy
import shutil

import pytest
import yaml

SECRET = "hunter2-Zq9"
CONFIG = {
    "data": {"test": {"path": "t.csv"}, "recommendations": {"m": {"path": "l.csv"}}},
    "evaluation": {"metrics": ["Recall@2"]},
    "health": "off",
}
KEYS = {
    "data.test": (
        "path",
        "format",
        "separator",
        "encoding",
        "columns.user",
        "header",
        "nulls",
        "split",
        "uri",
        "query",
        "table",
        "nonsense",
    ),
    "data.test.storage_options": ("", "region", "key", "Bearer x"),
    "data.recommendations": ("m", "m.path", "m.columns.score", "m.name", "m.runs"),
    "data": ("train", "items", "users", "items.category_columns", "predictions", "folds", "distances", "previous_policy", "baseline.path"),
    "evaluation": ("convention", "metrics", "top_k", "by", "aggregates", "relevance.threshold", "policy.missing_values", "yardsticks"),
    "engine": ("name", "memory", "threads"),
    "output": ("dir", "per_user_formats"),
    "compare": ("baseline", "measures", "margin"),
    "gates": ("rules", "baseline", "models"),
    "report": ("files", "charts", "latex"),
    "track": ("", "mlflow", "mlflow.experiment", "wandb.project"),
    "nonsense": ("",),
}
FORMS = ("${TOKEN}", "${TOKEN}/l.csv", "http://127.0.0.1:9/${TOKEN}", "s3://me:${TOKEN}@host/l.csv")
COMMANDS = [
    "validate c.yaml",
    "run c.yaml --print-config",
    "run c.yaml -v -o out/",
    "run c.yaml --format json",
    "check c.yaml",
    "describe c.yaml",
    "audit c.yaml --format json",
    "explain Recall@2 c.yaml --user 1",
    "gate c.yaml",
    "report c.yaml -o out/r.md",
    "compare c.yaml",
]


def config_with(key, value):
    config = copy.deepcopy(CONFIG)
    here, (*above, last) = config, key.split(".")
    for name in above:
        here[name] = here = here[name] if isinstance(here.get(name), dict) else {}
    here[last] = value
    return yaml.safe_dump(config)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("user,item\n1,10\n2,11\n")
    (tmp_path / "l.csv").write_text("user,item,score\n1,10,1\n2,11,1\n")
    (tmp_path / SECRET).mkdir()
    shutil.copy(tmp_path / "l.csv", tmp_path / SECRET)
    monkeypatch.setenv("TOKEN", SECRET)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("key", [f"{above}.{name}".strip(".") for above, names in KEYS.items() for name in names])
def test_a_value_of_the_environment_is_never_printed_or_written(key, folder, receval):
    first = len(key)
    for number, form in enumerate(FORMS):
        (folder / "c.yaml").write_text(config_with(key, form))
        for command in (COMMANDS * 2)[(first + 2 * number) % len(COMMANDS) :][:2]:  # every command at some keys only, to save a minute
            code, out, err = receval(*command.split())
            assert code in (0, 1, 2, 3, 4), err
            assert SECRET not in out + err
            for path in folder.rglob("*"):
                assert not path.is_file() or SECRET.encode() not in path.read_bytes(), path


def test_the_config_in_results_names_the_variable_and_reads_back(folder, receval):
    (folder / "c.yaml").write_text(config_with("data.recommendations.m.path", "${TOKEN}/l.csv"))
    code, out, _ = receval("run", "c.yaml", "--print-config")
    assert (code, "${TOKEN}/l.csv" in out) == (0, True)
    (folder / "again.yaml").write_text(out)
    assert receval("run", "again.yaml", "--format", "csv") == receval("run", "c.yaml", "--format", "csv")
