"""Random command lines from the tree of commands, so that a new command or option is covered without further code."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Final

import click
from receval.cli.commands import cli

from tests.commands.place import CONFIGS, ODD_NAME, PLUGINS, RESULTS

OUTPUTS: Final = frozenset(("output", "outputs", "target", "store", "demo", "trackers"))
"""Parameters that name what a command writes; every other one may name an input."""
ODD: Final = (
    "", " ", "-", "--", "-1", "0", "nan", "1e999", "9" * 400, "0x" + "f" * 90, "é", "\u202e", "\udcff", "\x1b[31m", "a\nb",
    "\n::error::x",
    "[/]", "[red]x[/red]", "=1+1", "no-such", "no/such/file.yaml", "quick.yaml/x", ".", "..", "out/../out", "*", "*.parquet", "{a,b}",
    "~",
    "$HOME", "${HOME}", "${NO_SUCH}", "%s", "{0}", "a=b", "=", "==", "a=", "=a", "a.b.c=1", "." * 300, "x" * 5000, "null", "true", "[]",
    "{}",
    "[[", "{a: &a [*a]}", "!!python/name:os.system", "s3://", "file://", "a://b", "s3://a//b", "C:\\x", "nDCG", "nDCG@2", "nDCG@", "@2",
    "nDCG@2@3", "nDCG(k=2)", "0.5*nDCG@2", "1/0", "(((", "nDCG(convention=trec)@2",
)  # fmt: skip
INPUTS: Final = ("full.yaml", "quick.yaml", "drawn.yaml", "config.yaml", "out", "out/", "other", "kept")
_MODELS, _MEASURES = ("one", "two"), ("nDCG@2", "Recall@2", "nDCG")
_GROUPS: Final = ("users.plan", "cold", "train_count:2", "popular_share:2", "first_category", "rows.repeat", "rows.event", "items.group")
FITTING: Final[dict[str, tuple[str, ...]]] = {
    "config": CONFIGS, "configs": CONFIGS, "source": ("full.yaml", "out", "quick.yaml"),
    "files": ("lists.parquet", "test.csv", "two.csv", "train.csv"),
    "columns": ("nDCG", "nDCG@2", "Recall@2,nDCG@2"), "sort": ("nDCG@2", "model"), "of": _MEASURES,
    "convention": ("ranx", "recbole", "trec_eval", "elliot", "receval"),
    "conventions": ("ranx", "replay"), "store": ("failures", "failures/", "out", "deep"), "title": ("A title", "<b>", "::error::t"),
    "target": ("kept", "new", "out", "."), "demo": ("demo", "deep"), "template": ("template.md", "quick.yaml"),
    "why": ("ranx", "trec_eval"),
    "number": ("0.5", "0.123"), "cluster": ("users.plan",), "anchor": ("out", "other"), "folder": ("out", "out/", "kept"),
    "folders": ("out", "other", "kept", "."), "accepted": ("out", "other"),
    "test": ("test.csv",),
    "tests": ("t", "permutation", "wilcoxon", "test.csv"), "train": ("train.csv", "train.parquet"), "items": ("items.parquet",),
    "metrics": ("nDCG", "Recall@2,MRR", "ItemCoverage"), "top_k": ("2", "1,2", "none"),
    "where": ("rating >= 1", "event == 'buy'", "item in [1, 2]"),
    "overrides": (
        "evaluation.top_k=[1,2]", "evaluation.metrics=[Recall]", "evaluation.convention=ranx", "health=off", "data.test=test.csv",
        "data.train=train.csv",
        "data.users=users.csv", "output.enriched=true", "report.files=[r.md, r.html]", "output.dir=new", "output.dir=out", "track=[dvc]",
        "evaluation.policy.duplicates=error", "data.items.categories=categories",
    ),
    "recommendations": ("new=two.parquet", "one=lists.csv", "new=-", "x[1]=two.parquet", f"odd={ODD_NAME}", "link.csv", "l*.csv"),
    "output": ("c.yaml", "a.csv", "a.json", "a.md", "a.html", "a.svg", "a.yaml", "a.png", "a.pdf"),
    "outputs": ("new/", "a.json", "a.md", "a.csv", "a.html"),
    "measures": _MEASURES, "measure": ("nDCG@2", "Recall@2", "nDCG"), "margins": ("nDCG@2=0.01", "nDCG@2=1%", "0.1"),
    "rules": ("nDCG@2 >= 0.1",
    "nDCG@2 max_loss 1%", "nDCG@2 min_gain 0 against one", "slices: none worse than 50%", "nDCG@2 >= 0 by cold"),
    "baseline": ("one", "out", "other", "two", "kept"), "baseline_model": _MODELS, "model": _MODELS, "models": _MODELS,
    "user": ("0", "1", "99"),
    "name": ("nDCG", "MAP", "RMSE"), "by": _GROUPS, "plugin": tuple(f"{name}.py" for name in PLUGINS),
    "trackers": ("dvc", "dvc", "tensorboard", "{dvc: {dir: out}}", "{tensorboard: {dir: events}}"),
    "group": ("cold=warm", "users.plan=a", "train_count:2=0-1", "first_category=A"), "relevant": ("1+", "2-4"), "pictures": ("price",),
    "select": ("R01", "R", "X02,T01"), "date": ("today", "2024-01-01"), "alpha": ("0.05", "0.2"), "threshold": ("1", "3"),
}  # fmt: skip
EXISTING: Final = (
    "out/", "out", "out/manifest.json", "out/results.json", "out/per_user.parquet", "out/deep/x.json", "kept/", "kept/results.json",
    "lists.parquet",
    "two.csv", "test.csv", "link.csv", "users.csv", "full.yaml", "quick.yaml", "cc.json", "notes.txt", "old.csv", "old.json", "old.md",
    "page.html", ".",
    "deep", "deep/", "/dev/null", "/dev/full", "/dev/stdout", "nowhere/deep/a.csv", "nowhere/deep/a.json", "a.unknown", "full.yaml/",
    "Counts.py",
    "template.md", ODD_NAME, "-",
)  # fmt: skip
"""Values of outputs that exist, or that are none."""
_OFTEN: Final = {
    "completion": 0.2, "schema": 0.2, "doctor": 0.2, "metrics": 0.3, "baseline": 0.4, "describe": 0.5, "audit": 0.4, "slices": 0.7,
    "init": 1.3, "gate": 1.3,
}  # fmt: skip
"""Command → how often it is drawn: some are slow, and some have few options."""
_RARE: Final = {
    "watch": 0.0, "print_config": 0.03, "find_slices": 0.05, "interactive": 0.05, "plugin": 0.03, "input_format": 0.02, "replace": 0.02,
    "demo": 0.05,
    "force": 0.5, "pictures": 0.02, "if_missing": 0.03, "source": 0.05,
}  # fmt: skip
_NEEDED: Final = {
    ("gate", "rules"), ("explain", "model"), ("track", "trackers"), ("report", "outputs"), ("baseline", "target"), ("init", "output"),
}  # fmt: skip
_OF_CONFIGS: Final = frozenset((
    "test", "train", "items", "metrics", "top_k", "threshold", "convention", "overrides", "recommendations", "where", "target",
    "input_format", "cluster",
))  # fmt: skip
"""Options that change a config, which are refused beside stored results."""
_OF_DIFF: Final = (
    ("full.yaml", "one", "two"), ("quick.yaml", "one", "two"), ("out", "one", "two"), ("lists.csv", "two.csv", "--test", "test.csv"),
)  # fmt: skip


def _share(command: str, option: click.Option, is_stored: bool) -> float:
    """Return the probability of an option: some have no end, hide what others do, or are refused beside others."""
    name = str(option.name)
    if option.required or (command, name) in _NEEDED:
        return 1.0 if option.required else 0.95
    if is_stored and name in _OF_CONFIGS and not _is_output(option):
        return 0.01
    return _RARE.get(name, 0.3 if _is_output(option) else 0.08)


def commands(group: click.Group = cli, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield every command with the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*before, name))
        else:
            assert command is not None
            yield (*before, name), command


def _is_output(one: click.Parameter) -> bool:
    return one.name in OUTPUTS and not isinstance(one.type, click.Choice)


class Line:
    """A random command line: its words, those that may name inputs, and the outputs that it names."""

    def __init__(self, chance: random.Random, words: tuple[str, ...], command: click.Command) -> None:
        self._chance = chance
        self._oddness = chance.choice((0, 0, 0, 0, 0.05, 0.3))
        self.command, self.inputs, self.outputs, self.plugins = words, list[str](), list[str](), list[str]()
        has_files = {"test", "recommendations"} <= {parameter.name for parameter in command.params} and chance.random() < 0.1
        of_files = [["--test", "test.csv"], ["--recs", "one=lists.csv"], ["--recs", "two=two.csv"], ["-m", "nDCG@2"]] if has_files else []
        given = [parameter for parameter in command.params if isinstance(parameter, click.Argument)]
        given = [parameter for parameter in given if not (has_files and parameter.name in ("config", "inputs", "configs", "source"))]
        arguments = [part for parameter in given for part in self._argument(parameter)]
        is_stored = any(word.strip("/") in RESULTS for word in arguments)
        options = [
            part for parameter in command.params if isinstance(parameter, click.Option) for part in self._option(parameter, is_stored)
        ]
        if any(parameter.name == "metrics" for parameter in command.params):
            options += [["-m", name] for name in self.plugins if name[:1].isupper()]
        options += of_files
        self.inputs += [word for part in of_files for word in part]
        chance.shuffle(options)
        at = chance.randint(0, len(options))
        parts = [*options[:at], arguments, *options[at:]]
        if chance.random() < self._oddness / 4:
            parts.insert(chance.randint(0, len(parts)), [chance.choice(("--no-such", "-x", "--", "--help", "--set", *ODD))])
        self.words = [*words, *(word for part in parts for word in part)]

    def _argument(self, one: click.Argument) -> Iterator[str]:
        chance, name = self._chance, self.command[0]
        odd = chance.random() < self._oddness / 4
        if name == "diff" and one.name == "inputs" and not odd:
            given = chance.choice(_OF_DIFF)
            self.inputs += given  # each names its files, so that none reads the config of the folder
            yield from given
            return
        n = chance.randrange(3) if odd else 1 if one.nargs == 1 else chance.choice((1, 1, 2))
        for _ in range(n if one.required or odd or chance.random() < 0.97 else 0):
            yield self._value(one)

    def _option(self, one: click.Option, is_stored: bool) -> Iterator[list[str]]:
        chance = self._chance
        if chance.random() >= _share(self.command[0], one, is_stored):
            return
        flag = chance.choice(one.opts)
        for _ in range(chance.choice((1, 1, 1, 2)) if one.multiple else 1):
            yield [flag] if one.is_flag else [flag, *(self._value(one) for _ in range(one.nargs))]

    def _value(self, one: click.Parameter) -> str:
        """Draw a value of an argument or option: a fitting one, an output that exists, or an odd one."""
        chance, name = self._chance, str(one.name)
        known = FITTING.get(name, INPUTS)
        if isinstance(one.type, click.Choice):
            known = tuple(map(str, one.type.choices))
        elif isinstance(one.type, click.types.IntParamType | click.types.FloatParamType):
            known = FITTING.get(name, ("0.05",) if isinstance(one.type, click.types.FloatParamType) else ("1", "2", "17"))
        if _is_output(one) and name != "trackers" and chance.random() < 0.4:
            known = EXISTING
        if isinstance(one, click.Option) and name in ("output", "outputs") and chance.random() < 0.9:
            endings = tuple(re.findall(r"\.[a-z]{2,}", one.help or ""))
            known = tuple(word for word in known if word.endswith(endings)) or (*known, f"a{chance.choice(endings)}") if endings else known
        value = chance.choice(ODD if chance.random() < self._oddness else known)
        if _is_output(one) or value.startswith(("output.", "report.files", "track")):
            self.outputs.append(value)
        else:
            self.inputs.append(value)
        if name == "plugin":
            self.plugins.append(value.removesuffix(".py"))
        return value


def line(chance: random.Random, every: list[tuple[tuple[str, ...], click.Command]]) -> Line:
    """Draw a command line; slow commands are drawn less often."""
    words, command = chance.choices(every, [_OFTEN.get(words[0], 1.0) for words, _ in every])[0]
    return Line(chance, words, command)
