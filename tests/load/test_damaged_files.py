"""Typed files with a changed byte give one sentence or values; Arrow streams are read like files."""

from __future__ import annotations

import os
import random

import numpy as np
import polars as pl
import pytest
from receval import evaluate, load_config, run
from receval.evaluation.describing import describe
from receval.support.errors import DataError

from tests.sizes import FULL, draws

N = int(os.environ.get("RECEVAL_DAMAGES", draws(5, 20)))
SEED = int(os.environ.get("RECEVAL_FUZZ_SEED", "1"))
ROWS = range(300)
LISTS = pl.DataFrame(
    {
        "user": [f"user-{n // 10:03}" for n in ROWS],
        "item": [f"item-{n * 7 % 97}" for n in ROWS],
        "score": [1 - n % 10 / 20 for n in ROWS],
    }
)
TEST = pl.DataFrame({"user": LISTS["user"], "item": [f"item-{n * 3 % 97}" for n in ROWS], "rating": [float(n % 5 + 1) for n in ROWS]})
WRITERS = {
    "zstd.parquet": lambda frame, path: frame.write_parquet(path),
    "snappy.parquet": lambda frame, path: frame.write_parquet(path, compression="snappy"),
    "plain.parquet": lambda frame, path: frame.write_parquet(path, compression="uncompressed", use_pyarrow=False),
    "zstd.arrow": lambda frame, path: frame.write_ipc(path, compression="zstd"),
    "plain.arrow": lambda frame, path: frame.write_ipc(path),
    "stream.arrows": lambda frame, path: frame.write_ipc_stream(path, compression="lz4"),
}


@pytest.fixture
def write_files(tmp_path, monkeypatch):
    """Return a function that writes lists, test rows and their config."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RECEVAL_DEBUG", "0")  # like the command line

    def write_files(lists, test):
        WRITERS[lists](LISTS, f"l-{lists}")
        WRITERS[test](TEST, f"t-{test}")
        path = tmp_path / "c.yaml"
        path.write_text(f"data: {{test: t-{test}, recommendations: {{m: l-{lists}}}}}\nevaluation: {{metrics: [Recall@2, nDCG@5]}}\n")
        return path

    return write_files


def refused(use, config):
    """Return the message with which a config is refused; empty if it is not."""
    try:
        use(load_config(config))
    except DataError as error:
        return str(error)
    return ""


@pytest.mark.each_once
@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("role", ["l", "t"])
def test_a_changed_byte_gives_a_sentence_or_values(name, role, write_files):
    config, chance = write_files(name, name), random.Random(SEED)
    whole = (config.parent / f"{role}-{name}").read_bytes()
    n_refused = 0
    for _ in range(N):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
        (config.parent / f"{role}-{name}").write_bytes(damaged)
        for use in (run, describe):
            sentence = refused(use, config)
            assert any(part in sentence for part in (f"{role}-{name}", "in common")) or not sentence
            n_refused += bool(sentence)
    assert n_refused or (not FULL and "plain" in name)  # few of its bytes are part of a structure


def test_text_that_cannot_be_decompressed_is_refused_when_its_types_are_detected(write_files):
    """Damage ids, whose text is read before the rows: even this first read must fail with one sentence."""
    config = write_files("zstd.parquet", "zstd.parquet")
    path = config.parent / "l-zstd.parquet"
    damaged = bytearray(path.read_bytes())
    start = damaged.index(b"\x28\xb5\x2f\xfd")  # the first bytes of a Zstandard frame
    damaged[start + 4 : start + 12] = bytes(8)
    path.write_bytes(damaged)
    with pytest.raises(
        DataError, match=r"recommendations.m: .*l-zstd.parquet: not a readable parquet file .*\n  check that it is complete"
    ):
        run(load_config(config))


@pytest.mark.parametrize("lists", ["plain.arrow", "stream.arrows"])
def test_a_stream_has_the_values_of_a_file(lists, write_files):
    values = {row.label: row.value for row in run(load_config(write_files(lists, "stream.arrows"))).rows}
    assert values == {row.label: row.value for row in run(load_config(write_files("zstd.parquet", "zstd.parquet"))).rows}
    assert values["Recall@2"] > 0


@pytest.mark.parametrize("name", ["l.arrow", "l.feather", "l", "l.gold"])
def test_a_stream_is_recognised_by_its_first_bytes_under_any_name(name, tmp_path, write_files, receval):
    write_files("stream.arrows", "plain.arrow")
    (tmp_path / "l-stream.arrows").rename(tmp_path / name)
    (tmp_path / "c.yaml").write_text(
        f"data: {{test: t-plain.arrow, recommendations: {{m: {name}}}}}\nevaluation: {{metrics: [Recall@2]}}\n"
    )
    code, out, err = receval("run", "c.yaml", "--format", "csv", "--set", "health=off")
    assert (code, out.count("\n")) == (0, 2), err


def test_init_reads_streams_too(write_files, receval):
    write_files("stream.arrows", "stream.arrows")
    code, out, err = receval("init", "l-stream.arrows", "t-stream.arrows")
    assert (code, "l-stream: l-stream.arrows" in out, "test: t-stream.arrows" in out) == (0, True, True), err


def test_a_truncated_stream_is_refused(write_files):
    config = write_files("stream.arrows", "plain.arrow")
    path = config.parent / "l-stream.arrows"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(DataError, match=r"recommendations.m: .*l-stream.arrows: not a readable Arrow stream"):
        run(load_config(config))


def test_a_damaged_train_file_for_mask_seen_is_refused_in_one_sentence(tmp_path):
    pl.DataFrame({"user": [0, 1, 1], "item": [0, 1, 2]}).write_parquet(tmp_path / "train.parquet")
    damaged = bytearray((tmp_path / "train.parquet").read_bytes())
    start = damaged.index(b"\x28\xb5\x2f\xfd")
    damaged[start + 4 : start + 12] = bytes(8)
    (tmp_path / "train.parquet").write_bytes(damaged)
    scores = np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])
    with pytest.raises(DataError, match=r"train.parquet cannot be read: "):
        evaluate(test={0: [1], 1: [0]}, recommendations=scores, train=tmp_path / "train.parquet", mask_seen=True, metrics="HitRate@1")
