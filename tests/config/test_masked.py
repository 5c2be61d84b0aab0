"""Secrets of the data section are masked: addresses and `storage_options` in printed and stored configs."""

from __future__ import annotations

import pytest
import yaml
from receval import load_config
from receval.support.errors import ConfigError

SHOWN = {
    "region": "us-east-1",
    "AWS_REGION": "eu-west-1",
    "endpoint_url": "http://127.0.0.1:9000",
    "timeout": "30s",
    "allow_http": "true",
    "azure_storage_account_name": "lists",
    "account_name": "data",
    "Accept-Language": "en",
    "proxy_url": "http://***@x:80/way?***",
    "Referer": "https://here.org/page#***",
    "endpoint": "***",
    "aws_secret_access_key": "***",
    "access_key_url": "***",
    "X-Session": "***",
    "pin": "***",
}
"""Form in which each option of `GIVEN` is shown."""
GIVEN = SHOWN | {
    "proxy_url": "http://me:hidden@x:80/way?sig=hidden",
    "Referer": "https://here.org/page#token=hidden",
    "endpoint": "me:hidden@x:80",
    "aws_secret_access_key": "hidden",
    "access_key_url": "https://x/hidden",
    "X-Session": "hidden",
    "pin": "hidden",
}


def test_only_options_known_to_be_harmless_are_shown(write):
    data = {"test": {"path": "t.csv", "storage_options": GIVEN}, "recommendations": {"m": "r.csv"}}
    loaded = load_config(write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": ["MRR"]}})))
    assert loaded.resolved()["data"]["test"]["storage_options"] == SHOWN
    assert "hidden" not in loaded.resolved_yaml()
    assert dict(loaded.config.data.test.storage) == GIVEN


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("https://me:hidden@x.org/a/l.csv?sig=hidden#hidden", "https://***@x.org/a/l.csv?***"),
        ("HTTPS://me@x.org/l@1.csv", "HTTPS://***@x.org/l@1.csv"),
        ("https://x.org/l.csv#hidden", "https://x.org/l.csv#***"),
        ("s3://lists/part-?.parquet", "s3://lists/part-?.parquet"),
        ("abfss://lists@data.dfs.core.windows.net/l.csv", "abfss://lists@data.dfs.core.windows.net/l.csv"),
        ("runs/l?.csv", "runs/l?.csv"),
    ],
)
def test_a_path_is_shown_without_the_user_and_the_query_of_a_web_address(path, shown, write):
    data = {"test": "t.csv", "recommendations": {"m": path}}
    loaded = load_config(write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": ["MRR"]}})))
    assert loaded.resolved()["data"]["recommendations"]["m"]["path"] in (shown, [shown], (shown,))


def test_print_config_shows_no_password_of_a_proxy(write, receval):
    data = {"test": {"path": "t.csv", "storage_options": {"proxy_url": "http://me:PW@x"}}, "recommendations": {"m": "r.csv"}}
    path = write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": ["MRR"]}}))
    code, out, err = receval("run", path, "--print-config")
    assert code == 0, err
    assert "http://***@x" in out
    assert "PW" not in out + err


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("postgresql://me:hidden@h:5432/shop", "postgresql://***@h:5432/shop"),
        ("postgresql://h/shop?user=me&password=hidden", "postgresql://h/shop?***"),
        ("sqlite:///shop.db", "sqlite:///shop.db"),
    ],
)
def test_the_address_of_a_database_is_shown_without_its_user_and_options(uri, shown, write):
    data = {"test": "t.csv", "recommendations": {"m": {"uri": uri, "query": "select 1"}}}
    loaded = load_config(write("config.yaml", yaml.safe_dump({"data": data, "evaluation": {"metrics": ["MRR"]}})))
    assert loaded.resolved()["data"]["recommendations"]["m"]["uri"] == shown
    assert "hidden" not in loaded.resolved_yaml()
    assert loaded.config.data.recommendations["m"].uri == uri


@pytest.mark.parametrize("given", ["postgresql://me:hidden@h/x", "postgresql://me:hid@den@h/x", "postgresql://h/x?password=hidden&a=b"])
def test_values_of_set_are_repeated_without_secrets(given, write):
    config = write("config.yaml", "data: {test: t.csv, recommendations: {m: r.csv}}\nevaluation: {metrics: [MRR]}\n")
    with pytest.raises(ConfigError) as error:
        load_config(config, [f"data.recommendations={{m: {{uri: '{given}'}}}}"])
    assert "give uri and query together" in str(error.value)
    assert "hid" not in str(error.value)
