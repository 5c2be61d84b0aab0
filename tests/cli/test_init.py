"""`receval init --from FILE` writes a config that loads, keeps the settings of the file, and names those it leaves out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from receval import load_config
from receval.config.dialects import PROGRAMS, translate
from receval.config.whole_config import Evaluation

ELLIOT = """\
experiment:
  dataset: movies
  data_config:
    strategy: fixed
    train_path: ../data/{0}/train.tsv
    validation_path: ../data/{0}/val.tsv
    test_path: ../data/{0}/test.tsv
  binarize: False
  top_k: 50
  evaluation:
    cutoffs: [10, 5]
    simple_metrics: [nDCG, HR, StatisticalParity]
    relevance_threshold: 1
    paired_ttest: True
    complex_metrics:
      - {metric: DSC, beta: 2}
  negative_sampling: {strategy: random, num_items: 99}
  models:
    RecommendationFolder: {folder: path/to/recs}
    ProxyRecommender: {path: "../{0}/1e3.tsv"}
    ItemKNN: {meta: {save_recs: True}, neighbors: 50}
"""
WARPREC = r"""
reader:
  loading_strategy: split
  data_type: transaction
  reading_method: local
  rating_type: explicit
  split: {local_path: split/one, ext: .csv, sep: '\t', header: true}
  labels: {user_id_label: uid, rating_label: stars}
writer: {dataset_name: movies, local_experiment_path: experiments}
splitter: {test_splitting: {strategy: temporal_holdout, ratio: 0.1}}
models:
  ProxyRecommender: {recommendation_file: recs/als.csv, separator: ",", header: false}
  EASE: {l2: 10}
evaluation:
  top_k: [10, 20]
  metrics: [nDCG, Precision]
  complex_metrics: [{name: F1, params: {metric_1: nDCG, metric_2: MAP, beta: 0.5}}]
  validation_metric: nDCG@10
"""
RELISON = """\
algorithms: {Random: , Popularity: {}}
metrics:
  nDCG: {cutoff: {type: int, values: [1, 5, 10]}}
  Precision: {cutoff: {type: int, range: [{start: 10, end: 30, step: 10}]}}
  ILD: {cutoff: {type: int, values: 5}}
  MAP:
"""
CLAYRS = """\
n_split: 1
metrics:
  PrecisionAtK: {k: 10, relevant_threshold: 4, sys_average: micro, precision: float64}
  NDCGAtK: {k: 5, gains: exponential}
  FMeasure: {beta: 2, relevant_threshold: null, sys_average: macro}
sys_results: {sys - mean: {NDCG@5: 0.25}}
"""
OURS = """\
data: {test: "data/$$x.csv", items: [a.csv, /b/c.csv], recommendations: {"007": lists.csv, b: {path: "-"}}}
evaluation: {convention: receval, cutoffs: 3, simple_metrics: [AUC, HR]}
output: {dir: results}
gpu: 1
"""
BLOCKS = {
    "elliot": "cutoffs: 5\nsimple_metrics: [nDCG]\n",
    "warprec": "top_k: 5\nmetrics: [nDCG]\nstrategy: full\n",
    "relison": "nDCG: {cutoff: {type: int, values: 5}}\n",
    "clayrs": "- NDCGAtK: {k: 5}\n",
}
FILES = {
    "elliot": ELLIOT,
    "warprec": WARPREC,
    "relison": RELISON,
    "clayrs": CLAYRS,
    "ours": OURS,
    **{f"block of {k}": v for k, v in BLOCKS.items()},
}


@pytest.fixture
def converted(receval, write) -> Any:
    """Return a function that gives the text that `init` prints, and its config."""

    def converted(content: str) -> tuple[str, Any]:
        code, out, err = receval("init", "--from", write("other.yml", content))
        assert (code, err) == (0, "")
        return out, load_config(write("config.yaml", out))

    return converted


def measures(loaded: Any) -> list[str]:
    return [definition.label for definition in loaded.config.evaluation.definitions]


def comments(text: str) -> dict[str, str]:
    return dict(line.removeprefix("#   ").split(": ", 1) for line in text.splitlines() if line.startswith("#   "))


@pytest.mark.parametrize("name", FILES)
def test_the_written_config_loads_without_a_warning_and_is_the_same_each_time(name, converted):
    text, loaded = converted(FILES[name])
    assert loaded.warnings == ()
    assert converted(FILES[name])[0] == text


@pytest.mark.parametrize("name", ["elliot", "warprec", "relison", "clayrs", "elliot block", "list"])
def test_the_written_config_has_the_definitions_of_the_translated_block(name, converted):
    evaluations = {
        "elliot": {"cutoffs": [3, 7], "simple_metrics": ["nDCG", "MAP"], "complex_metrics": [{"metric": "DSC", "metric_1": "MAP"}]},
        "warprec": {"strategy": "full", "top_k": 3, "metrics": ["nDCG", "F1"]},
        "relison": {"nDCG": {"cutoff": {"values": ["3", "9"]}}, "MAP": None},
        "clayrs": {"metrics": [{"FMeasureAtK": {"k": 3, "beta": 2, "sys_average": "micro"}}, {"NDCG": {"gains": "linear"}}, "RPrecision"]},
        "elliot block": {"convention": "warprec", "cutoffs": 3, "simple_metrics": ["HR"], "complex_metrics": [{"metric": "DSC"}]},
        "list": [{"MAPAtK": {"k": 4}}, {"name": "Precision", "relevant_threshold": 3}],
    }
    import yaml

    _, loaded = converted(yaml.safe_dump(evaluations[name], sort_keys=False))
    translated = Evaluation.model_validate(translate(evaluations[name]).value)
    assert loaded.config.evaluation.definitions == translated.definitions
    assert loaded.config.evaluation.convention == translated.convention


def test_an_experiment_of_elliot_is_converted_with_files_lists_and_evaluation(converted):
    text, loaded = converted(ELLIOT)
    data = loaded.resolved()["data"]
    file = {"separator": "\t", "header": False}
    assert data["test"] == {"path": "../data/movies/test.tsv", **file, "columns": {"user": 1, "item": 2, "rating": 3}}
    assert data["train"]["path"] == "../data/movies/train.tsv"
    lists = {**file, "columns": {"user": 1, "item": 2, "score": 3}}
    assert data["recommendations"] == [{"path": "path/to/recs/*", **lists}, {"path": "../movies/1e3.tsv", "name": "1e3", **lists}]
    assert loaded.config.evaluation.convention == "elliot"
    assert measures(loaded) == ["nDCG@10", "nDCG@5", "HitRate@10", "HitRate@5", "F1(beta=2)@10", "F1(beta=2)@5"]
    assert "fill in" not in text
    assert list(comments(text)) == [
        "experiment.data_config.validation_path",
        "experiment.binarize",
        "experiment.negative_sampling",
        "experiment.models.ItemKNN",
        "experiment.evaluation.paired_ttest",
        "experiment.evaluation.simple_metrics[2]",
    ]
    assert comments(text)["experiment.evaluation.simple_metrics[2]"].startswith("unknown metric 'StatisticalParity'")


def test_an_experiment_of_elliot_without_cutoffs_uses_its_top_k(converted):
    content = "experiment: {dataset: d, top_k: 7, path_output_rec_result: ../r/{0}/recs/, evaluation: {simple_metrics: [nDCG]}}\n"
    text, loaded = converted(content.replace("../r/{0}/recs/", '"../r/{0}/recs/"'))
    assert measures(loaded) == ["nDCG@7"]
    assert loaded.config.data.recommendations[0].path == ("../r/d/recs/*.tsv",)
    assert [line.split(":")[0].strip() for line in text.splitlines() if "# fill in" in line] == ["test", "train"]


def test_an_experiment_of_warprec_is_converted_with_split_labels_and_evaluation(converted):
    text, loaded = converted(WARPREC)
    data = loaded.resolved()["data"]
    columns = {"user": "uid", "item": "item_id", "rating": "stars"}
    assert data["test"] == {"path": "split/one/test.csv", "separator": "\t", "header": True, "columns": columns}
    assert data["train"]["path"] == "split/one/train.csv"
    assert data["recommendations"] == [
        {"path": "recs/als.csv", "name": "als", "separator": ",", "header": False, "columns": {"user": 1, "item": 2, "score": 3}}
    ]
    assert measures(loaded) == [f"{name}@{k}" for name in ("nDCG", "Precision", "F1(nDCG,MAP,beta=0.5)") for k in (10, 20)]
    assert list(comments(text)) == ["writer", "splitter", "models.EASE", "evaluation.validation_metric"]


def test_a_split_of_warprec_in_parquet_has_no_separator(converted):
    content = "reader: {file_format: parquet, rating_type: implicit, split: {local_path: s}}\nevaluation: {top_k: 5, metrics: [nDCG]}\n"
    text, loaded = converted(content)
    assert loaded.resolved()["data"]["test"] == {"path": "s/test.parquet", "columns": {"user": "user_id", "item": "item_id"}}
    assert list(comments(text)) == ["reader.rating_type"]


def test_a_grid_of_relison_keeps_its_cutoffs_and_its_algorithms_are_named(converted):
    text, loaded = converted(RELISON)
    assert measures(loaded) == ["nDCG@1", "nDCG@5", "nDCG@10", "Precision@10", "Precision@20", "Precision@30", "ILD@5", "MAP@10"]
    assert list(comments(text)) == ["algorithms", "metrics.MAP"]
    assert [line.split(":")[0].strip() for line in text.splitlines() if "# fill in" in line] == [
        "test",
        "train",
        "recommendations",
        "items",
    ]


def test_a_report_of_clayrs_is_converted_with_its_metrics(converted):
    text, loaded = converted(CLAYRS)
    found = loaded.config.evaluation.definitions
    assert [(definition.metric.name, definition.k, definition.average) for definition in found] == [
        ("Precision", 10, "micro"),
        ("nDCG", 5, "mean"),
        ("F1", None, "mean"),
    ]
    assert list(comments(text)) == ["n_split", "sys_results", "metrics.PrecisionAtK.precision", "metrics.FMeasure"]
    assert "train" not in loaded.resolved()["data"]


def test_a_receval_config_keeps_its_data_and_its_output(converted):
    text, loaded = converted(OURS)
    resolved = loaded.resolved()
    assert resolved["data"] == {
        "test": {"path": "data/$x.csv"},
        "items": {"path": ["a.csv", "/b/c.csv"]},
        "recommendations": {"007": {"path": "lists.csv"}, "b": {"path": "-"}},
    }
    assert resolved["output"]["dir"] == "results"
    assert measures(loaded) == ["AUC", "HitRate@3"]
    assert comments(text) == {"gpu": "it has no meaning here: receval evaluates lists and does not train models"}


def test_the_evaluation_block_of_each_program_is_enough(converted):
    for dialect, block in BLOCKS.items():
        _, loaded = converted(block)
        assert (loaded.config.evaluation.convention, measures(loaded)) == (dialect, ["nDCG@5"])
    assert BLOCKS.keys() == PROGRAMS.keys()


def test_a_config_is_written_with_relative_paths_and_overwritten_only_by_force(receval, write, tmp_path: Path):
    source, target = write("other.yml", OURS), tmp_path / "new" / "config.yaml"
    assert receval("init", "--from", source, "-o", target) == (0, "", "")
    resolved = load_config(target).resolved()
    assert (resolved["data"]["test"]["path"], resolved["data"]["items"]["path"]) == ("../data/$x.csv", ["../a.csv", "/b/c.csv"])
    assert (resolved["data"]["recommendations"]["b"]["path"], resolved["output"]["dir"]) == ("-", "../results")
    target.write_text("mine")
    code, _, err = receval("init", "--from", source, "-o", target)
    assert (code, target.read_text()) == (2, "mine")
    assert "--force" in err
    assert receval("init", "--from", source, "-o", target, "--force") == (0, "", "")
    assert load_config(target).resolved() == resolved
    assert [path.name for path in target.parent.iterdir()] == ["config.yaml"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no config file"),
        ("a: [", "not valid YAML"),
        ("", "it was not recognised as a config of Elliot, WarpRec, RELISON, ClayRS"),
        ("evaluation: {metrics: [nDCG@5]}", "it was not recognised as a config of"),
        ("- 3", "it was not recognised as a config of"),
        ("cutoffs: [0]\nsimple_metrics: [nDCG]", "other.yml:1:10: cutoffs: a cut-off must be at least 1, not 0"),
        ("cutoffs: 5\nsimple_metrics: [StatisticalParity]", "other.yml:2:18: simple_metrics[0]: unknown metric 'StatisticalParity'"),
        ("experiment: {evaluation: {cutoffs: 5}}", "there are no metrics"),
        ("experiment: {evaluation: {cutofs: 5, simple_metrics: [nDCG]}}", "experiment.evaluation.cutofs: unknown key 'cutofs'"),
        ("cutoffs: 5\ntop_k: 5\nsimple_metrics: [nDCG]", "cutoffs and top_k mean the same"),
        ("reader: {split: {local_path: s, sep: '; and then ;'}}\nevaluation: {metrics: [nDCG]}", "data.test.separator"),
    ],
)
def test_a_file_that_cannot_be_converted_is_refused_in_one_sentence_and_nothing_is_written(content, message, receval, write, tmp_path):
    source = tmp_path / "other.yml"
    if content is not None:
        write("other.yml", content)
    code, out, err = receval("init", "--from", source, "-o", tmp_path / "new" / "config.yaml")
    assert (code, out) == (2, "")
    assert message in err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    "evaluation",
    [
        {"top_k": [5, 10], "metrics": ["nDCG", "Recall"]},
        {"top_k": [10], "complex_metrics": [{"name": "F1", "params": {"metric_name_1": "nDCG", "metric_name_2": "MAP", "beta": 0.5}}]},
        {"metrics": {"nDCG": {"cutoff": {"type": "int", "values": [5, 10]}}, "MAP": {"cutoff": 3}}},
        {"metrics": ["Precision", "NDCG", "FMeasure"]},
        {"top_k": [5], "metrics": ["nDCG"], "strategy": "full", "batch_size": 1024},
        {"nDCG": {"cutoff": {"type": "int", "values": [5, 10]}}, "Recall": {"cutoff": 5}},
        {"metrics": [{"PrecisionAtK": {"k": 2, "sys_average": "micro"}}]},
        {"cutoffs": [10], "simple_metrics": ["nDCG"]},
    ],
    ids=["WarpRec", "WarpRec combined", "RELISON", "ClayRS", "WarpRec's own keys", "RELISON's own form", "ClayRS' own keys", "Elliot"],
)
def test_a_bare_evaluation_means_the_same_to_run_and_to_init(evaluation, receval, tmp_path):
    # the measures that `receval run` computes from the block itself, and from the config that `receval init --from` writes
    data = {"test": "test.csv", "recommendations": {"model": "recommendations.csv"}}
    (tmp_path / "theirs.yaml").write_text(yaml.safe_dump({"evaluation": evaluation}, sort_keys=False))
    code, _, message = receval("init", "--from", tmp_path / "theirs.yaml", "-o", tmp_path / "ours.yaml")
    assert code == 0, message
    as_it_is = load_config({"data": data, "evaluation": evaluation}).config.evaluation
    converted = load_config(tmp_path / "ours.yaml").config.evaluation
    assert converted.convention == as_it_is.convention
    assert [(definition.label, definition.axes, definition.k) for definition in converted.computed] == [
        (definition.label, definition.axes, definition.k) for definition in as_it_is.computed
    ]
