"""An evaluation block of another program is read unchanged, and its keys without effect are named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from receval import Loaded, load_config
from receval.config.dialects import translate

from tests.conftest import CONFIGS

DATA = "data: {test: t.csv, train: u.csv, recommendations: {m: r.csv}}\n"

ELLIOT = """\
evaluation:
  cutoffs: [10, 5]
  simple_metrics: [nDCG, HR]
  relevance_threshold: 1
  paired_ttest: True
  wilcoxon_test: True
  complex_metrics:
    - {metric: DSC, beta: 2}
    - {metric: ExtendedF1, metric_0: MAP, metric_1: nDCG}
"""
WARPREC = """\
evaluation:
  top_k: 20
  metrics: [nDCG, Precision]
  complex_metrics: [{name: F1, params: {metric_1: nDCG, metric_2: MAP, beta: 0.5}}, {name: F1, params: {metric_name_1: MAP}}]
  validation_metric: nDCG@10
  batch_size: 1024
  strategy: full
  num_negatives: 99
  seed: 42
  stat_significance: {paired_t_test: false, corrections: {bonferroni: false}}
  full_evaluation_on_report: false
  max_metric_per_row: 4
  save_evaluation: true
  save_per_user: false
"""
RELISON = """\
evaluation:
  nDCG:
    cutoff:
      type: "int"
      values: ["1", "5"]
      range:
      - start: "10"
        end: "25"
        step: "10"
  MAP:
"""
CLAYRS = """\
evaluation:
- PrecisionAtK: {k: 10, relevant_threshold: 4, sys_average: micro}
- {name: NDCGAtK, k: 5, gains: exponential}
- FMeasure: {beta: 2, relevant_threshold: null}
- RPrecision
"""
REPORT = """\
evaluation:
  n_split: 1
  metrics:
    PrecisionAtK: {k: 10, relevant_threshold: null, precision: float64}
    NDCG: {gains: exponential, discount_log: log10}
  sys_results: {sys - mean: {NDCG: 0.5}}
"""


@pytest.fixture
def load(write) -> Callable[..., Loaded]:
    return lambda evaluation, *overrides: load_config(write("config.yaml", DATA + evaluation), overrides)


def measures(loaded: Loaded) -> list[str]:
    return [definition.label for definition in loaded.config.evaluation.definitions]


def warnings(loaded: Loaded) -> list[str]:
    return [warning.replace(f"{loaded.folder}/", "") for warning in loaded.warnings]


def test_a_block_of_elliot_has_its_cutoffs_threshold_and_both_lists_of_metrics(load):
    loaded = load(ELLIOT)
    assert loaded.config.evaluation.relevance.threshold == 1
    names = ("nDCG", "HitRate", "F1(beta=2)", "F1(MAP,nDCG)")
    assert measures(loaded) == [f"{name}@{k}" for name in names for k in (10, 5)]
    assert warnings(loaded) == [
        "config.yaml:2:1: evaluation: this config is written for Elliot: read under the convention elliot; "
        "write convention: … to choose another",
        "config.yaml:6:3: evaluation.paired_ttest: not computed by `receval run`; ignored",
        "config.yaml:7:3: evaluation.wilcoxon_test: not computed by `receval run`; ignored",
    ]


def test_a_block_of_warprec_takes_one_cutoff_or_several_and_names_each_key_that_is_ignored(load):
    loaded = load(WARPREC)
    assert loaded.config.evaluation.convention == "warprec"
    assert measures(loaded) == ["nDCG@20", "Precision@20", "F1(nDCG,MAP,beta=0.5)@20", "F1(MAP,Recall)@20"]
    said = dict(warning.split(": ", 2)[1:] for warning in warnings(loaded))
    ignored = ("validation_metric", "batch_size", "strategy", "num_negatives", "seed", "stat_significance", "full_evaluation_on_report",
               "max_metric_per_row", "save_evaluation", "save_per_user")  # fmt: skip
    assert list(said) == ["evaluation", *(f"evaluation.{key}" for key in ignored)]
    assert all(sentence.endswith("; ignored") for key, sentence in said.items() if key != "evaluation")
    assert warnings(loaded)[2] == "config.yaml:7:3: evaluation.batch_size: receval reads files in one pass; ignored"
    assert measures(load(WARPREC, "evaluation.top_k=[1, 2]"))[:2] == ["nDCG@1", "nDCG@2"]


def test_metrics_of_relison_are_directly_under_evaluation_with_grids_of_text(load):
    loaded = load(RELISON)
    assert loaded.config.evaluation.convention == "relison"
    assert measures(loaded) == ["nDCG@1", "nDCG@5", "nDCG@10", "nDCG@20", "nDCG@25", "MAP@10"]
    assert warnings(loaded)[1:] == [
        "config.yaml:11:3: evaluation.MAP: RELISON prints nothing for MAP without cutoff; receval uses top_k",
    ]
    assert measures(load(RELISON, "evaluation.top_k=3"))[-1] == "MAP@3"


def test_algorithms_beside_metrics_of_relison_are_named(load):
    loaded = load("evaluation:\n  metrics: {MAP: {cutoff: {type: int, values: 5}}}\n  algorithms: {Random: }\n")
    assert (measures(loaded), loaded.config.evaluation.convention) == (["MAP@5"], "relison")
    assert warnings(loaded)[1].startswith("config.yaml:4:3: evaluation.algorithms: receval does not train models")


def test_a_list_of_clayrs_classes_is_an_evaluation(load):
    loaded = load(CLAYRS)
    assert loaded.config.evaluation.convention == "clayrs"
    found = loaded.config.evaluation.definitions
    assert [(definition.metric.name, definition.k) for definition in found] == [
        ("Precision", 10),
        ("nDCG", 5),
        ("F1", None),
        ("RPrecision", None),
    ]
    assert (found[0].average, found[0].truth.threshold, found[2].truth.threshold) == ("micro", 4, None)
    assert found[1].params["gain"] == "exp2"
    assert warnings(loaded)[1:] == [
        "config.yaml:5:3: evaluation[2]: FMeasure uses the whole list, as ClayRS does; write top_k: … to cut it"
    ]


def test_a_report_of_clayrs_is_an_evaluation(load):
    loaded = load(REPORT)
    precision, ndcg = loaded.config.evaluation.definitions
    assert (precision.k, precision.truth.threshold, ndcg.k, ndcg.params["log_base"]) == (10, None, None, 10)
    assert [warning.split(": ")[1] for warning in warnings(loaded)] == [
        "evaluation",
        "evaluation.n_split",
        "evaluation.sys_results",
        "evaluation.metrics.PrecisionAtK.precision",
        "evaluation.metrics.NDCG",
    ]


@pytest.mark.parametrize("logarithm", ["log2", "np.log2"])
def test_the_logarithm_of_clayrs_that_is_the_default_changes_nothing(logarithm, load):
    assert measures(load(f"evaluation: [NDCGAtK: {{k: 5, discount_log: {logarithm}}}]\n")) == ["nDCG@5"]


def test_a_list_of_clayrs_class_names_is_read_as_a_clayrs_block(load):
    assert measures(load("evaluation: [NDCG, MRR]\n")) == ["nDCG@none", "MRR@none"]


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.name)
def test_the_configs_of_the_repository_are_not_dialects_and_have_no_warning(path):
    assert load_config(path).warnings == ()


@pytest.mark.parametrize(
    "evaluation",
    [
        {"metrics": ["nDCG", "NDCGAtK", "PrecisionAtK@5"]},
        {"metrics": {"MAP": {"cutoff": {"values": [1, 5]}}, "RPrecision": None}},
        {"complex_metrics": [{"name": "F1", "params": {"metric_1": "nDCG", "metric_2": "MAP"}}]},
        {
            "top_k": [5],
            "metrics": [{"name": "F1", "beta": 2}],
            "relevance": {"threshold": 3},
            "aggregates": ["mean"],
            "convention": "elliot",
        },
        {"topk": 3, "metrics": ["nDCG"]},
        ["nDCG", "nonsense"],
        "nDCG",
        None,
        {},
    ],
)
def test_receval_blocks_and_unknown_blocks_are_returned_unchanged(evaluation):
    found = translate(evaluation)
    assert (found.value, found.dialect, found.warnings, found.problems) == (evaluation, None, (), ())
    assert found.value is evaluation


def test_a_given_convention_is_kept_and_the_names_of_the_program_are_still_read(load):
    elliot = load(ELLIOT, "evaluation.convention=receval")
    assert elliot.config.evaluation.convention == "receval"
    assert measures(elliot)[2:6] == ["HitRate@10", "HitRate@5", "F1(beta=2)@10", "F1(beta=2)@5"]
    assert "written for" not in "".join(elliot.warnings)
    clayrs = load("evaluation:\n  convention: receval\n  metrics: [PrecisionAtK: {k: [5, 9], sys_average: micro, relevant_threshold: 4}]\n")
    assert measures(clayrs) == ["Precision(threshold=4,average=micro)@5", "Precision(threshold=4,average=micro)@9"]


def test_a_parameter_of_the_given_convention_is_not_read_as_clayrs(write, load):
    write("ours.yaml", "extends: receval\nparameters: {gains: {exponential: {gain: exp2_plus1}}}\n")
    loaded = load("evaluation: {convention: ./ours.yaml, metrics: [{name: nDCG, gains: exponential}]}\n")
    assert loaded.config.evaluation.definitions[0].params["gain"] == "exp2_plus1"
    assert loaded.warnings == ()


@pytest.mark.parametrize(
    "block", [ELLIOT, WARPREC, RELISON, CLAYRS.replace("evaluation:", "evaluation:\n  metrics:").replace("\n- ", "\n  - ")]
)
def test_writing_the_assumed_convention_changes_no_measure(block, load):
    assumed = load(block)
    written = load(block, f"evaluation.convention={assumed.config.evaluation.convention}")
    assert written.config.evaluation.definitions == assumed.config.evaluation.definitions
    assert written.warnings == assumed.warnings[1:]


def test_run_and_validate_print_each_warning_once_unless_run_is_quiet(receval, sample: Path):
    config = sample / "elliot.yaml"
    data = "data: {test: data/test.csv, train: data/train.csv, recommendations: {knn: data/knn.parquet}}\n"
    config.write_text(data + "evaluation: {cutoffs: 5, simple_metrics: [nDCG], paired_ttest: True}\n")
    for command in ("run", "validate"):
        code, _, err = receval(command, config)
        assert (code, [line.split(": ")[:2] for line in err.splitlines()]) == (0, [["receval", "warning"]] * 2)
        assert f"{config}:2:50: evaluation.paired_ttest: not computed by `receval run`; ignored" in err
    assert receval("run", config, "--quiet", "--format", "csv")[2] == ""


def test_files_named_beside_metrics_are_ignored_with_a_warning(write):
    config = write(
        "config.yaml",
        "data: {test: t, train: t, recommendations: {m: r}, users: u, items: {path: i, categories: genre}}\n"
        "evaluation:\n  cutoffs: 10\n  simple_metrics: [nDCG]\n  complex_metrics:\n"
        "    - {metric: UserMADrating, clustering_name: age, clustering_file: u.tsv}\n"
        "    - {metric: SRecall, feature_data: f.tsv}\n",
    )
    loaded = load_config(config)
    assert measures(loaded) == ["nDCG@10", "UserMADRating(by=age)@10", "SRecall@10"]
    assert loaded.config.evaluation.definitions[1].needs == {"users.age"}
    said = [warning.partition("evaluation.")[2] for warning in loaded.warnings[1:]]
    assert [text.partition(":")[0] for text in said] == ["complex_metrics[0].clustering_file", "complex_metrics[1].feature_data"]
    assert all(text.endswith("; ignored") for text in said)


def test_points_of_warprec_are_read_as_lists(load):
    block = "evaluation:\n  strategy: full\n  metrics: [nDCG]\n  complex_metrics:\n" + "".join(
        f"    - {{name: {name}, params: {{metric_names: [Precision, MAP], {points}}}}}\n"
        for name, points in (
            ("EucDistance", "utopia_points: [1.0, 0.5]"),
            ("Hypervolume", "nadir_points: [0, 1], higher_is_better: [true, false]"),
        )
    )
    assert measures(load(block))[1:] == [
        "EucDistance(Precision,MAP,points=1.0;0.5)@10",
        "Hypervolume(Precision,MAP,points=0;1,higher_is_better=true;false)@10",
    ]


def test_a_dialect_gives_the_numbers_of_its_convention(receval, sample: Path):
    data = "data: {test: data/test.csv, train: data/train.csv, recommendations: {knn: data/knn.parquet}}\n"
    blocks = {
        "elliot": "{cutoffs: 5, simple_metrics: [nDCG, MAP], relevance_threshold: 4}",
        "own": "{convention: elliot, top_k: 5, metrics: [nDCG, MAP], relevance: {threshold: 4}}",
    }
    for name, block in blocks.items():
        (sample / f"{name}.yaml").write_text(f"{data}evaluation: {block}\n")
    first, second = (receval("run", sample / f"{name}.yaml", "-q", "--format", "csv") for name in blocks)
    assert first == second
    assert first[0] == 0
