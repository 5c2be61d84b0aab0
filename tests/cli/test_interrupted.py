"""An interrupted program prints a word at most, and leaves nothing behind."""

from __future__ import annotations

import http.server
import os
import signal
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from receval.engines.spark import shuffle
from receval.engines.spark.session import SparkSession
from receval.engines.spark.shuffle import measure_on_spark


class Interrupting(http.server.BaseHTTPRequestHandler):
    """Sends this process the signal in the path, instead of an answer."""

    def log_message(self, format: str, *arguments: object) -> None:
        pass

    def do_GET(self) -> None:
        os.kill(os.getpid(), signal.Signals[self.path.split("/")[1]])
        time.sleep(0.5)


@pytest.fixture
def web() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Interrupting)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("name", "code", "message"), [("SIGTERM", 143, ""), ("SIGHUP", 129, ""), ("SIGINT", 130, "receval: interrupted\n")]
)
def test_a_signal_ends_the_program_quietly_and_tidily(name, code, message, web, receval, write, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    write("test.csv", "user,item\n1,10\n")
    evaluation = "{convention: receval, metrics: [MRR]}"
    config = f"data: {{test: test.csv, recommendations: {{m: '{web}/{name}/l.csv'}}}}\nevaluation: {evaluation}\n"
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    old = write("old.csv", "of an earlier run\n")
    assert receval("run", write("config.yaml", config), "-o", f"{tmp_path}/out/", "-o", old) == (code, "", message)
    assert list(Path(scratch).iterdir()) == []
    assert not (tmp_path / "out").exists()
    assert Path(old).read_text() == "of an earlier run\n"
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before


def test_a_program_under_nohup_goes_on_after_sighup(web, receval, write):
    write("test.csv", "user,item\n1,10\n")
    config = f"data: {{test: test.csv, recommendations: {{m: '{web}/SIGHUP/l.csv'}}}}\nevaluation: {{metrics: [MRR]}}\n"
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        code, _, err = receval("run", write("config.yaml", config))
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (code, "l.csv" in err) == (3, True), "the server answers nothing, and the run ends with a sentence on that"


@pytest.mark.spark
def test_spark_does_not_handle_the_interruption_itself(spark):
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_spark_that_was_ended_from_outside_is_closed_silently(capfd, recwarn):
    class Gone:
        def stop(self) -> None:
            raise ConnectionRefusedError

    SparkSession(Gone(), started=True, is_remote=False).close()
    assert capfd.readouterr() == ("", "")
    assert list(recwarn) == []


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize(("name", "code", "word"), [("SIGTERM", 143, ""), ("SIGINT", 130, "receval: interrupted\n")])
def test_a_signal_during_a_pass_on_spark_ends_quietly(name, code, word, receval, spark, sample, monkeypatch, tmp_path):
    def interrupted(*arguments, **options):
        threading.Timer(0.5, os.kill, (os.getpid(), signal.Signals[name])).start()
        return measure_on_spark(*arguments, **options)

    monkeypatch.setattr(shuffle, "measure_on_spark", interrupted)
    engine = ("--set", "engine.name=spark", "--set", "engine.master=local[2]")
    assert receval("run", sample / "quickstart.yaml", *engine, "-o", f"{tmp_path}/out/") == (code, "", word)
    assert not list(tmp_path.glob("out/*"))
