"""The page docs/public-names.md: every name that a release does not take away without notice."""

from __future__ import annotations

import runpy
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import receval
from receval import functional, testing
from receval.cli.commands import cli
from receval.config.data_sources import Model
from receval.config.whole_config import Config
from receval.documents.document import Block, Heading, Paragraph, Table, text_columns
from receval.support.outputs import OUTPUTS
from receval.support.plugins import Kind


def names() -> dict[str, list[str]]:
    """Return the public names, by their kind."""
    commands = {
        f"receval {name}": command.params for name in cli.list_commands(None) if (command := cli.get_command(None, name)) is not None
    }
    codes: dict[int, Any] = runpy.run_path(str(Path(__file__).with_name("exit_codes.py")))["CODES"]
    return {
        "Commands": sorted(commands),
        **{f"Options of {name}": _options(parameters) for name, parameters in {"receval": cli.params, **commands}.items()},
        "Exit codes": [str(code) for code in codes],
        "Sections of a config": sorted(Config.model_fields),
        "Keys of evaluation": sorted(_fields_of("evaluation")),
        "Forms of outputs": sorted({f"{row.of}: {row.form}" for row in OUTPUTS}),
        "Names in receval": [*receval.__all__, "__version__", *receval._MODULES],
        "Names in receval.testing": [name for name, value in vars(testing).items() if _is_own(name, value)],
        "Names in receval.functional": functional.__all__,
        "Groups of entry points": [f"receval.{kind}" for kind in get_args(Kind)],
    }


def page() -> list[Block]:
    """Return the page."""
    rows = ((kind, ", ".join(f"`{name}`" for name in listed)) for kind, listed in names().items() if listed)
    return [
        Heading("Public names"),
        Paragraph("The names that [stability](stability.md) is about. A name that is not listed here may change in any release."),
        Table.from_texts(text_columns("kind", "names"), rows),
    ]


def _is_own(name: str, value: Any) -> bool:
    """Return whether a name of `receval.testing` is public and defined there."""
    return not name.startswith("_") and getattr(value, "__module__", "") == testing.__name__


def _options(parameters: Iterable[Any]) -> list[str]:
    """Return the options of a command, each with its longest name."""
    return sorted(max(option.opts, key=len) for option in parameters if option.opts[0].startswith("-"))


def _fields_of(section: str) -> Iterable[str]:
    """Return the keys of a section."""
    kinds = (Config.model_fields[section].annotation, *get_args(Config.model_fields[section].annotation))
    return next(kind.model_fields for kind in kinds if isinstance(kind, type) and issubclass(kind, Model))
