"""Any command line ends in a result or in sentences: no internal error, no traceback, no hang, no changed input, no line of foreign commands.

Three hundred whole commands are tried, always the same ones: a subcommand with any of its options, a config made from the schema, outputs
that exist, plug-ins that misbehave. `RECEVAL_COMMANDS=5000 RECEVAL_COMMANDS_SEED=7 pytest tests/commands` tries more, with another seed.
A failure prints its number: `RECEVAL_COMMANDS_ONLY=NUMBER` tries it alone.
"""

from __future__ import annotations

import io
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.commands.place import PLUGINS, Snapshot, inputs_of, write_drawn, write_place
from tests.commands.words import Line, commands, line

N: Final = int(os.environ.get("RECEVAL_COMMANDS", "300"))
SEED: Final = int(os.environ.get("RECEVAL_COMMANDS_SEED", "1"))
ONLY: Final = os.environ.get("RECEVAL_COMMANDS_ONLY")
_PER_PLACE: Final = 50
_SECONDS: Final = 60
_CODES: Final = frozenset((0, 1, 2, 3, 4))
_ENDS_AT_ONCE: Final = frozenset(name for name in PLUGINS if name.endswith("_at_once"))
_MISBEHAVES: Final = frozenset(PLUGINS) - {"Counts"}
_EVERY: Final = list(commands())
KNOWN: Final[tuple[str, ...]] = ()
"""Parts of problems that are known and not yet corrected."""
STDIN: Final = b"user,item,score\n1,1,1\n"


class Hangs(BaseException):
    """Raised in a command that takes too long."""


def _stop(number: int, frame: object) -> None:
    raise Hangs


def in_process(receval: Callable[..., Any], words: list[str], monkeypatch: pytest.MonkeyPatch) -> tuple[int, str, str]:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(STDIN)))
    before = signal.signal(signal.SIGALRM, _stop)
    signal.alarm(_SECONDS)
    try:
        code, out, err = receval(*words)
    except SystemExit as ended:
        return -1, "", f"SystemExit {ended.code}"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    return code, out, err


def as_process(words: list[str]) -> tuple[int, str, str]:
    given = [word.encode("utf-8", "surrogateescape") for word in words]
    try:
        done = subprocess.run([sys.executable, "-m", "receval", *given], input=STDIN, capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return -1, "", "hangs"
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")


def problems(made: Line, code: int, out: str, err: str, changed: set[str], inputs: set[str]) -> Iterator[str]:
    """Yield everything that is wrong with the end of a command."""
    words, text = made.words, out + err
    if code not in _CODES:
        yield f"exit code {code}"
    if "Traceback" in text or "panicked at" in text or "Hangs" in text or "hangs" == err:
        yield "a traceback or a hang"
    if touched := sorted(changed & inputs):
        yield f"changed inputs: {touched}"
    folders = [word.partition("=")[2] or word for word in made.inputs]
    if added := sorted(name for name in changed - inputs if os.path.dirname(name) in {one.strip("/") for one in folders} - {""}):
        yield f"new files in inputs: {added}"
    is_github, is_csv = "github" in words, {"csv", "wide-csv", "--per-user"} & set(words)  # a cell of CSV may have lines
    if lines := [one for one in (err if is_csv else text).splitlines() if one.startswith("::") and not (is_github and one.partition("title=")[2])]:
        yield f"a line of commands: {lines[0][:80]!r}"
    if code == 0 and not changed and not text and not {"-q", "--quiet"} & set(words) and not made.outputs:
        yield "exit code 0 and nothing else"
    if code == 0 and _ENDS_AT_ONCE & set(made.plugins) and not {"--help", "-h"} & set(words):
        yield "a plug-in that ends the process ended with 0"
    if code == 0 and words[0] == "run" and _MISBEHAVES & set(made.plugins) and not {"--help", "--print-config"} & set(words):
        yield "a metric that fails ended with 0"
    if len(err) > 20_000:
        yield f"{len(err):,} characters of messages"


@pytest.mark.slow
def test_every_command_ends_in_a_result_or_in_sentences_and_changes_no_input(
    receval: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")
    found: list[str] = []
    ended, codes, slowest = Counter[str](), Counter[int](), Counter[str]()
    snapshot = None
    for number in range(N) if ONLY is None else (int(ONLY),):
        if snapshot is None or number % _PER_PLACE == 0:
            folder = tmp_path / f"{number // _PER_PLACE}" / "place"
            folder.mkdir(parents=True)
            monkeypatch.chdir(folder)
            write_place(folder, random.Random(f"{SEED} {number // _PER_PLACE}"))
        chance = random.Random(f"{SEED} {number} command")
        write_drawn(folder, chance)
        snapshot = Snapshot(folder)
        made = line(chance, _EVERY)
        is_process = bool(made.plugins) or chance.random() < 0.03
        started = time.monotonic()
        code, out, err = as_process(made.words) if is_process else in_process(receval, made.words, monkeypatch)
        slowest[" ".join(made.command)] += time.monotonic() - started  # type: ignore[assignment]
        os.chdir(folder)
        changed = snapshot.changed()
        wrong = list(problems(made, code, out, err, changed, inputs_of(folder, made.inputs, snapshot.files)))
        snapshot.restore()
        codes[code] += 1
        if os.environ.get("RECEVAL_COMMANDS_LOG"):
            with open(os.environ["RECEVAL_COMMANDS_LOG"], "a") as log: log.write(f"{number} {code} {shlex.join(made.words)[:300]!r} {err[-250:] if code else ''!r}\n")
        ended[" ".join(made.command)] += code == 0
        if wrong and not any(part in problem for part in KNOWN for problem in wrong):
            shown = shlex.join(made.words)[:3000]
            found.append(f"number {number} of seed {SEED}: {'; '.join(wrong)}\n  cd {folder}; receval {shown}\n{err[-1500:]}")
    if os.environ.get("RECEVAL_COMMANDS_SHOW"):
        sys.stderr.write(f"{codes} {ended} {slowest.most_common()}\n")
        Path(os.environ["RECEVAL_COMMANDS_SHOW"]).write_text("\n".join([f"{codes} {ended} {slowest.most_common()}", *found]), errors="backslashreplace")
    assert not found, f"{len(found)} of {N} commands:\n" + "\n".join(found[:10])
    if ONLY is None:
        assert codes[0] > N / 3, codes
        assert {" ".join(words) for words, _ in _EVERY} == {name for name, n in ended.items() if n}, ended
