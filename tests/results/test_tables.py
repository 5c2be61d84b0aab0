"""The tables of a result: `results.csv` and `ledger.csv` have the same columns in every run, and nothing that was not computed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import receval as library
from receval import load_config
from receval.results.row import Ledger, Row
from receval.results.tables import LedgerRow, ValueRow, columns_of_table, ledger_rows
from receval.syntax import yaml_text

from tests.config.test_every_value import DATA
from tests.conftest import CONFIGS
from tests.sizes import some
from tests.storage.test_result_folder import CONFIGS as FOLDERS
from tests.storage.test_result_folder import KNN, TEST, TRAIN, USERS
from tests.variants import VARIANTS

FORMULAS = ("0.5*nDCG@5 + 0.5*Recall@5", "nDCG@3 - Recall(denominator=min_r_k)@3", "F1(nDCG, MAP(denominator=k), beta=0.5)")
GAPS = """
data: {folds: [{test: test.csv, recommendations: {knn: {runs: [some.csv, knn.csv]}}},
  {test: test.csv, recommendations: {knn: {runs: [knn.csv, some.csv]}}}]}
evaluation: {metrics: [nDCG@2]}
"""
CONFIGS_WRITTEN = {**FOLDERS, "gaps": GAPS}
SAMPLES = ("quickstart", "families", "grids", "relison")


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return the folder of results of each config: those of the samples, and small ones with groups, aggregates, runs and folds."""
    base = tmp_path_factory.mktemp("tables")
    for name, text in (
        ("test", TEST),
        ("knn", KNN),
        ("other", KNN.replace("9", "0")),
        ("users", USERS),
        ("train", TRAIN),
        ("some", KNN[:40]),
    ):
        (base / f"{name}.csv").write_text(text)
    for name, text in CONFIGS_WRITTEN.items():
        (base / f"{name}.yaml").write_text(text)
    configs = {name: base / f"{name}.yaml" for name in CONFIGS_WRITTEN} | {name: CONFIGS / f"{name}.yaml" for name in SAMPLES}
    for name, config in configs.items():
        library.evaluate(config).save(base / "results" / name)
    return {name: base / "results" / name for name in configs}


def pairs(*rows: str) -> pl.DataFrame:
    """Return a table of users and items: `ua` is the item a of the user u."""
    return pl.DataFrame([tuple(row) for row in rows], schema=["user", "item"], orient="row")


def definitions(measure: str, *, top_k: Any = (3, "none")) -> tuple[Any, ...]:
    evaluation = f"evaluation: {{top_k: {json.dumps(top_k)}, metrics: [{measure}]}}"
    loaded = load_config({"data": DATA, **yaml_text.read(evaluation).value})
    return tuple(loaded.config.evaluation.definitions)


def test_the_tables_have_the_same_columns_and_types_in_every_run(folders: dict[str, Path]):
    for name, folder in folders.items():
        assert dict(pl.read_parquet_schema(folder / "results.parquet")) == columns_of_table(ValueRow), name
        assert (folder / "results.csv").read_text().partition("\n")[0] == ",".join(columns_of_table(ValueRow)), name
        assert (folder / "ledger.csv").read_text().partition("\n")[0] == ",".join(columns_of_table(LedgerRow)), name


def test_no_column_is_empty_in_every_run(folders: dict[str, Path]):
    values = pl.concat([pl.read_parquet(folder / "results.parquet") for folder in folders.values()])
    ledgers = pl.concat([library.load_results(folder).ledger for folder in folders.values()])
    for table in (values, ledgers):
        assert [column.name for column in table if column.null_count() == len(table)] == []
        assert [column.name for column in table if column.n_unique() == 1] == []


def test_csv_parquet_python_and_json_have_the_same_rows(folders: dict[str, Path]):
    for name, folder in folders.items():
        result, content = library.load_results(folder), json.loads((folder / "results.json").read_text())
        table = pl.read_parquet(folder / "results.parquet")
        assert table.equals(result.values), name
        assert table.equals(pl.read_csv(folder / "results.csv", schema=table.schema)), name
        assert [row | {"run_id": content["run_id"]} for row in content["results"]] == [
            record | row for record, row in zip([long_row.cells() for long_row in result.long_rows], table.to_dicts(), strict=True)
        ]
        ledger = pl.read_csv(folder / "ledger.csv", schema=result.ledger.schema)
        assert ledger.equals(result.ledger), name
        assert content["ledger"] == ledger.to_dicts()


@pytest.mark.parametrize("number", some(range(4), 1))
def test_the_measure_of_a_value_reads_back_as_config_as_it_stands(number: int):
    tried = 0
    for text in (*VARIANTS, *FORMULAS)[number::4]:
        for definition in definitions(f"'{text}'"):
            measure = Row("m", definition.spec.title, definition.k, "mean", 0.0, 1).measure
            assert definitions(measure) == (definition,), measure
            tried += 1
    assert tried > 200


def test_the_measures_of_every_run_read_back_as_config(folders: dict[str, Path]):
    for name, folder in folders.items():
        result = library.load_results(folder)
        own = {"data": DATA, "evaluation": {key: result.config["evaluation"][key] for key in ("convention", "top_k")}}
        measures = list(dict.fromkeys(result.values["measure"]))
        again = load_config({**own, "evaluation": {**own["evaluation"], "metrics": measures}})
        assert list(again.config.evaluation.labels) == measures, name


def test_the_cutoff_is_empty_for_a_measure_without_one():
    rated = pairs("ua").with_columns(rating=4, score=3.5)
    result = library.evaluate(test=rated, recommendations={"m": rated}, metrics=["nDCG@2", "nDCG@none", "MAE"], predictions={"m": rated})
    assert dict(result.values.select("measure", "k").rows()) == {"nDCG@2": 2, "nDCG@none": None, "MAE": None}


def test_an_interval_is_that_of_the_page_and_only_of_means_over_users(folders: dict[str, Path]):
    for folder in folders.values():
        result = library.load_results(folder)
        for row, record in zip(result.long_rows, result.values.to_dicts(), strict=True):
            is_mean_over_users = row.aggregate == "mean" and row.repeats is None and row.std is not None and row.n_users > 1
            has_interval = record["ci_low"] is not None and record["ci_high"] is not None
            assert has_interval == (is_mean_over_users and row.value is not None)
            assert (record["ci_low"] is None) == (record["ci_high"] is None)
            assert not has_interval or record["ci_low"] <= row.value <= record["ci_high"]
    quick = library.load_results(folders["quickstart"])
    row, half = quick["knn", "nDCG@10"], 1.9668 * quick["knn", "nDCG@10"].std / 350**0.5  # t of 349 degrees of freedom
    assert row.interval == pytest.approx((row.value - half, row.value + half), rel=1e-4)


def test_the_same_input_has_the_same_run_id_and_another_one_another(tmp_path: Path, write: Callable[..., Path]):
    write("test.csv", TEST), write("knn.csv", KNN)
    config = {"data": {"test": str(tmp_path / "test.csv"), "recommendations": {"knn": str(tmp_path / "knn.csv")}},
              "evaluation": {"metrics": ["nDCG@2"]}}  # fmt: skip
    first = library.evaluate(config)
    assert library.evaluate({**config, "output": {"dir": str(tmp_path / "elsewhere")}, "engine": {"memory": "4GB"}}).run_id == first.run_id
    assert library.evaluate({**config, "evaluation": {"metrics": ["nDCG@1"]}}).run_id != first.run_id
    write("knn.csv", KNN.replace("9", "0"))
    assert library.evaluate(config).run_id != first.run_id


def test_a_folder_keeps_its_run_id(folders: dict[str, Path]):
    for name, folder in folders.items():
        result = library.load_results(folder)
        assert json.loads((folder / "manifest.json").read_text())["run_id"] == result.run_id == result.values["run_id"][0], name


def test_the_ledger_is_empty_if_every_user_simply_counts():
    result = library.evaluate(test=pairs("ua", "va"), recommendations={"m": pairs("ua", "va")}, metrics=["nDCG@1"])
    assert result.ledger.rows() == []
    assert result.ledger.schema == columns_of_table(LedgerRow)


def test_the_ledger_says_who_counts_who_is_filled_in_and_who_is_left_out():
    rows, lists = pairs("ua", "va", "wb"), {"m": pairs("ua", "xa", "vb")}
    result = library.evaluate(test=rows, recommendations=lists, metrics=["HitRate@1"], aggregates=["mean", "std"])
    assert result.ledger.select("model", "measure", "aggregate", "which_users", "n_users", "value_over_these_users").rows() == [
        ("m", "HitRate@1", "mean", "counted", 3, 1 / 3),
        ("m", "HitRate@1", "mean", "counted_without_list", 1, None),
        ("m", "HitRate@1", "mean", "left_out_without_test_row", 1, None),
        ("m", "HitRate@1", "mean", "counted_with_list", 2, 1 / 2),
    ]


def test_a_ledger_has_all_counts_of_its_value_that_are_not_zero():
    ledger = Ledger(9, 8, 7, 6, 1, 2, 0, 3, 4, 5, 6, 7, 8, covered=5, covered_value=0.5, warm=6)
    rows = ledger_rows([Row("m", "nDCG", 1, "mean", 0.25, 6, ledger=ledger)], "id")
    found = [(row.which_users, row.n_users, row.value_over_these_users) for row in rows]
    assert found == [
        ("counted", 6, 0.25), ("counted_without_list", 1, None), ("counted_without_relevant_item", 2, None),
        ("left_out_without_list", 3, None), ("left_out_without_relevant_item", 4, None), ("left_out_without_test_row", 5, None),
        ("left_out_without_value", 6, None), ("left_out_not_in_other_file", 7, None), ("only_in_other_file", 8, None),
        ("counted_with_list", 5, 0.5),
    ]  # fmt: skip


def test_two_runs_are_appended_to_one_table_of_duckdb(folders: dict[str, Path]):
    duckdb = pytest.importorskip("duckdb")
    base = duckdb.connect()
    for name in ("values_of_runs", "ledger_of_runs"):
        file = {"values_of_runs": "results.parquet", "ledger_of_runs": "ledger.csv"}[name]
        first, second = (f"from '{folders[run] / file}'" for run in ("quickstart", "folds"))
        base.execute(f"create table {name} as {first}")
        base.execute(f"insert into {name} by name {second}")
    n = sum(len(pl.read_parquet(folders[run] / "results.parquet")) for run in ("quickstart", "folds"))
    assert base.execute("select count(*), count(distinct run_id) from values_of_runs").fetchone() == (n, 2)
    kinds = dict(
        base.execute("select column_name, data_type from information_schema.columns where table_name = 'values_of_runs'").fetchall()
    )
    assert {kinds[name] for name in ("k", "n_users")} == {"BIGINT"}
    assert {kinds[name] for name in ("value", "ci_low", "ci_high")} == {"DOUBLE"}
    assert {kinds[name] for name in ("run_id", "measure", "by", "fold", "convention")} == {"VARCHAR"}
    assert kinds["higher_is_better"] == "BOOLEAN"
    joined = "select count(*) from ledger_of_runs join values_of_runs using (run_id, model, measure, aggregate)"
    assert base.execute(joined).fetchone()[0] > 0


def test_the_tables_load_into_pandas(folders: dict[str, Path]):
    pandas = pytest.importorskip("pandas")
    both = pandas.concat([pandas.read_parquet(folders[run] / "results.parquet") for run in ("quickstart", "folds")])
    assert both["run_id"].nunique() == 2
    assert both["value"].dtype == "float64"
    assert len(pandas.read_csv(folders["quickstart"] / "ledger.csv")) == len(library.load_results(folders["quickstart"]).ledger)
    assert len(pandas.read_parquet(folders["quickstart"] / "per_user.parquet")) > 0
