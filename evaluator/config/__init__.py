"""Config files: read, override, validate, print back."""

from __future__ import annotations

import json
from typing import Any

from .contradictions import unknown_model
from .data_sources import ItemsSource, Model, RowsSource, SourceConfig
from .error_texts import key_named
from .loader import Loaded, load_config, refuse_data_file
from .missing_inputs import missing, missing_for_groups
from .overrides import dotted, measures_of_rules
from .stored_sections import gates_of
from .whole_config import Config, FormulaEntry

__all__ = [
    "Config",
    "FormulaEntry",
    "ItemsSource",
    "Loaded",
    "RowsSource",
    "SourceConfig",
    "dotted",
    "gates_of",
    "json_schema",
    "key_named",
    "load_config",
    "measures_of_rules",
    "missing",
    "missing_for_groups",
    "refuse_data_file",
    "unknown_model",
]


def json_schema() -> str:
    """Return the JSON Schema of a config file."""
    _complete(Model)
    schema: dict[str, Any] = {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "receval config",
        **{key: value for key, value in Config.model_json_schema(mode="validation").items() if key != "title"},
    }
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _complete(base: type[Model]) -> None:
    """Complete the classes of defaults, which Pydantic does not do by itself before 2.14."""
    for section in base.__subclasses__():
        section.model_rebuild()
        _complete(section)
