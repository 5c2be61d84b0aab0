"""Without Spark or Java, the run ends with exit code 4 and names what to install."""

from __future__ import annotations

import builtins

import pytest
from receval.support.extras import install_command


@pytest.fixture
def spark_config(sample):
    return sample / "spark.yaml"


def test_without_pyspark_the_extra_is_named(receval, spark_config, monkeypatch):
    original = builtins.__import__

    def no_pyspark(name, *arguments, **keywords):
        if name.partition(".")[0] == "pyspark":
            raise ImportError(name)
        return original(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", no_pyspark)
    code, out, err = receval("run", spark_config)
    assert (code, out) == (4, "")
    assert install_command("spark") in err


def test_without_java_java_17_is_named(receval, spark_config, monkeypatch):
    pytest.importorskip("pyspark", reason="the spark extra is not installed")
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    code, out, err = receval("run", spark_config)
    assert (code, out) == (4, "")
    assert "Java 17" in err
