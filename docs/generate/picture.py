"""The picture docs/terminal.svg: the output of the quickstart on a terminal, in fonts of the reader, so that it needs no network."""

from __future__ import annotations

import io
import os
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from receval.cli.main import main
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT = Path(__file__).parents[2]
COMMAND = ("run", "configs/quickstart.yaml")
WIDTH = 100
THEME = TerminalTheme(
    (22, 27, 34),
    (201, 209, 217),
    [(22, 27, 34), (255, 123, 114), (86, 211, 100), (227, 179, 65), (121, 192, 255), (210, 168, 255), (86, 212, 221), (201, 209, 217)],
)
FORMAT = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="Output of receval run">
<style>
.{unique_id}-matrix {{
  font: {char_height}px/{line_height}px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", "Liberation Mono", monospace;
}}
.{unique_id}-title {{ font: bold 18px system-ui, sans-serif; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def picture() -> str:
    """Return the command and its output, as SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor", legacy_windows=False)
    console.print(Text.assemble(("$ ", "dim"), (f"receval {' '.join(COMMAND)}", "bold")))
    console.print(Text.from_ansi(printed()))
    svg = console.export_svg(title="receval", theme=THEME, code_format=FORMAT, unique_id="t")
    return "".join(f"{line.strip()}\n" for line in svg.splitlines() if line.strip())


def printed() -> str:
    """Return the output of the command on a terminal, with its colours."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    terminal = {"FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color", "COLORTERM": ""}
    with chdir(ROOT), patch.dict(os.environ, terminal), redirect_stdout(out), redirect_stderr(out):
        os.environ.pop("NO_COLOR", None)
        code = main(list(COMMAND))
    if code:
        raise RuntimeError(f"receval {' '.join(COMMAND)}: exit code {code}")
    out.flush()
    return out.buffer.getvalue().decode().rstrip("\n")  # type: ignore[attr-defined]
