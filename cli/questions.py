"""What the command line asks of comparisons. Imported by a command that runs: it needs Polars."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click
from msgspec.structs import replace
from receval.comparison.questions import Questions
from receval.config.comparing import DEFAULT
from receval.names.margins import Margin

_FLAGS = ("all_pairs", "unpaired", "losers")


def changed_by(questions: Questions, asked: Mapping[str, Any]) -> Questions:
    """The questions of a config, where the command line does not say otherwise; `asked` has the values of its options by their names."""
    given: dict[str, Any] = {name: asked[name] for name in ("baseline", "measures") if asked.get(name)}
    try:
        margins = {
            measure or DEFAULT: Margin.read(size) for measure, _, size in (text.rpartition("=") for text in asked.get("margins", ()))
        }
    except ValueError as error:
        raise click.UsageError(f"--margin: {error}") from None
    settings = {name: asked[name] for name in ("test", "correction", "alpha") if asked.get(name) is not None}
    given |= {"margins": margins} if margins else {}
    given |= {"by": tuple(text.partition(":")[0] for text in asked["by"])} if asked.get("by") else {}
    given |= {"cluster": asked["cluster"]} if asked.get("cluster") else {}
    given |= {"common": asked["users"] == "common"} if asked.get("users") else {}
    given |= {name: asked[name] for name in _FLAGS if name in asked}
    return replace(questions, **given, settings=replace(questions.settings, **settings))
