"""Any bytes of a data file or a config give values or one sentence: no traceback, no hang, no flood of memory.

Forty files and forty configs are tried, always the same ones, and a hundred of each before a release.
`RECEVAL_FUZZ_SECONDS=600 RECEVAL_FUZZ_SEED=7 pytest tests/load/test_fuzz.py` tries more, with another seed.
"""

from __future__ import annotations

import gzip
import io
import os
import random
import resource
import signal
import time
from collections.abc import Callable

import polars as pl
import pytest
from receval import Loaded, Result, load_config, run
from receval.evaluation.describing import describe
from receval.studies.auditing import audit
from receval.studies.explaining import explain
from receval.support.errors import RecevalError

from tests.conftest import CONFIGS
from tests.load.conftest import LISTS, TEST
from tests.sizes import draws

SECONDS = float(os.environ.get("RECEVAL_FUZZ_SECONDS", "0"))
LEAST = draws(40, 100)
"""Number of inputs that are tried in any case, even if time is up."""
SEED = int(os.environ.get("RECEVAL_FUZZ_SEED", "1"))
LONGEST = 30
"""Seconds after which a single input counts as a hang; long, because the machine may be busy."""
MEMORY = 2 << 30
"""Bytes by which the process may grow."""

FRAME = pl.DataFrame(LISTS, schema=["user", "item", "score"], orient="row")
TEXTS = FRAME.select(pl.format("user-{}", "user").alias("user"), pl.format("item-{}", "item").alias("item"), "score")
NESTED = FRAME.group_by("user", maintain_order=True).agg("item", "score")


def binary(frame: pl.DataFrame, method: str) -> bytes:
    file = io.BytesIO()
    getattr(frame, method)(file)
    return file.getvalue()


CSV = binary(FRAME, "write_csv")
FILES = {
    "a.csv": CSV,
    "b.csv": b'user;item;score\r\n1;10;0,9\r\n"1";99;0,8\r\n2;"98";NA\r\n',
    "c.csv": b'1,"[10, 99]","[0.9, 0.8]"\n2,"[98, 12]","[0.7, 0.6]"\n',
    "d.tsv": b"user_id:token\titem_id:token\tscore:float\n1\t10\t0.9\n2\t12\t0.8\n",
    "e.dat": b"1::10::5\n1::11::4\n2::12::3\n",
    "f.run": b"1 Q0 10 1 0.9 t\n1  Q0 99\t2 0.8 t\n2 Q0 12 1 0.7 t\n",
    "g.ndjson": binary(FRAME, "write_ndjson"),
    "h.ndjson": binary(NESTED, "write_ndjson"),
    "i.csv.gz": gzip.compress(CSV),
    "i.ndjson.gz": gzip.compress(binary(FRAME, "write_ndjson")),
    "j.parquet": binary(FRAME, "write_parquet"),
    "k.parquet": binary(NESTED, "write_parquet"),
    "l.arrow": binary(FRAME, "write_ipc"),
    "m.arrow": binary(NESTED, "write_ipc"),
    "n": CSV,
    "o.parquet": binary(TEXTS, "write_parquet"),
    "p.arrow": binary(TEXTS, "write_ipc"),
    "q.arrows": binary(TEXTS, "write_ipc_stream"),
}
TOKENS = [
    b",", b";", b"\t", b"::", b"|", b" ", b'"', b"'", b"\n", b"\r", b"\r\n", b"\x00", b"\xff", b"\xef\xbb\xbf", b"\xff\xfe", b"NA", b"nan",
    b"inf", b"-", b"1e999", b"99999999999999999999", b"0", b"[", b"]", b"{", b"}", b"[[", b"null", b"Q0", b"user", b"item", b"\xc3\xa9",
    b"\xe9", b":", b"#", b"&a", b"*a", b"- ", b"!!python/object:os.system", b"${HOME}", b"${", b"<<: ", b"? ", b"path: ", b"1_000", b"0x1F",
    b"true", b"~", b"nDCG(", b")@", b"../", b"*.csv", b"[" * 2000, b"9" * 400, b"a" * 70000,
]  # fmt: skip


SAID = [
    "", "", "", "split: ' '", "split: ','", "encoding: latin-1", "encoding: utf-16", "null_values: [NA, '1']", "decimal_comma: true",
    "separator: '::'", "separator: ', '", "header: false", "header: true", "format: trec", "format: tsv", "format: ndjson",
    "format: parquet", "format: ipc", "format: delta", "columns: {user: 1, item: 2}", "columns: {user: item, item: user}",
]  # fmt: skip
"""Read options of a source in a config."""


def config_of(role: str, name: str, message: str) -> str:
    """Return a config that reads the file `name` with the read options in `said`."""
    source = f"{{path: {name}, {message}}}" if message else name
    test, lists = ("test.csv", source) if role == "recommendations" else (source, "lists.csv")
    return f"data: {{test: {test}, recommendations: {{m: {lists}}}}}\nevaluation: {{metrics: [Recall]}}\n"


def mutate(content: bytes, chance: random.Random) -> bytes:
    """Return `content` with a few bytes changed, removed, repeated, or replaced by typical parts of files."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.choice((1, 2, 8, 64)))
        match chance.randrange(6):
            case 0:
                data[at:to] = b""
            case 1:
                data[at:at] = chance.choice(TOKENS)
            case 2:
                data[at:to] = chance.choice(TOKENS)
            case 3:
                data[at:to] = bytes(chance.randrange(256) for _ in range(to - at))
            case 4:
                data[at:at] = data[at:to] * chance.choice((1, 2, 50))
            case 5 if chance.random() < 0.3:
                data = data[:at]
    return bytes(data)


def fuzz(seeds: dict[str, bytes], attempt: Callable[[str, bytes], None]) -> None:
    """Try `attempt` on mutated `seeds`, `LEAST` times and as long as there is time; fail on any error that is not a sentence."""
    chance = random.Random(SEED)
    end, tried = time.monotonic() + SECONDS, 0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    while tried < LEAST or time.monotonic() < end:
        name = chance.choice(sorted(seeds))
        content = mutate(seeds[name], chance)
        signal.alarm(LONGEST)
        try:
            attempt(name, content)
        except RecevalError:
            pass
        except BaseException as error:
            raise AssertionError(f"{name}: {content!r} gave {type(error).__name__}: {error}") from error
        finally:
            signal.alarm(0)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before
        assert grown < MEMORY, (name, content)
        tried += 1


def refusal(call: Callable[[], object]) -> RecevalError | None:
    try:
        call()
    except RecevalError as error:
        return error
    return None


def assert_commands_agree(config: Loaded) -> None:
    """Run every command that reads the files of a config: all refuse the same files; only `check` and `describe` may still report."""
    refused = refusal(lambda: run(config))
    explained = refusal(lambda: explain(config, "Recall@10", "1"))
    audited = refusal(lambda: audit(config))
    told: list[Result] = []
    checked = refusal(lambda: told.append(run(config, tolerant=True)))
    described = refusal(lambda: describe(config))
    if refused is None:
        assert checked is None, checked
        assert described is None, described
        assert explained is None or "no file contains the user" in explained.message, explained
        assert audited is None or ("in common" in audited.message and told[0].failed()), audited
    else:
        assert explained is not None, refused
        assert audited is not None, refused
        assert checked is not None or told[0].failed(), refused
        assert checked is None or described is not None, (refused, checked)


@pytest.mark.slow
@pytest.mark.parametrize("role", ["recommendations", "test"])
def test_any_bytes_of_a_data_file_give_values_or_one_sentence(role, write, tmp_path):
    write("test.csv", TEST)
    write("lists.csv", CSV)

    choice = random.Random(SEED)

    def attempt(name: str, content: bytes) -> None:
        path = write(name, content)
        write("config.yaml", config_of(role, name, choice.choice(SAID)))
        try:
            assert_commands_agree(load_config(tmp_path / "config.yaml")) if choice.random() < 0.3 else run(
                load_config(tmp_path / "config.yaml")
            )
        finally:
            path.unlink()

    fuzz(FILES, attempt)


@pytest.mark.slow
def test_any_bytes_of_a_config_give_a_config_or_one_sentence(write, tmp_path):
    def attempt(name: str, content: bytes) -> None:
        load_config(write(name, content))

    fuzz({path.name: path.read_bytes() for path in sorted(CONFIGS.glob("*.yaml"))}, attempt)
