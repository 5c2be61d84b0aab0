"""Messages never show a secret: a value of the environment appears as `${NAME}`, and an address without its login."""

from __future__ import annotations

import pytest
from receval.config.masking import masked_options, masked_path
from receval.support.errors import ConfigError, DataError
from receval.support.secrets import collect_values, remember

CONFIG = "data:\n  test: {path: t.csv}\n  recommendations: {m: %s}\nevaluation: {metrics: [MRR]}\n"
SECRET = "hunter2-hunter3"


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("s3://KEY:SEC/RET@bucket/l.csv", "s3://***@bucket/l.csv"),
        ("az://me:hidden@box/l.csv", "az://***@box/l.csv"),
        ("sftp://me:hidden@host/l.csv", "sftp://***@host/l.csv"),
        (" http://me:hidden@host/l.csv", " http://***@host/l.csv"),
        ("http:/me:hidden@host/l.csv?sig=hidden", "http:/***@host/l.csv?***"),
        ("http:me:hidden@host/l.csv;hidden", "http:***@host/l.csv;***"),
        ("me:hidden@host/l.csv", "***@host/l.csv"),
        ("runs/a@b.csv", "runs/a@b.csv"),
        ("C:/runs/a.csv", "C:/runs/a.csv"),
    ],
)
def test_a_login_in_an_address_is_masked_also_in_invalid_addresses(path, shown):
    assert masked_path(path) == shown


def test_an_error_shows_no_login_of_an_address_that_it_quotes():
    for kind in (ConfigError, DataError):
        shown = str(kind("cannot read s3://KEY:SEC/RET@bucket/l.csv, nor https://me:hidden@x/l.csv?sig=hidden"))
        assert shown == "cannot read s3://***@bucket/l.csv, nor https://***@x/l.csv?***"


def test_an_invalid_header_name_is_not_shown():
    assert masked_options({"Bearer hidden": "x", "region": "eu"}) == {"***": "***", "region": "eu"}


@pytest.mark.parametrize(
    "source",
    [
        "{path: l.csv, storage_options: '${TOKEN}'}",
        "{path: l.csv, format: '${TOKEN}'}",
        "'${TOKEN}/lists.csv'",
        "{path: 'http://127.0.0.1:9/l.csv', storage_options: {Authorization: 'Bearer ${TOKEN}'}}",
        "'http://[::1/${TOKEN}.csv'",
    ],
)
@pytest.mark.parametrize("ending", ["", "\n", "\r\nmore of it"])
def test_a_value_of_the_environment_is_in_no_message(source, ending, receval, write, monkeypatch):
    monkeypatch.setenv("TOKEN", SECRET + ending)
    write("t.csv", "user,item\n1,10\n")
    code, out, err = receval("run", write("config.yaml", CONFIG % source))
    assert code in (2, 3)
    assert SECRET not in out + err
    assert "Traceback" not in err


def test_each_line_of_a_value_is_a_secret_but_not_a_word_of_five_letters():
    with collect_values() as own:
        remember("KEY", "first-line-of-a-key\nsecond-line-of-it\n")
        remember("K", "5")
        remember("EMPTY", "")
        remember("WORD", "lists")
    assert own == {"first-line-of-a-key\nsecond-line-of-it": "${KEY}", "first-line-of-a-key": "${KEY}", "second-line-of-it": "${KEY}"}
    assert str(DataError("5 lists, and second-line-of-it")) == "5 lists, and ${KEY}"
