"""Every config in configs/ runs, and the evaluation blocks in the documents of other systems work unchanged."""

from __future__ import annotations

import csv
import io
import re

import polars as pl
import pytest

from tests.conftest import CONFIGS
from tests.tree import sources

HERE = sorted(path.name for path in sources() if path.parent == CONFIGS and path.suffix == ".yaml" and path.name != "spark.yaml")


@pytest.mark.parametrize("name", HERE)
def test_every_config_runs_and_ranks_knn_above_popular_above_random(name, receval, sample):
    code, out, err = receval("run", sample / name, "--format", "csv")
    assert code == 0, err
    assert "error" not in err
    values = {(row["model"], row["metric"], row["k"], row["aggregate"]): float(row["value"]) for row in csv.DictReader(io.StringIO(out))}
    ndcg = {model: value for (model, metric, k, aggregate), value in values.items() if (metric, k, aggregate) == ("nDCG", "10", "mean")}
    assert sorted(ndcg, key=ndcg.__getitem__, reverse=True) == [model for model in ("knn", "popular", "random") if model in ndcg]
    assert ndcg["knn"] > 1.3 * ndcg["popular"]


def test_the_first_run_of_the_sample_has_no_warning(receval, sample):
    code, out, err = receval("run", sample / "quickstart.yaml")
    assert (code, err) == (0, "")
    assert not any(line.startswith(("warning", "error")) for line in out.splitlines())
    assert pl.read_parquet(sample / "data" / "popular.parquet").select("user_id", "score").is_unique().all()


@pytest.mark.spark
@pytest.mark.slow
def test_the_spark_config_gives_the_results_of_the_quickstart(receval, sample, spark):
    here = receval("run", sample / "quickstart.yaml", "--format", "csv")
    there = receval("run", sample / "spark.yaml", "--format", "csv")
    assert there[0] == 0, there[2]
    one, other = (pl.read_csv(io.StringIO(out[1])) for out in (here, there))
    assert one.drop("value").equals(other.drop("value"))
    assert (one["value"] - other["value"]).abs().max() < 1e-12


@pytest.mark.release
@pytest.mark.slow
def test_the_script_reproduces_the_committed_sample(sample, monkeypatch):
    import runpy

    script = sample / "data" / "make.py"
    before = {path.name: path for path in (CONFIGS / "data").iterdir() if path.suffix in (".csv", ".parquet")}
    for name in before:
        (sample / "data" / name).unlink()
    runpy.run_path(str(script), run_name="__main__")
    for name, path in before.items():
        read = pl.read_parquet if name.endswith(".parquet") else pl.read_csv
        assert read(sample / "data" / name).equals(read(path)), name


SNIPPETS = {
    "AUC": "    metrics: [AUC]\n",
    "F1": "    top_k: [10, 20, 50]\n    metrics: [F1]\n",
    "Extended-F1": (
        "    top_k: [10, 20, 50]\n"
        "    complex_metrics:\n"
        "        - name: F1\n"
        "          params:\n"
        "              metric_name_1: nDCG\n"
        "              metric_name_2: MAP\n"
        "              beta: 0.5\n"
    ),
    **{name: f"    top_k: [10, 20, 50]\n    metrics: [{name}]\n" for name in
       ("HitRate", "LAUC", "MAP", "MAR", "MRR", "nDCG", "nDCGRendle2020", "Precision", "Recall")},
    "GAUC": "    metrics: [GAUC]\n",
    **{f"grid of {name}": f"    metrics:\n        {name}:\n          cutoff:\n            type: int\n            values: [1,5,10]\n"
       for name in ("MAP", "nDCG", "Precision", "Recall")},
}  # fmt: skip


@pytest.mark.parametrize("name", SNIPPETS)
def test_an_evaluation_block_of_the_seed_documents_works_unchanged(name, receval, sample):
    data = "data:\n  test: data/test.csv\n  train: data/train.csv\n  recommendations: {knn: data/knn.parquet}\n"
    (sample / "seed.yaml").write_text(data + "evaluation:\n" + SNIPPETS[name])
    code, out, err = receval("run", sample / "seed.yaml", "--format", "csv")
    assert code == 0, err
    assert "error" not in err
    cutoffs = [row["k"] for row in csv.DictReader(io.StringIO(out))]
    assert cutoffs == ([""] if "AUC" in name and name != "LAUC" else ["1", "5", "10"] if "grid" in name else ["10", "20", "50"])


@pytest.mark.parametrize(("name", "ndcg"), [("warprec", 0.1874), ("relison", 0.2037)])
def test_the_config_in_the_spelling_of_another_program_prints_the_numbers_of_that_program(name, ndcg, receval, sample):
    _, out, err = receval("run", sample / f"{name}.yaml", "--format", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(out)) if row["model"] == "knn"]
    assert {row["convention"] for row in rows} == {name}
    assert float(next(row["value"] for row in rows if (row["metric"], row["k"]) == ("nDCG", "10"))) == pytest.approx(ndcg, abs=5e-5)
    assert "read under" not in err


def test_the_gates_of_the_quickstart_can_be_uncommented_and_say_when_they_fail(receval, sample):
    path = sample / "quickstart.yaml"
    before, gates = path.read_text("utf-8").split("# gates:")
    path.write_text(before + "gates:" + gates.replace("\n# ", "\n"))
    assert "  fail: shown_worse " in path.read_text("utf-8")
    code, out, _ = receval("run", path)
    assert code == 1, out  # random fails
    assert re.search(r"^  pass +knn +nDCG@10 loses at most 2 % ", out, re.M)
