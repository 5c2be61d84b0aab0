"""Huge or endless input ends in seconds, in a result or one sentence."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from time import process_time

import pytest
from receval import load_config, run

from tests.sizes import draws, each_once

CONFIG = "data: {test: t.csv, recommendations: {m: l.csv}}\nevaluation: {metrics: [Recall@2]}\nhealth: off\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder with a config and its files, which is the working folder."""
    for name, content in {"c.yaml": CONFIG, "t.csv": "user,item\n1,10\n2,11\n", "l.csv": "user,item,score\n1,10,2\n2,11,1\n"}.items():
        (tmp_path / name).write_text(content)
    monkeypatch.chdir(tmp_path)
    return tmp_path


COMMANDS = [
    "init PATH",
    "init PATH t.csv",
    "init --from PATH",
    "validate PATH",
    "run PATH",
    "compare PATH",
    "report PATH -o x.md",
    "report c.yaml --template PATH -o x.txt",
    "run c.yaml --plugin PATH",
    "run c.yaml --set evaluation.convention=PATH",
    "baseline set PATH",
]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such files")
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("path", ["pipe", "/dev/zero"])
def test_a_device_or_pipe_is_refused_before_it_is_read(command, path, here, receval, monkeypatch):
    os.mkfifo("pipe")
    monkeypatch.setattr("receval.syntax.yaml_text._PATIENCE", 0.05)
    code, _, err = receval(*command.replace("PATH", path).split())
    assert (code in (2, 3), len(err) < 500) == (True, True), err


def test_a_template_larger_than_a_mebibyte_is_refused(here, receval):
    (here / "big.j2").write_text("x" * 2_000_000)
    code, _, err = receval("report", "c.yaml", "--template", "big.j2", "-o", "x.txt")
    assert (code, "a template may have" in err) == (2, True)


def test_too_many_metrics_are_refused(here, receval):
    (here / "many.yaml").write_text(CONFIG.replace("[Recall@2]", str([f"nDCG@{k}" for k in range(1, 10_002)])))
    code, _, err = receval("validate", "many.yaml")
    assert (code, "at most 10,000 metrics can be listed, not 10,001" in err) == (2, True)


@pytest.mark.release
def test_a_text_of_a_megabyte_in_a_config_is_read_quickly(here, receval):
    for text in ("w" * 1_000_000, "w " * 500_000, "w\n  " * 100_000):
        (here / "long.yaml").write_text(f"{CONFIG}odd: {text}\n")
        begin = time.process_time()
        assert receval("validate", "long.yaml")[0] == 2
        assert time.process_time() - begin < 10


def test_a_config_that_is_too_large_is_refused_also_if_its_limit_cuts_a_character(here, receval):
    (here / "long.yaml").write_text("é" * 3_000_000, "utf-8")
    code, _, err = receval("validate", "long.yaml")
    assert (code, "larger than 4 MiB" in err) == (2, True), err


@pytest.mark.release
def test_init_reads_a_table_of_thousands_of_columns_in_seconds(here, receval):
    rows = [[f"column{n}" for n in range(2_000)], *[[str(n + row) for n in range(2_000)] for row in range(20)]]
    (here / "wide.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    begin = time.process_time()
    assert receval("init", "wide.csv", "t.csv")[0] == 3
    assert time.process_time() - begin < 20


@pytest.mark.release
@pytest.mark.slow
def test_the_time_of_a_model_does_not_grow_with_the_number_of_models(here):
    """Give every model the same bytes, the worst case for the check that looks for equal models."""
    (here / "m").mkdir()

    def seconds(n_models):
        for number in range(n_models):
            (here / "m" / f"m{number:04}.csv").write_text(f"user,item,score\n1,{10 + number % 2},2\n2,11,1\n")
        begin = time.process_time()
        run(load_config({"data": {"test": "t.csv", "recommendations": "m/*.csv"}, "evaluation": {"metrics": ["Recall@2"]}}))
        return time.process_time() - begin

    seconds(5)
    few = seconds(draws(20, 40))
    assert seconds(draws(100, 200)) < 10 * few


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize("limit", [300_000, 600_000, 1_000_000])
def test_a_limit_on_address_space_is_a_machine_error(limit, here):
    program = f"{sys.executable} -m receval.cli"
    command = f"ulimit -v {limit} && {program} --version && exec {program} run c.yaml"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, "ulimit -v" in done.stderr, done.stdout.split()[0]) == (4, True, "receval")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize(("limit", "code"), [(8, 4), (63, 4), (64, 0)])
def test_a_limit_on_open_files_is_a_machine_error_before_a_file_is_called_damaged(limit, code, here):
    command = f"ulimit -n {limit} && exec {sys.executable} -m receval.cli run c.yaml -o out/"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, f"only {limit} files open (ulimit -n)" in done.stderr) == (code, code == 4), done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
@pytest.mark.parametrize(("threads", "code"), [("1", 0), ("2", 0), ("4", 4), ("64", 4)])
def test_more_threads_need_more_address_space(threads, code, here, receval, monkeypatch):
    import resource

    monkeypatch.setattr(resource, "getrlimit", lambda kind: (1_600_000_000, resource.RLIM_INFINITY))
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    assert receval("validate", "c.yaml")[0] == code


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
@pytest.mark.parametrize("given", ["<(sleep 0.3; cat c.yaml)", "- < c.yaml", "- < <(cat c.yaml)", "/dev/stdin < <(cat c.yaml)"])
def test_a_config_may_come_from_a_pipe_of_a_shell(given, here):
    command = f"exec {sys.executable} -m receval.cli run {given} --format csv"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, ",m,Recall@2,Recall,2,mean,,,,,1.0," in done.stdout) == (0, True), done.stderr


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="this system has no folder of files in memory")
def test_paths_of_a_config_below_dev_are_relative_to_its_folder(here, receval, monkeypatch, tmp_path):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for name in ("c.yaml", "t.csv", "l.csv"):
            shutil.copy(name, folder)
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        code, out, err = receval("run", f"{folder}/c.yaml", "--format", "csv")
    assert (code, ",m,Recall@2,Recall,2,mean,,,,,1.0," in out) == (0, True), err


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such pipes")
def test_a_config_from_a_pipe_has_at_most_4_mebibytes(here):
    command = f"exec {sys.executable} -m receval.cli validate <(yes)"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, "larger than 4 MiB" in done.stderr) == (2, True)


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="this system does not list threads there")
@pytest.mark.parametrize(("given", "expected"), [(None, ["1", "True"]), ("7", ["7"])])
def test_numpy_starts_no_threads_unless_the_environment_sets_a_number(given, expected, monkeypatch):
    program = (
        "import os, sys; sys.argv = ['receval', '--version']; from receval.cli.main import main; main(); "
        "import numpy; print(os.environ['OPENBLAS_NUM_THREADS'], len(os.listdir('/proc/self/task')) == 1)"
    )
    monkeypatch.delenv("OPENBLAS_NUM_THREADS")
    if given is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert done.stdout.split()[2:][: len(expected)] == expected, done.stderr


@pytest.mark.parametrize("threads", ["0", "-1", "four", "1e3", "4 ", "100000", "18446744073709551617", "\u0664"])
def test_a_number_of_threads_that_polars_cannot_start_is_refused_before_polars_is_imported(threads, monkeypatch, write, receval):
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    write("lists.csv", "user,item\n1,7\n")
    code, out, err = receval("run", "--test", "lists.csv", "--recs", "a=lists.csv", "-m", "Recall@5")
    assert (code, out) == (2, "")
    assert err.startswith(f"receval: the environment variable POLARS_MAX_THREADS is {threads!r}, but must be a whole number from 1 to ")
    assert receval("run", "--help")[0] == 0


@pytest.mark.parametrize("threads", ["", "1", "1024"])
def test_other_numbers_of_threads_are_taken(threads, monkeypatch, tmp_path, write, receval):
    monkeypatch.setenv("POLARS_MAX_THREADS", threads)
    lists = write("lists.csv", "user,item\n1,7\n")
    assert receval("run", "--test", lists, "--recs", f"a={lists}", "-m", "Recall@5")[0] == 0


@pytest.mark.release
@pytest.mark.parametrize("above", ["", "evaluation: {metrics: [Recall], top_k: [5]}\n"])
def test_thousands_of_unknown_keys_take_seconds(above, write, receval):
    n_keys = draws(2_000, 20_000)
    keys = "".join(f"{'  ' * (not above)}unknown_key_{index}: 1\n" for index in range(n_keys))
    inside = above or "evaluation:\n  metrics: [Recall]\n  top_k: [5]\n"
    config = write("c.yaml", f"data: {{test: t.csv, recommendations: {{a: t.csv}}}}\n{inside}{keys}")
    start = process_time()
    code, _, err = receval("validate", config)
    assert code == 2
    assert "more like these" in err
    assert process_time() - start < n_keys / 1000


@pytest.mark.release
@pytest.mark.parametrize(("names", "ids"), each_once(["c{}", "c"], ["user,item", "uu,ii"]))
def test_many_thousand_columns_take_seconds(names, ids, write, receval):
    n_columns = draws(10_000, 100_000)
    header = ",".join(names.format(index) for index in range(n_columns))
    lists = write("lists.csv", "".join((f"{ids},rank,{header}\n", *(f"1,{item},{item}{',1' * n_columns}\n" for item in (1, 2)))))
    start = process_time()
    code, _, err = receval("run", "--test", lists, "--recs", f"a={lists}", "-m", "Recall@5", "-q", "--set", "health=off")
    assert code == (0 if ids == "user,item" else 3), err
    assert process_time() - start < n_columns / 3333
