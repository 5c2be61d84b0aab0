"""A value of the environment, at any key of a config, is never printed or written, whether a command succeeds or fails."""

from __future__ import annotations

import copy
import shutil

import pytest
import receval as library
import yaml

from tests.sizes import FULL, draws, half

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


@pytest.mark.parametrize("key", half([f"{above}.{name}".strip(".") for above, names in KEYS.items() for name in names]))
def test_a_value_of_the_environment_is_never_printed_or_written(key, folder, receval):
    first = len(key)
    for number, form in [*enumerate(FORMS)] if FULL else [*enumerate(FORMS)][first % 2 :: 2]:  # every form at some keys
        (folder / "c.yaml").write_text(config_with(key, form))
        for command in (COMMANDS * 2)[(first + 2 * number) % len(COMMANDS) :][: draws(1, 2)]:  # every command at some keys
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


NAMES_OF_DATA = {
    "data.test.where": "event == '${TOKEN}'",
    "data.train.where": "event != '${TOKEN}'",
    "data.test.columns.timestamp": "${TOKEN}",
    "data.items.categories": "${TOKEN}",
    "evaluation.by": ["rows.${TOKEN}", "users.${TOKEN}", "items.${TOKEN}"],
    "evaluation.metrics": ["Recall(rows.event=${TOKEN})@2"],
    "compare.by": ["users.${TOKEN}"],
    "gates.rules": ["Recall@2 >= 0.5 by users.${TOKEN}"],
    "gates.baseline": "${TOKEN}/base",
    "output.dir": "${TOKEN}/o",
    "track": [{"dvc": {"dir": "${TOKEN}/dvc"}}],
}
"""Key → a value that names something of the data below, or of the results, so that the commands succeed."""
SUCCEEDING = [
    "run c.yaml -v -o out/ -o r.html -o r.md -o r.tex -o r.xml --per-user --ci github",
    "run c.yaml --format json",
    "describe c.yaml",
    "audit c.yaml --format json",
    "explain Recall@2 c.yaml --user 1",
    "report c.yaml -o r.md",
    "slices c.yaml",
    "gate c.yaml -o g.json",
]


@pytest.fixture
def data_with_a_secret(folder):
    (folder / "t.csv").write_text(f"user,item,event,{SECRET}\n1,10,{SECRET},1\n2,11,view,1\n3,12,{SECRET},2\n")
    (folder / "tr.csv").write_text("user,item,event\n1,13,view\n2,14,view\n")
    (folder / "u.csv").write_text(f"user,{SECRET}\n1,a\n2,b\n3,a\n")
    (folder / "i.csv").write_text(f"item,{SECRET},genre\n10,a,3\n11,b,4\n12,b,2\n13,a,1\n14,a,2\n")
    sides = {"train": {"path": "tr.csv"}, "users": {"path": "u.csv"}, "items": {"path": "i.csv"}}
    inputs = {path: path.read_bytes() for path in folder.rglob("*.csv")}
    config = copy.deepcopy(CONFIG)
    config["data"] |= sides
    return config, inputs


@pytest.mark.parametrize("key", NAMES_OF_DATA)
def test_a_value_that_names_something_of_the_data_is_masked_in_all_results(key, data_with_a_secret, folder, receval, monkeypatch):
    config, inputs = data_with_a_secret
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    here, (*above, last) = config, key.split(".")
    for name in above:
        here = here.setdefault(name, {})
    here[last] = NAMES_OF_DATA[key]
    (folder / "c.yaml").write_text(yaml.safe_dump(config))
    codes = set()
    for command in SUCCEEDING if FULL else SUCCEEDING[len(key) % 2 :: 2]:
        code, out, err = receval(*command.split())
        codes.add(code)
        assert code in (0, 1, 2), err
        assert SECRET not in out + err, command
        for path in folder.rglob("*"):
            assert not path.is_file() or path in inputs or SECRET.encode() not in path.read_bytes(), (command, path)
    assert 0 in codes


def test_python_masks_the_values_of_the_own_config_only(data_with_a_secret, folder):
    config, _ = data_with_a_secret
    config["evaluation"]["by"] = ["users.${TOKEN}"]
    (folder / "c.yaml").write_text(yaml.safe_dump(config))
    (folder / "d.yaml").write_text(yaml.safe_dump(config).replace("${TOKEN}", SECRET))
    secret, plain = (library.evaluate(library.load_config(folder / name)) for name in ("c.yaml", "d.yaml"))
    secret.save(folder / "c")
    plain.save(folder / "d")
    shown = [(folder / name / "results.json").read_text() for name in ("c", "d")]
    assert [SECRET in text for text in shown] == [SECRET in repr(result) for result in (secret, plain)] == [False, True]
    assert "users.${TOKEN}" in shown[0]


def test_the_name_of_a_model_and_the_title_of_a_report_are_shown(folder, receval):
    for key in ("data.recommendations.m.name", "report.title"):
        config = yaml.safe_load(config_with(key, "${TOKEN}"))
        if key.endswith("name"):
            config["data"]["recommendations"] = [{"path": "l.csv", "name": "${TOKEN}"}]
        (folder / "c.yaml").write_text(yaml.safe_dump(config))
        code, _, err = receval("report", "c.yaml", "-o", "r.html")
        assert code == 0, err
        assert SECRET in (folder / "r.html").read_text()


def test_a_measure_from_the_environment_is_named_and_groups_are_compared_with_stored_results(
    data_with_a_secret, folder, receval, monkeypatch
):
    monkeypatch.setenv("METRIC", "nDCG@2")
    config, _ = data_with_a_secret
    config["evaluation"] |= {"metrics": ["${METRIC}", "Recall(rows.event=${TOKEN})@2"], "by": ["users.${TOKEN}"]}
    (folder / "c.yaml").write_text(yaml.safe_dump(config))
    assert receval("run", "c.yaml", "-q", "-o", "base/")[0] == 0
    rules = ["${METRIC} max_loss 2%", "Recall(rows.event=${TOKEN})@2 max_loss 2%", "${METRIC} max_loss 2% by users.${TOKEN}"]
    (folder / "c.yaml").write_text(yaml.safe_dump({**config, "gates": {"baseline": "base/", "rules": rules}}))
    code, out, err = receval("gate", "c.yaml")
    assert code in (0, 1), err
    assert "nDCG@2" in out
    assert "Recall(rows.event=${TOKEN})@2" in out
    assert SECRET not in out + err
    assert receval("compare", "base/", "c.yaml")[0] == 0
