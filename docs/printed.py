"""What the command line prints, for pages: run in this process, with the folder that its paths are relative to."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from receval.cli.main import main

ROOT = Path(__file__).parent.parent


def printed(words: Sequence[str], n_blocks: int | None = None, folder: Path = ROOT, codes: Sequence[int] = (0,)) -> str:
    """A command and what it prints, all of it or the first blocks between empty lines; a code that is not one of `codes` is an error."""
    printed, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(printed, encoding="utf-8")
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = main(list(words))
    if code not in codes:
        raise RuntimeError(f"receval {shlex.join(words)}: {err.getvalue()}")
    out.flush()
    lines = "\n".join(line.rstrip() for line in printed.getvalue().decode().splitlines())
    blocks = [block for block in re.split(r"\n\n+", lines.strip("\n")) if block]
    return "\n".join([f"$ receval {shlex.join(words)}", "\n\n".join(blocks[:n_blocks])])
