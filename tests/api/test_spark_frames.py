"""DataFrames and tables of Spark as any input, and results as DataFrames and tables; those of Spark Connect: tests/evaluation/."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
import receval
from receval.engines.spark.session import SparkSession, without_logged_errors
from receval.support.errors import OutputError

pytestmark = [pytest.mark.spark]

TEST = pl.DataFrame({"user": [1, 1, 2], "item": [1, 2, 3], "rating": [5, 4, 3]})
LISTS = pl.DataFrame({"user": [1, 1, 2, 2], "item": [1, 3, 3, 5], "score": [0.9, 0.8, 0.7, 0.6]})
METRICS = ["nDCG@2", "Recall@2"]


@pytest.fixture
def session(spark_session: SparkSession) -> Any:
    return spark_session.native


def away(session: Any, frame: pl.DataFrame) -> Any:
    return session.createDataFrame(frame.to_arrow())


def evaluated(**options: Any) -> receval.EvaluationResult:
    return receval.evaluate(**{"test": TEST, "recommendations": LISTS, "metrics": METRICS, "health": False, **options})


def test_an_evaluator_collects_dataframes(session):
    evaluator = receval.Evaluator(test={"frame": away(session, TEST)}, metrics=METRICS)
    assert evaluator(away(session, LISTS)) == evaluated().to_dict()["model"]


def test_a_matrix_of_scores_masks_the_train_rows_of_a_dataframe(session):
    scores = receval.Matrix([[0.9, 0.8, 0.1], [0.2, 0.7, 0.6]], users=[1, 2], items=[1, 2, 3])
    seen = pl.DataFrame({"user": [1, 2], "item": [1, 2]})
    here = evaluated(recommendations=scores, train=seen, mask_seen=True)
    assert evaluated(recommendations=scores, train=away(session, seen), mask_seen=True).rows == here.rows


def test_a_frame_of_pandas_on_spark_is_the_dataframe_that_it_is(session):
    pytest.importorskip("pandas", reason="pandas on Spark needs pandas")
    assert evaluated(recommendations=away(session, LISTS).pandas_api()).rows == evaluated().rows


def test_tables_are_given_by_name_and_a_config_without_an_engine_gets_spark(session):
    away(session, TEST).createOrReplaceTempView("their_test")
    result = evaluated(test={"table": "`their_test`"}, recommendations={"model": LISTS})
    assert (result.rows, result.config["engine"]["name"]) == (evaluated().rows, "spark")
    with pytest.raises(receval.DataError, match=r"test: the table shop.nowhere cannot be read: .TABLE_OR_VIEW_NOT_FOUND"):
        evaluated(test={"table": "shop.nowhere"})


def test_a_catalog_may_have_three_names_with_hyphens(session, tmp_path):
    session._jvm.java.lang.System.setProperty("derby.stream.error.file", str(tmp_path / "derby.log"))
    catalog = "spark.sql.catalog.my-shop"
    session.conf.set(catalog, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
    session.conf.set(f"{catalog}.url", "jdbc:derby:memory:shop;create=true")
    session.conf.set(f"{catalog}.driver", "org.apache.derby.iapi.jdbc.AutoloadedDriver")
    session.sql("create schema `my-shop`.`web-eu`")
    away(session, TEST).writeTo("`my-shop`.`web-eu`.test").create()
    assert evaluated(test={"table": "my-shop.web-eu.test"}).rows == evaluated().rows


def test_the_workers_write_per_user_values_into_a_table(session, tmp_path):
    session.sql(f"create schema per_user location '{tmp_path}'")
    try:
        models = {"one": away(session, LISTS), "two": LISTS.head(2)}
        here = evaluated(recommendations={"one": LISTS, "two": LISTS.head(2)})
        evaluated(recommendations={"three": models["one"]}, per_user_table="per_user.quality")
        result = evaluated(recommendations=models, per_user_table="per_user.quality")  # it replaces the rows of the earlier run
        assert (result.rows, result.per_user) == (here.rows, {})
        key = ["model", "user", "measure"]
        written = pl.from_arrow(session.table("per_user.quality").toArrow()).sort(key)
        assert written.equals(pl.from_arrow(here.to_spark(session, per_user=True).toArrow()).sort(key))
        assert written.filter(model="two")["value"].sum() == pytest.approx(sum(row.value * 2 for row in here["two"].values()))
        with pytest.raises(receval.ConfigError, match="this result has no per-user values"):
            result.to_spark(session, per_user=True)
        assert here.to_spark(session).columns == here.values.columns
        away(session, TEST).write.saveAsTable("per_user.ratings")
        with pytest.raises(OutputError, match=r"per_user.ratings has other columns than per-user values \(user, item, rating, …\)"):
            evaluated(recommendations=models, per_user_table="per_user.ratings")
        with pytest.raises(OutputError, match=r"the table nowhere.quality cannot be written: .SCHEMA_NOT_FOUND"):
            evaluated(recommendations={"one": models["one"]}, per_user_table="nowhere.quality")
    finally:
        session.sql("drop schema per_user cascade")


def test_a_frame_whose_own_function_fails_is_named_with_the_error(session, capfd):
    from pyspark.sql.functions import udf

    fails = away(session, LISTS).withColumn("score", udf(lambda score: 1 / 0, "double")("score"))
    with pytest.raises(receval.DataError, match=r"model: pyspark.DataFrame cannot be read: ZeroDivisionError: division by zero"):
        evaluated(recommendations=fails)
    assert capfd.readouterr().err == ""


def test_errors_of_tasks_are_not_logged_while_receval_runs(session):
    log = session._jvm.org.apache.logging.log4j.LogManager
    name = "org.apache.spark.executor.Executor"
    before = str(log.getLogger(name).getLevel())
    with without_logged_errors(SparkSession(session, started=False, is_remote=False)):
        assert str(log.getLogger(name).getLevel()) == "OFF"
    assert str(log.getLogger(name).getLevel()) == before
    assert not log.getContext(False).getConfiguration().getLoggers().containsKey(name)
