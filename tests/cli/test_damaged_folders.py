"""A stored folder that was damaged at random is refused in one sentence, or read as if nothing had happened.

Every command that reads stored folders is tried, and Python. `RECEVAL_DAMAGES=2000 RECEVAL_FUZZ_SEED=7 pytest
tests/cli/test_damaged_folders.py` tries more damages, with another seed.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from contextlib import suppress
from pathlib import Path

import pytest
import receval as library
import yaml
from receval.support.errors import DataError

from tests.sizes import draws

N = int(os.environ.get("RECEVAL_DAMAGES", draws(12, 60)))
SEED = int(os.environ.get("RECEVAL_FUZZ_SEED", "1"))
READ = ("manifest.json", "results.json", "per_user.parquet")
"""Files that are read; others are only copied, by `baseline set`."""
USERS = [f"u{number:02}" for number in range(60)]
CONFIG = {
    "data": {"test": "test.csv", "recommendations": {"home": "home.csv", "shop": "shop.csv"}, "users": "users.csv"},
    "evaluation": {"metrics": ["nDCG@2", "Recall@1", {"name": "Precision", "k": 2}], "by": ["users.plan"]},
    "gates": {"baseline": "whole/main", "rules": ["nDCG@2 max_loss 2%", "Recall@1 max_loss 5%"]},
    "output": {"describe": True},
    "health": "off",
}
COMMANDS = {
    "gate": ("gate", "today", "--baseline", "main", "--format", "json"),
    "compare": ("compare", "main", "today", "--by", "users.plan", "--format", "json"),
    "report": ("report", "main", "today", "-o", "made/r.html", "-o", "made/r.md"),
    "show": ("baseline", "show", "today", "--format", "json"),
    "set": ("baseline", "set", "today", "--to", "made/kept", "--force"),
    "track": ("track", "today", "--to", "{dvc: {dir: made/dvc}}"),
}


def lists(good):
    return "user,item,score\n" + "".join(f"{user},{'a' if good(n) else 'z'},2\n{user},c,1\n" for n, user in enumerate(USERS))


@pytest.fixture
def stored(write, receval, tmp_path, monkeypatch):
    """Return a folder with the results `main` and `today`, all inside of the folder `whole`."""
    monkeypatch.chdir(tmp_path)
    write("test.csv", "user,item,rating\n" + "".join(f"{user},a,5\n{user},b,3\n" for user in USERS))
    write("users.csv", "user,plan\n" + "".join(f"{user},{'free' if n % 5 else 'paid'}\n" for n, user in enumerate(USERS)))
    write("shop.csv", lists(lambda n: n % 4))
    write("config.yaml", yaml.safe_dump(CONFIG))
    for name, good, more in (("main", lambda n: n % 2, ["--set", "gates.rules=[]"]), ("today", lambda n: n % 3, [])):
        write("home.csv", lists(good))
        code, _, err = receval("run", "config.yaml", "-q", "-o", f"whole/{name}/", *more)
        assert code == 0, err
    return tmp_path


def outcome(receval, command):
    """Return the exit code, output and new files of a command; and its standard error."""
    shutil.rmtree("made", ignore_errors=True)
    Path("made").mkdir()
    code, out, err = receval(*COMMANDS[command])
    files = {str(path): path.read_bytes() for path in sorted(Path("made").rglob("*")) if path.is_file()}
    copied = "made/kept/manifest.json"  # a blank more or less in it means nothing
    files |= {copied: json.loads(files[copied])} if copied in files else {}
    return (code, out, files), err


def damage(chance, folder):
    """Damage a file of a folder at random; return the kind of damage and the file."""
    name = chance.choice(READ) if chance.random() < 0.85 else chance.choice(sorted(os.listdir(folder)))
    path = folder / name
    content = bytearray(path.read_bytes())
    start = chance.randrange(len(content))
    kind = chance.choice(["bit", "byte", "bytes", "cut", "longer", "gone", "empty", "other", "zeros", "without"])
    if kind == "gone":
        path.unlink()
        return f"{kind} {path}"
    if kind == "bit":
        content[start] ^= 1 << chance.randrange(8)
    elif kind == "byte":
        content[start] = chance.choice(b'0123456789"{}[],:truefalsn \n\x00\xff')
    elif kind == "bytes":
        content[start : start + 8] = chance.randbytes(len(content[start : start + 8]))
    elif kind == "zeros":
        content[start : start + 512] = bytes(len(content[start : start + 512]))
    elif kind == "without":
        del content[start]
    elif kind == "other":
        other = {"main": "today", "today": "main"}[folder.name]
        content = bytearray((folder.parent.parent / "whole" / other / name).read_bytes())
    else:
        content = {"cut": content[:start], "longer": content + chance.randbytes(20), "empty": bytearray()}[kind]
    path.write_bytes(content)
    return f"{kind} at {start} of {path}"


def test_a_damaged_folder_is_refused_or_read_unchanged(stored, receval):
    shutil.copytree("whole", "tried")
    chance, refused = random.Random(SEED), 0
    os.chdir("whole")
    whole = {command: outcome(receval, command)[0] for command in COMMANDS}
    shutil.rmtree("made")
    assert {code for code, _, _ in whole.values()} == {0}
    assert '"failed": false' in whole["gate"][1]
    read = {name: library.load_results(name) for name in ("main", "today")}
    os.chdir("../tried")
    for number in range(N):
        folder = Path(chance.choice(["main", "today"]))
        done = damage(chance, folder.absolute())
        commands = list(COMMANDS) if number % 5 == 0 else chance.sample(list(COMMANDS), 2)
        for command in commands:
            found, err = outcome(receval, command)
            if found != whole[command]:
                assert (found[0], found[1], found[2]) == (3, "", {}), (done, command, found[:2], err)
                assert ("Traceback" not in err, err.count("\n") <= 2, err.startswith("receval: ")) == (True, True, True), (done, err)
                refused += 1
        with suppress(DataError):
            assert library.load_results(folder) == read[folder.name], done
        shutil.rmtree(folder)
        shutil.copytree(f"../whole/{folder}", folder)
    assert refused > N / 2
