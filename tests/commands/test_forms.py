"""Every form in the help of a command is one that it makes."""

from __future__ import annotations

import random

from tests.cli.random_configs import call, config, world, write_world
from tests.commands.place import QUICK
from tests.commands.words import commands

SEED = 1


def test_every_format_in_the_help_of_a_command_works(tmp_path, monkeypatch):
    chance = random.Random(SEED)
    write_world(tmp_path, world(chance), config(chance), chance)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick.yaml").write_text(QUICK)
    (tmp_path / "users.csv").write_text("user,plan\n" + "".join(f"{user},{'ab'[user % 2]}\n" for user in range(100)))
    assert call("run", "quick.yaml", "-o", "out/", "--per-user")[0] == 0
    assert call("baseline", "set", "out", "--to", "kept")[0] == 0
    arguments = {
        "explain": ["nDCG@2", "quick.yaml", "--user", "0", "--model", "one"],
        "slices": ["quick.yaml", "--set", "data.users=users.csv"],
        "user": ["0", "quick.yaml"],
        "metrics": [],
        "doctor": [],
        "compare": ["out"],
        "report": ["out"],
        "card": ["out"],
        "baseline": ["kept"],
        "history": ["out", "kept"],
        "leaderboard": ["out", "kept"],
    }
    for words, command in commands():
        for form in next((parameter.type.choices for parameter in command.params if parameter.name == "form"), ()):
            given = arguments.get(words[0], ["quick.yaml"])
            given = [*given, "--rule", "nDCG@2 >= 0"] if words == ("gate",) else given
            code, out, err = call(*words, *given, "--format", form)
            assert code in (0, 1), (words, form, err)
            assert out, (words, form)
