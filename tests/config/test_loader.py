"""A config becomes models, or gives all its problems at once, each with its place."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
import yaml
from receval import load_config
from receval.config import json_schema
from receval.support.errors import ConfigError

from tests.conftest import CONFIGS

MINIMAL = "data: {test: t.csv, recommendations: {m: r.csv}}\nevaluation: {metrics: [nDCG]}\n"


def measures(path: Path, *overrides: str) -> list[str]:
    evaluation = load_config(path, overrides).resolved()["evaluation"]
    return list(evaluation["metrics"])


def problems(path: Path, *overrides: str) -> list[str]:
    with pytest.raises(ConfigError) as error:
        load_config(path, overrides)
    return list(error.value.problems)


def test_every_problem_is_named_at_once_with_its_line_column_path_and_a_hint(write):
    path = write(
        "config.yaml",
        "data:\n"
        "  test: {path: t.csv, colums: {user: u}}\n"
        "  recommendations: {m: r.csv}\n"
        "evaluation:\n"
        "  top_k: [5, 0]\n"
        "  metrics:\n"
        "    - nDGC\n"
        "    - {name: nDCG, gain: 3}\n"
        "    - MAP: {cutoff: {type: float}}\n"
        "  agregates: [mean]\n"
        "engine: {name: pandas}\n",
    )
    found = [problem.replace(str(path), "config.yaml") for problem in problems(path)]
    assert [problem.rpartition(": ")[0].split(" ")[0] for problem in found] == [
        "config.yaml:2:23:", "config.yaml:5:10:", "config.yaml:7:7:", "config.yaml:8:7:", "config.yaml:9:7:", "config.yaml:10:3:",
        "config.yaml:11:16:",
    ]  # fmt: skip
    assert found[0].endswith("data.test.colums: unknown key 'colums' — did you mean 'columns'?")
    assert found[2].endswith("evaluation.metrics[0]: unknown metric 'nDGC' — did you mean 'nDCG'?")
    assert found[6].endswith("engine.name: this should be 'polars' or 'spark', not 'pandas'")


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("report.title=3", "this should be text, not 3"),
        ("evaluation.relevance.graded=maybe", "this should be true or false, not 'maybe'"),
        ("evaluation.yardsticks.random=x", "this should be a whole number, not 'x'"),
        ("engine.archives=3", "this should be a list, not 3"),
        ("data.test=3", "this should be a mapping, not 3"),
        ("output=[1]", "this should be a mapping"),
        ("gates=[nDCG@5 >= 0.1]", "this should be a mapping: write the rules under gates.rules"),
    ],
)
def test_the_expected_type_of_a_value_is_named_in_words_of_yaml(override, message, write):
    assert problems(write("config.yaml", MINIMAL), override)[0].endswith(f"{override.partition('=')[0]}: {message}")


def test_a_missing_space_after_a_colon_is_named(write):
    (problem,) = problems(write("config.yaml", MINIMAL), "health={R10:off}")
    assert problem.endswith("unknown key 'R10:off': YAML needs a space after the colon, as in R10: off")


@pytest.mark.parametrize(
    ("metrics", "expected"),
    [
        ("[nDCG]", ["nDCG@5", "nDCG@10"]),
        ("nDCG", ["nDCG@5", "nDCG@10"]),
        ("[nDCG@3, ndcg@3]", ["nDCG@3"]),
        ("[nDCG(gain=linear)@10]", ["nDCG(gain=linear)@10"]),
        ("[{name: F1, beta: 0.5}]", ["F1(beta=0.5)@5", "F1(beta=0.5)@10"]),
        ("[{name: F1, params: {beta: 0.5}, k: 3}]", ["F1(beta=0.5)@3"]),
        ("[{nDCG: {gain: linear, k: [1, none]}}]", ["nDCG(gain=linear)@1", "nDCG(gain=linear)@none"]),
        ("[MAP: {cutoff: {type: int, values: [1, 5]}}]", ["MAP@1", "MAP@5"]),
        ("[MAP: {cutoff: {type: int, values: 7}}]", ["MAP@7"]),
        ("[MAP: {cutoff: {range: {start: 10, end: 50, step: 20}}}]", ["MAP@10", "MAP@30", "MAP@50"]),
        ("[MAP: {cutoff: {values: [1], range: [{start: 10, end: 25, step: 10}]}}]", ["MAP@1", "MAP@10", "MAP@20", "MAP@25"]),
        ("{MAP: {cutoff: {values: [1, 5]}}, RPrecision: }", ["MAP@1", "MAP@5", "RPrecision"]),
        ("[{name: F1, params: {metric_name_1: nDCG, metric_name_2: MAP, beta: 0.5}, k: 5}]", ["F1(nDCG,MAP,beta=0.5)@5"]),
        ("[{name: F1, params: {metric_1: ndcg, metric_2: AP}, k: 5}]", ["F1(nDCG,MAP)@5"]),
        ("[{name: F1, metric_1: nDCG, k: 5}]", ["F1(nDCG,Recall)@5"]),
        ("['F1(nDCG,MAP)@5']", ["F1(nDCG,MAP)@5"]),
        ("[{RBP: {p: [0.5, 0.95], k: [5, 10]}}]", ["RBP(p=0.5)@5", "RBP(p=0.5)@10", "RBP(p=0.95)@5", "RBP(p=0.95)@10"]),
        ("[{name: IPrec, params: {recall: [0.1, 1]}}]", ["InterpolatedPrecision", "InterpolatedPrecision(recall=1)"]),
        ("[{EucDistance: {metric_names: [nDCG, MAP], points: [1, 0.5], k: 5}}]", ["EucDistance(nDCG,MAP,points=1;0.5)@5"]),
    ],
)
def test_all_spellings_become_one_list_of_specs(metrics, expected, write):
    text = f"data: {{test: t, recommendations: {{m: r}}}}\nevaluation: {{top_k: [5, 10], metrics: {metrics}}}\n"
    assert measures(write("config.yaml", text)) == expected


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        ("[{beta: 1, k: 2}]", "needs the key 'name'"),
        ("[3]", "must be a name, a measure string or a mapping,"),
        ("[{MAP: 3}]", "needs a mapping of parameters"),
        ("[{name: nDCG@5, k: 3}]", "cut-off twice"),
        ("[{name: nDCG, gain: {a: 1}}]", "single value"),
        ("[{MAP: {cutoff: {}}}]", "has no cut-offs:"),
        ("[{InterpolatedPrecision: {recall: [0.5, 2]}}]", "recall of InterpolatedPrecision is a number from 0 to 1, not 2"),
        ("[{InterpolatedPrecision: {recall: []}}]", "recall of InterpolatedPrecision is a number from 0 to 1, not ''"),
        (
            f"[{{RBP: {{p: {[number / 2000 for number in range(1, 1002)]}}}}}]",
            "the lists of 'RBP' have more than 1,000 combinations: 1,001",
        ),
        ("[{MAP: {cutoff: {range: {start: 5, end: 1, step: 1}}}}]", "is empty"),
        ("[{MAP: {cutoff: {range: {start: 1, end: 5}}}}]", "exactly the keys"),
        ("[{MAP: {cutoff: {range: {start: 1, end: 100000, step: 1}}}}]", "more than 1,000"),
        ("[{name: F1, metric_2: MAP}]", "needs metric_name_1"),
        ("[{name: F1, metric_1: MAP, metric_name_1: MAP}]", "mean the same"),
        ("[]", "there are no metrics"),
        ("[AUC]", "AUC needs the catalogue: give data.train or data.items"),
        ("['F1(GAUC,MAP)']", "needs the catalogue"),
    ],
)
def test_a_wrong_metric_is_refused(metrics, message, write):
    text = f"data: {{test: t, recommendations: {{m: r}}}}\nevaluation: {{metrics: {metrics}}}\n"
    assert message in "\n".join(problems(write("config.yaml", text)))


def test_contradictions_and_wrong_overrides_are_named_beside_wrong_fields(write):
    text = "data: {test: t, recommendations: {m: r}}\nevaluation:\n  metrics: [AUC, nDGC, nDCG]\n  topk: 3\n"
    found = "\n".join(problems(write("config.yaml", text), "nonsense", "evaluation.top_k=0"))
    for message in (
        "AUC needs the catalogue",
        "did you mean 'nDCG'",
        "did you mean 'top_k'",
        "write it as path=value",
        "at least 1, not 0",
    ):
        assert message in found


def test_set_overrides_a_value_and_names_itself_when_it_is_wrong(write):
    path = write("config.yaml", MINIMAL)
    assert measures(path, "evaluation.top_k=[5, 20]", "evaluation.metrics[0]=MAP") == ["MAP@5", "MAP@20"]
    assert measures(path, "evaluation.relevance.threshold=4") == ["nDCG@10"]
    assert problems(path, "evaluation.topk=3") == ["--set evaluation.topk=3: evaluation.topk: unknown key 'topk' — did you mean 'top_k'?"]
    assert "--set evaluation.top_k=-1: evaluation.top_k: a cut-off must be at least 1" in problems(path, "evaluation.top_k=-1")[0]
    assert "write it as path=value" in problems(path, "nonsense")[0]
    assert "has no element 9" in problems(path, "evaluation.metrics[9]=MAP")[0]


@pytest.mark.parametrize(
    ("section", "assignment", "keys", "value"),
    [
        ("gates: {baseline: results/main}", "gates.baseline.if_missing=pass", ("gates", "baseline"), ("results/main", None, "pass")),
        ("gates: {anchor: {v1: results/v1}}", "gates.anchor.model=als", ("gates", "anchor"), ("v1=results/v1", "als", "error")),
        ("engine: spark", "engine.master=local[2]", ("engine", "master"), "local[2]"),
        ("output: results/", "output.per_user=false", ("output", "dir"), "results/"),
        ("output: results/", "data.test.columns.user=who", ("data", "test", "path"), ("t",)),
        ("output: results/", "data.recommendations.m.split=;", ("data", "recommendations"), None),
    ],
)
def test_set_adds_a_key_to_a_section_in_its_short_form(section, assignment, keys, value, write):
    text = f"data: {{test: t, recommendations: {{m: r}}}}\nevaluation: {{metrics: [nDCG]}}\n{section}\n"
    here = load_config(write("config.yaml", text), [assignment]).config
    for key in keys:
        here = getattr(here, key)
    if keys[0] == "gates":
        here = (here.path, here.model, here.if_missing)
    assert here == value if value is not None else (here["m"].path, here["m"].split) == (("r",), ";")


def test_set_cannot_add_a_model_to_a_glob(write):
    text = "data: {test: t, recommendations: lists/*.csv}\nevaluation: {metrics: [nDCG]}\n"
    assert problems(write("config.yaml", text), "data.recommendations.m=r") == [
        "--set data.recommendations.m=r: data.recommendations is not a mapping"
    ]


def test_recs_adds_a_model_with_a_path_relative_to_the_working_folder(write, monkeypatch, tmp_path):
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "config.yaml").write_text(MINIMAL)
    monkeypatch.chdir(tmp_path)
    resolved = load_config("deep/config.yaml", recommendations=["als=runs/als.csv", "piped=-"]).resolved()
    assert resolved["data"]["recommendations"] == {"m": {"path": "r.csv"}, "als": {"path": "../runs/als.csv"}, "piped": {"path": "-"}}


@pytest.mark.parametrize("name", sorted(path.name for path in CONFIGS.glob("*.yaml")))
def test_the_resolved_config_reads_back_as_itself(name, write):
    loaded = load_config(CONFIGS / name)
    assert load_config(write("again.yaml", loaded.resolved_yaml())).resolved() == loaded.resolved()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not an empty file"),
        ("- a\n- b\n", "not a list"),
        ("just words", "not a str"),
        ("data: {test: t.csv, recommendations: {}}\nevaluation: {metrics: [nDCG]}", "no model to evaluate"),
        ("data: {test: t.csv}\nevaluation: {metrics: [nDCG]}", "data.recommendations: this key is missing"),
        ("evaluation: {metrics: [nDCG]}", "data: this key is missing"),
        ("data: {test: '-', recommendations: {m: '-'}}\nevaluation: {metrics: [nDCG]}", "only once"),
        ("data: {test: t, recommendations: {a: x, A: y}}\nevaluation: {metrics: [nDCG]}", "differ only in case"),
        ("data: {test: t, recommendations: {a: 3}}\nevaluation: {metrics: [nDCG]}", "data.recommendations.a"),
        ("data: {test: {path: t, columns: {user: 0}}, recommendations: {a: x}}\nevaluation: {metrics: [nDCG]}", "a position from 1"),
        (MINIMAL + "engine: {master: 'local[2]'}", "belong to the spark engine"),
        (MINIMAL.replace("[nDCG]", "[nDCG], convention: nobody"), "unknown convention 'nobody'"),
    ],
)
def test_a_wrong_config_is_refused(text, message, write):
    assert message in "\n".join(problems(write("config.yaml", text)))


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.name)
def test_every_config_fits_the_schema_and_has_the_modeline(path):
    jsonschema.validate(yaml.safe_load(path.read_text()), json.loads(json_schema()))
    assert path.read_text().startswith("# yaml-language-server: $schema=receval.schema.json\n")


def test_a_path_with_a_brace_among_braces_gets_a_hint(write):
    text = "data: {folds: [1, 2], test: t_{fold}.csv, recommendations: {m: l.csv}}\nevaluation: {metrics: [MRR]}\n"
    hint = r"got '\{'; inside \{ \} and \[ \], quote texts with braces, such as recs_\{fold\}.csv"
    with pytest.raises(ConfigError, match=hint):
        load_config(write("c.yaml", text))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("data:\n  test: {fold}/test.csv\n", 'put a text that begins with a brace into quotes, such as "{fold}/test.csv"'),
        ("data:\n\ttest: t.csv\n", "indent with spaces, not with tabs"),
    ],
)
def test_usual_mistakes_in_yaml_are_explained(written, said, write):
    assert said in "\n".join(problems(write("config.yaml", written)))
