"""Errors of Spark become errors of receval; these tests need no Spark."""

from __future__ import annotations

import pytest
from receval.engines.spark.spark_errors import translate_error
from receval.load.scan import ReadError
from receval.support.errors import ConfigError, DataError, MissingExtraError


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("Traceback (most recent call last):\n  …\nModuleNotFoundError: No module named 'polars'", MissingExtraError),
        ("[PACKAGE_NOT_INSTALLED] PyArrow >= 18 must be installed", MissingExtraError),
        ("[PYTHON_VERSION_MISMATCH] Python in worker has different version", MissingExtraError),
        (
            "Traceback (most recent call last):\nreceval.engines.spark.versions.OtherVersions: the Spark workers have receval 0",
            MissingExtraError,
        ),
        ("Traceback (most recent call last):\nreceval.load.scan.ReadError: bad number", ReadError),
        ("Traceback (most recent call last):\nreceval.support.errors.DataError: data.items: column kind: there is no group 'x'", DataError),
        ('Traceback (most recent call last):\n  File "/lib/receval/engines/spark/workers.py", line 3, in _part\nKeyError: 3', RuntimeError),
        ('Traceback (most recent call last):\n  File "/home/me/features.py", line 3, in scaled\nKeyError: 3', ReadError),
        ("[FAILED_READ_FILE] Error while reading file", ReadError),
    ],
)
def test_errors_of_spark_become_errors_of_receval(message, kind):
    assert isinstance(translate_error(Exception(message)), kind)


def test_an_interruption_that_another_error_hides_is_raised_again():
    try:
        try:
            raise KeyboardInterrupt
        finally:
            raise ConnectionError("the answer was not read")
    except ConnectionError as error:
        with pytest.raises(KeyboardInterrupt):
            translate_error(error)


def test_the_failure_of_a_plugin_on_a_worker_is_an_error_of_the_config():
    failure = "receval.support.errors.ConfigError: the metric Mine failed: it ended the program with sys.exit(0)"
    text = f"Traceback (most recent call last):\n{failure}\n"
    translated = translate_error(Exception(text))
    assert (type(translated), str(translated)) == (ConfigError, "the metric Mine failed: it ended the program with sys.exit(0)")
