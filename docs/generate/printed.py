"""Output of the command line, for pages: commands run in this process, in the folder of their relative paths."""

from __future__ import annotations

import io
import re
import shlex
from collections.abc import Sequence
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

from receval.cli.main import main

ROOT = Path(__file__).parents[2]


def printed(words: Sequence[str], n_blocks: int | None = None, folder: Path = ROOT, codes: Sequence[int] = (0,)) -> str:
    """Return a command and its output, all of it or its first blocks between empty lines; raise if the exit code is not in `codes`.

    First blocks are without cautions on the data.
    """
    printed, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(printed, encoding="utf-8")
    with chdir(folder), redirect_stdout(out), redirect_stderr(err):
        code = main(list(words))
    if code not in codes:
        raise RuntimeError(f"receval {shlex.join(words)}: {err.getvalue()}")
    out.flush()
    lines = "\n".join(line.rstrip() for line in printed.getvalue().decode().splitlines())
    blocks = [block for block in re.split(r"\n\n+", lines.strip("\n")) if block and not (n_blocks and block.startswith("data.test: "))]
    return "\n".join([f"$ receval {shlex.join(words)}", "\n\n".join(blocks[:n_blocks])])
