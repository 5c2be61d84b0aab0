"""What commands say of gates, and the options that change the section `gates`. A run without gates imports nothing for them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TextIO

import click
import receval

from .output import say


def options_of(
    rules: tuple[str, ...],
    baseline: str | None,
    baseline_model: str | None,
    anchor: str | None,
    if_missing: str | None,
    inconclusive: str | None,
) -> dict[str, Any]:
    """What the command line says of gates, as the section `gates` has it."""
    given: dict[str, Any] = {"rules": list(rules)} if rules else {}
    policy = {"if_missing": if_missing} if if_missing else {}
    if baseline is not None:
        given["baseline"] = {"path": baseline} | ({"model": baseline_model} if baseline_model else {}) | policy
    elif baseline_model is not None:
        raise click.UsageError("--baseline-model is about the baseline of the command line: give --baseline too")
    if anchor is not None:
        given["anchor"] = {"path": anchor} | policy
    elif if_missing is not None and baseline is None:
        raise click.UsageError("--if-missing is about the baseline of the command line: give --baseline too")
    return given | ({"inconclusive": inconclusive} if inconclusive else {})


def refuse_without_rules(loaded: receval.Loaded) -> None:
    """`ConfigError` for a config that asks for nothing."""
    from receval.errors import ConfigError

    if not loaded.config.gates.rules:
        raise ConfigError(f"{loaded.name}: there is no rule to judge", "write some under gates.rules, or give --rule 'nDCG@10 max_loss 2%'")


def bases_for(loaded: receval.Loaded, folders: Iterable[Path]) -> Any:
    """What the models of a config are compared with, found before any work; `OutputError` if the results would go into such a folder."""
    if not loaded.config.gates.rules:
        return None
    from receval.errors import OutputError
    from receval.evaluation.gating import base_folders, bases_of_config

    for place in base_folders(loaded):
        if any(os.path.realpath(folder) == os.path.realpath(place) for folder in folders):
            raise OutputError(
                f"the results would take the place of their baseline {place}", "choose another folder; receval baseline set keeps one"
            )
    return bases_of_config(loaded)


def judged_or_refused(loaded: receval.Loaded, result: receval.Result, bases: Any) -> tuple[receval.Result, Exception | None]:
    """The result with its gates; if they cannot be judged without, and why, so that the values are written all the same."""
    if not loaded.config.gates.rules:
        return result, None
    from receval.errors import RecevalError
    from receval.evaluation.gating import judged

    try:
        return judged(loaded, result, bases), None
    except RecevalError as error:
        return result, error


def failed(result: receval.Result, strict: bool) -> bool:
    """Whether a gate fails the run; with `strict` also if one is inconclusive, or if not one was judged."""
    from receval.results.gates import Verdicts

    return Verdicts(result.gates).failed(strict)


def rendered(result: receval.Result, form: str, strict: bool) -> bytes:
    """The gates as `json` or `md`."""
    from receval.content.gates import document
    from receval.render.judgement_data import gates_json
    from receval.render.markdown import as_markdown

    return gates_json(result.gates, strict=strict) if form == "json" else as_markdown(document(result.gates)).encode()


def table(result: receval.Result, file: TextIO) -> str:
    """The gates of a result as text for a file; nothing without gates."""
    if not result.gates:
        return ""
    from receval.content.gates import document
    from receval.render.screen import show

    return show(document(result.gates, summary=False), file)


def say_summary(result: receval.Result, *, quiet: bool, strict: bool) -> None:
    """Say on standard error how the gates ended; if `quiet` only if they fail the run."""
    from receval.results.gates import Verdicts

    if result.gates and (not quiet or failed(result, strict)):
        verdicts = Verdicts(result.gates)
        say(f"{verdicts.summary()}{'; --strict needs at least one' if strict and verdicts.none_judged else ''}")
