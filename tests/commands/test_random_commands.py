"""Any command line ends in a result or in sentences: no internal error, no traceback, no hang, no changed input, no line of CI commands.

Sixty whole commands are tried, always the same ones: a subcommand with any of its options, a config made from the schema, outputs
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
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.commands.place import PLUGINS, Snapshot, inputs_of, write_drawn, write_place
from tests.commands.words import Line, commands, line
from tests.sizes import draws

N: Final = int(os.environ.get("RECEVAL_COMMANDS", draws(60, 1000)))
SEED: Final = int(os.environ.get("RECEVAL_COMMANDS_SEED", "1"))
ONLY: Final = os.environ.get("RECEVAL_COMMANDS_ONLY")
_PER_PLACE: Final = 50
_SECONDS: Final = 60
_PROCESSES: Final = 0.02
"""Share of the commands that are processes of their own."""
_CODES: Final = frozenset((0, 1, 2, 3, 4))
_AT_ONCE: Final = frozenset(name for name in PLUGINS if name.endswith("_at_once"))
_ENDS: Final = frozenset(name for name, text in PLUGINS.items() if "exit" in text.lower())
"""Plug-ins that end the process."""
_EVERY: Final = list(commands())
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
    words, text, plugins = made.words, out + err, set(made.plugins)
    about = "a plug-in " if plugins & _ENDS else ""
    if code not in _CODES:
        yield f"{about}exit code {code}"
    if "Traceback" in text or "panicked at" in text or err == "hangs":
        yield f"{about}a traceback or a hang"
    if touched := sorted(changed & inputs):
        yield f"changed inputs: {touched}"
    folders = {(word.partition("=")[2] or word).strip("/") for word in made.inputs} - {""}
    if added := sorted(name for name in changed - inputs if os.path.dirname(name) in folders):
        yield f"new files in inputs: {added}"
    # A cell of CSV may have lines; a command for GitHub is one if its title follows.
    lines = (err if {"csv", "wide-csv", "--per-user"} & set(words) else text).splitlines()
    if of_ci := [
        output_line for output_line in lines if output_line.startswith("::") and not ("github" in words and "title=" in output_line)
    ]:
        yield f"a line of commands: {of_ci[0][:80]!r}"
    is_whole = not {"--help", "-h", "--print-config"} & set(words)
    if code == 0 and not (changed or text or made.outputs or {"-q", "--quiet"} & set(words)):
        yield f"{about}exit code 0 and nothing else"
    if code == 0 and is_whole and (plugins & _AT_ONCE or (words[0] == "run" and plugins - {"Counts"})):
        yield "a plug-in that fails ended with 0"
    if len(err) > 20_000:
        yield f"{len(err):,} characters of messages"


@pytest.mark.slow
def test_every_command_ends_in_a_result_or_in_sentences_and_changes_no_input(
    receval: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")
    found, ended, codes = list[str](), Counter[str](), Counter[int]()
    for number in range(2 * N) if ONLY is None else (int(ONLY),):
        # After N commands only those follow that none of them ended well.
        drawn = _EVERY if number < N else [(words, options) for words, options in _EVERY if not ended[" ".join(words)]]
        if not drawn:
            break
        if number % _PER_PLACE == 0 or ONLY is not None:
            folder = tmp_path / f"{number // _PER_PLACE}" / "place"
            folder.mkdir(parents=True)
            monkeypatch.chdir(folder)
            write_place(folder, random.Random(f"{SEED} {number // _PER_PLACE}"))
        chance = random.Random(f"{SEED} {number} command")
        write_drawn(folder, chance)
        made, snapshot = line(chance, drawn), Snapshot(folder)
        is_process = bool(made.plugins) or chance.random() < _PROCESSES  # plug-ins stay registered in a process
        code, out, err = as_process(made.words) if is_process else in_process(receval, made.words, monkeypatch)
        os.chdir(folder)
        inputs = inputs_of(folder, made.inputs, snapshot.files)
        wrong = list(problems(made, code, out, err, snapshot.changed(), inputs))
        snapshot.restore()
        codes[code] += 1
        ended[" ".join(made.command)] += code == 0
        shown = f"number {number} of seed {SEED}: {'; '.join(wrong) or code}\n  cd {folder}; receval {shlex.join(made.words)[:3000]}\n"
        with open(tmp_path / "commands.txt", "a", errors="backslashreplace") as every:
            every.write(shown + (err[-2000:] if wrong else "") + "\n")
        found += [f"{shown}{err[-1500:]}"] if wrong else []
    assert not found, f"{len(found)} commands; all are in {tmp_path}/commands.txt:\n" + "\n".join(found[:10])
    if ONLY is None:
        assert codes[0] > N / 3, codes
        assert {" ".join(words) for words, _ in _EVERY} == {name for name, n in ended.items() if n}, ended
