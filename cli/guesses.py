"""Suggestions for options that a command does not have, by meaning first and by letters last."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Final

import click
from receval.support.synonyms import SYNONYMS, nearest

_CONFIG: Final = "the config as an argument: receval run CONFIG"
_LISTS: Final = ("--recs NAME=FILE",)
_MODELS: Final = ("--models A,B", *_LISTS)
_GROUPS: Final = "GROUPS"
"""The place of the value that was typed, in the suggestion of a rule."""
_OF_MEANING: Final = {
    "baseline": ("--baseline NAME", "receval compare CONFIG --baseline NAME"),
    "by": ("--by GROUPS", f"--rule 'nDCG@10 max_loss 2% by {_GROUPS}'"),
    "items": ("--items FILE",),
    "metrics": ("--measure", "-m"),
    "missing_values": ("--set evaluation.policy.missing_values=drop",),
    "recommendations": _LISTS,
    "relevance": ("--threshold",),
    "rules": ("--rule RULE",),
    "test": ("--test FILE",),
    "top_k": ("-k",),
    "train": ("--train FILE",),
}
"""What is meant by a name in `SYNONYMS` → options."""
_CANDIDATES: Final = ("--recs NAME=FILE, a file with the score of each candidate",)
_SEPARATOR: Final = ("--set 'data.test.separator=;'",)
_FOLDS: Final = ("--set 'data.folds=[1,2,3]'",)
_MEANT: Final = {
    **{name.replace("_", "-"): _OF_MEANING[what] for what, names in SYNONYMS.items() if what in _OF_MEANING for name in (what, *names)},
    "V": ("receval --version",),
    "c": (_CONFIG,),
    "candidates": _CANDIDATES,
    "config": (_CONFIG,),
    "csv": ("--format csv",),
    "d": ("--test FILE", _CONFIG),
    "data": ("--test FILE", _CONFIG),
    "html": ("-o FILE.html", "receval report CONFIG -o FILE.html"),
    "filter": ("--where FILTER",),
    "item-col": ("--set data.test.columns.item=NAME",),
    "item-column": ("--set data.test.columns.item=NAME",),
    "delimiter": _SEPARATOR,
    "f": ("--format json",),
    "fold": _FOLDS,
    "folds": _FOLDS,
    "format": ("-o", "receval run CONFIG --format json"),
    "json": ("--format json", "receval run CONFIG --format json"),
    "latex": ("--format latex", "-o FILE.tex"),
    "leave-one-out": ("--target last",),
    "loo": ("--target last",),
    "markdown": ("--format md",),
    "md": ("--format md",),
    "min": ("--rule 'nDCG@10 >= 0.1'", "receval gate CONFIG --rule 'nDCG@10 >= 0.1'"),
    "negatives": _CANDIDATES,
    "model": _MODELS,
    "models": _MODELS,
    "o": ("--format json > FILE",),
    "out": ("-o", "--format json > FILE"),
    "output": ("--format json > FILE",),
    "output-format": ("--format json",),
    "output-dir": ("-o DIR/", "--format json > FILE"),
    "only": (
        "--models A,B",
        "--set 'data.recommendations={NAME: FILE}'",
    ),
    "paired": ("no option: users are paired by default",),
    "save": ("-o DIR/", "--format json > FILE"),
    "sep": _SEPARATOR,
    "separator": _SEPARATOR,
    "silent": ("-q",),
    "tex": ("--format latex", "-o FILE.tex"),
    "train-where": ("--set data.train.where=FILTER",),
    "user-col": ("--set data.test.columns.user=NAME",),
    "user-column": ("--set data.test.columns.user=NAME",),
    "v": ("receval run CONFIG -v",),
    "verbose": ("receval run CONFIG -v",),
    "version": ("receval --version",),
    "yaml": (_CONFIG,),
    "yml": (_CONFIG,),
}
"""Name of an option that people try → options that they may mean; a command suggests the first that it has."""


_FIRST: Final = "the measure as the first argument: receval explain nDCG@10 CONFIG --user ID"
_OF_COMMAND: Final = {
    ("audit", "columns"): "-m",
    ("explain", "m"): _FIRST,
    ("explain", "measure"): _FIRST,
    ("explain", "metric"): _FIRST,
    ("explain", "metrics"): _FIRST,
    ("metrics", "list"): "receval metrics without an option, which lists all",
    ("set", "o"): "--to DIR",
    ("set", "output"): "--to DIR",
}
"""A command, and an option that people try with it → what they mean."""


def suggestion(guess: str, command: click.Command, context: click.Context, arguments: Sequence[str]) -> str:
    """Return a suggestion for an option that a command does not have; empty if nothing is similar.

    `arguments` are those of the command line, among which the option may have a value.
    """
    name = guess.lstrip("-")
    name = (name if len(name) == 1 else name.lower()).replace("_", "-")
    options = {option: parameter for parameter in command.params if isinstance(parameter, click.Option) for option in parameter.opts}
    phrases = (*filter(None, [_OF_COMMAND.get((command.name or "", name))]), *_MEANT.get(name, ()))
    meant = next((phrase for phrase in phrases if _is_possible(phrase, options)), None)
    key = ""
    if meant is None and "--set" in options:
        from receval.config import key_named

        key = key_named(name.replace("-", "_"))
    if key:
        value = _value_of(guess, arguments)
        meant = f"--set {shlex.quote(f'{key}.{value}' if re.match('[a-z_]+=', value) else f'{key}={value}')}"
    if meant and meant.startswith("--rule") and re.fullmatch(r"[\w.:,+-]+", value := _value_of(guess, arguments)) and value != "VALUE":
        meant = meant.replace(_GROUPS, value)
    if meant:
        return f"Use {meant}."
    having = _commands_with(guess, context)
    if having:
        return f"These commands have it: receval {', '.join(having)}."
    close = nearest(name, [option[2:] for option in options if option.startswith("--")])
    if close:
        return f"Did you mean --{close[0]}?"
    typo = nearest(name, [guess for guess in _MEANT if len(guess) > 3])
    return suggestion(f"--{typo[0]}", command, context, arguments) if typo and typo[0] != name else ""


_FORMS: Final = {
    "excel": "csv",
    "htm": "html",
    "markdown": "md",
    "ndjson": "jsonl",
    "pdf": "latex",
    "print": "table",
    "screen": "table",
    "svg": "badge",
    "terminal": "table",
    "tex": "latex",
    "text": "table",
    "tsv": "csv",
    "txt": "table",
    "xls": "csv",
    "xlsx": "csv",
    "xml": "junit",
    "yaml": "json",
    "yml": "json",
}
"""Name of a form that people try with `--format` → the form that they mean."""


def form_meant(guess: str, forms: Sequence[str]) -> str:
    """Return the option for the form that people mean; empty if nothing is similar."""
    name = guess.lower().lstrip(".")
    close = [name] if name in forms else [_FORMS[name]] if _FORMS.get(name) in forms else nearest(name, forms)
    return f"--format {close[0]}" if close else ""


def _value_of(option: str, arguments: Sequence[str]) -> str:
    """Return the value of an option on the command line, or a placeholder for it."""
    written = next((text for text in arguments if text == option or text.startswith(f"{option}=")), option)
    following = [*arguments, "", ""][arguments.index(written) + 1] if written in arguments else ""
    value = written.partition("=")[2] or following
    return "VALUE" if not value or value.startswith("-") else value


def _is_possible(phrase: str, options: dict[str, click.Option]) -> bool:
    """Return whether a command has the option with which a phrase begins; true for a phrase without one."""
    first, _, value = phrase.partition(" ")
    if not first.startswith("-") or first not in options:
        return not first.startswith("-")
    kind = options[first].type
    return first != "--format" or not isinstance(kind, click.Choice) or value.partition(" ")[0] in kind.choices


def _commands_with(option: str, context: click.Context) -> list[str]:
    group = context.find_root().command
    names = group.list_commands(context) if isinstance(group, click.Group) else []
    commands = {name: group.get_command(context, name) for name in names if isinstance(group, click.Group)}
    return [
        name for name, command in commands.items() if command is not None and any(option in parameter.opts for parameter in command.params)
    ]
