"""`Result` → bytes: one pure function per format, one row each in `FORMATS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from .. import plugins
from ..render.result_data import as_csv, as_json, as_jsonl, as_parquet, as_wide_csv
from ..results.result import Result
from .data import as_manifest, enriched_files, outputs_of_manifest
from .manifest import MANIFEST
from .per_user import PER_USER

__all__ = ["FILES", "FORMATS", "MANIFEST", "PER_USER", "as_manifest", "enriched_files", "is_output_file", "outputs_of_manifest", "renderer"]

Renderer = Callable[[Result], bytes]


def as_markdown(result: Result) -> bytes:
    """The result as Markdown."""
    from ..content import selections  # only here: programs read most results
    from ..render import markdown

    return markdown.as_markdown(selections.markdown(result)).encode()


def _as_latex(result: Result) -> bytes:
    from ..content.paper import of_config  # only here: most results are shown without it
    from ..render.latex import as_latex

    return as_latex(of_config(result)).encode()


FORMATS: Final[Mapping[str, Renderer]] = MappingProxyType(
    {"csv": as_csv, "json": as_json, "jsonl": as_jsonl, "md": as_markdown, "parquet": as_parquet, "latex": _as_latex}
)
"""Format name → renderer; `evaluation.reporting` has those that compare the models too."""


def renderer(name: str) -> Renderer | None:
    """The renderer of a format, that an installed package may add; `None` if there is none of that name."""
    added: Renderer | None = FORMATS.get(name) or plugins.find("formats", name)
    return added


FILES: Final[Mapping[str, Renderer]] = MappingProxyType(
    {
        "results.csv": as_csv,
        "results_wide.csv": as_wide_csv,
        "results.json": as_json,
        "results.parquet": as_parquet,
        "results.md": as_markdown,
    }
)
"""The files of an output folder → renderer; beside them there may be values of users and enriched lists, and there is the manifest."""


def is_output_file(name: str) -> bool:
    """Whether a run may give a file of an output folder this name."""
    of_users = {f"per_user.{form}" for form in PER_USER}
    return name in {*FILES, *of_users, MANIFEST} or (name.startswith("enriched.") and name.endswith(".parquet"))
