"""The page on Spark has the real output of its commands, if Java is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from receval import load_config

from tests.conftest import ROOT
from tests.test_pages import blocks, home, run_block  # noqa: F401

PAGE = Path("docs/how-to/spark.md")


@pytest.mark.spark
@pytest.mark.slow
def test_the_commands_and_the_code_of_the_spark_page_do_what_it_says(home, spark, spark_session, receval):  # noqa: F811
    spark_session.native.sql(f"create schema spark_page location '{home / 'warehouse'}'")
    spark_session.native.sql("use spark_page")
    variables: dict[str, object] = {}
    try:
        for language, text in blocks(PAGE):
            if language == "console":
                run_block(text, receval)
            if language == "python":
                assert not text.startswith("# not run")
                exec(compile(text, str(PAGE), "exec"), variables)
    finally:
        spark_session.native.sql("use default")
        spark_session.native.sql("drop schema spark_page cascade")


def test_the_configs_of_the_page_are_valid(write):
    whole, engine = (text for language, text in blocks(PAGE) if language == "yaml")
    assert load_config(write("config.yaml", whole)).config.engine.name == "spark"
    sample = (ROOT / "configs" / "quickstart.yaml").read_text("utf-8")
    assert load_config(write("config.yaml", f"{sample}\n{engine}")).config.engine.archives == ("environment.tar.gz#environment",)
    assert re.search(r"^engine: ", (ROOT / "configs" / "spark.yaml").read_text("utf-8"), re.MULTILINE)
