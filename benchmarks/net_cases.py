"""The cases of the net: their outputs and files on every screen. `net.py` keeps and compares them."""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple
from unittest.mock import patch

import polars as pl
import receval
import yaml
from net_data import write_world
from receval.cli.main import main as run_receval

ROOT: Final = Path(__file__).resolve().parent.parent
CASES: Final = ROOT / "tests" / "net" / "cases.yaml"
VARIABLES: Final = {"TERM": "xterm-256color", "GITHUB_STEP_SUMMARY": "step_summary.md"}
UNSET: Final = ("COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "COLORTERM", "GITHUB_ACTIONS", "RECEVAL_DEBUG")
LONGEST_NAME: Final = 100

Outputs = dict[str, bytes]
"""Name of an output → its bytes."""

_VERSION: Final = re.escape(metadata.version("receval").encode())
_LIBRARIES: Final = b"receval|python|blake3|click|jinja2|msgspec|numpy|polars|pydantic|pyyaml|rich|scipy"
MASKS: Final = (
    (rb'(?i)("(?:%s)": )"\d+\.[^"]+"' % _LIBRARIES, rb'\1"VERSION"'),  # `versions` of results and manifests: different on every machine
    (rb"receval %s" % _VERSION, b"receval VERSION"),  # the foot of a page: different in every release
)


# Screens


class Screen(NamedTuple):
    """Target of a command's output: `columns` is the variable COLUMNS, if it is set."""

    name: str
    columns: int | None = None
    is_terminal: bool = False


PIPE: Final = Screen("")
SCREENS: Final = (PIPE, Screen("@80", 80), Screen("@120", 120), Screen(".tty80", 80, True), Screen(".tty120", 120, True))


class Stream(io.TextIOWrapper):
    """A text in memory that can act as a terminal."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        """Return whether it acts as a terminal."""
        return self.is_terminal

    def content(self) -> bytes:
        """Return all written bytes."""
        self.flush()
        return self.buffer.getvalue()  # type: ignore[attr-defined]


def on_screen(command: str, screen: Screen) -> Outputs:
    """Run a command in this process; return its exit code, standard output and standard error."""
    out, err = Stream(screen.is_terminal), Stream(False)
    variables = {} if screen.columns is None else {"COLUMNS": str(screen.columns)}
    with patch.dict(os.environ, variables), redirect_stdout(out), redirect_stderr(err):
        code = run_receval(shlex.split(command))
    return {f"exit{screen.name}": b"%d\n" % code, f"out{screen.name}": out.content(), f"err{screen.name}": err.content()}


# Cases


def cases() -> dict[str, Mapping[str, Any]]:
    """Read the cases by name; keys that begin with a dot only have shared parts."""
    content = yaml.safe_load(CASES.read_text("utf-8"))
    return {name: case for name, case in content.items() if not name.startswith(".")}


def run_case(case: Mapping[str, Any]) -> Outputs:
    """Run one case in its own folder, and return all its output and files."""
    with tempfile.TemporaryDirectory(prefix="receval-net-") as folder, chdir(folder), environment():
        prepare(case)
        before = files_in(Path())
        outputs = dict(all_printed(case))
        outputs |= {f"files/{name}": content for name, content in files_in(Path()).items() if before.get(name) != content}
        return readable({name: masked(content) for name, content in outputs.items()})


@contextmanager
def environment() -> Iterator[None]:
    """Set the same variables on every machine."""
    kept = {name: value for name, value in os.environ.items() if name not in UNSET}
    with patch.dict(os.environ, kept | VARIABLES, clear=True):
        yield


def prepare(case: Mapping[str, Any]) -> None:
    """Write the files of a case."""
    if case.get("sample"):
        shutil.copytree(ROOT / "configs", ".", dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.py", "__pycache__", "results"))
    else:
        write_world(Path("data"))
    for name, content in case.get("files", {}).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False), "utf-8")


def all_printed(case: Mapping[str, Any]) -> Iterator[tuple[str, bytes]]:
    """Yield the output of the commands of a case, and the results of its Python calls."""
    for command in flat(case.get("once", ())):
        yield from in_folder(command, on_screen(command, PIPE))
    for command in case.get("show", ()):
        for screen in SCREENS:
            yield from in_folder(command, on_screen(command, screen))
    for name, call in case.get("python", {}).items():
        yield f"python/{name}", returned(call)


def returned(call: str) -> bytes:
    """Return the result of a Python call as text; the error if it fails."""
    try:
        return f"{eval(call, {'receval': receval})}\n".encode()
    except Exception as error:
        return f"{type(error).__name__}: {error}\n".encode()


def flat(commands: Iterable[str | list[str]]) -> Iterator[str]:
    """Yield commands, some of which are lists that cases share."""
    for command in commands:
        yield from [command] if isinstance(command, str) else command


def in_folder(command: str, outputs: Outputs) -> Iterator[tuple[str, bytes]]:
    """Return outputs under a valid file name that identifies their command."""
    name = re.sub(r"[^\w.=,+-]+", "_", command).strip("_")
    short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 9]}~{sha256(command.encode()).hexdigest()[:8]}"
    return ((f"{short}/{output}", content) for output, content in outputs.items())


def files_in(folder: Path) -> Outputs:
    """Return the bytes of every file below a folder."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def masked(content: bytes) -> bytes:
    """Return bytes without the parts that differ from run to run."""
    for pattern, replacement in MASKS:
        content = re.sub(pattern, replacement, content)
    return content.replace(os.fsencode(os.getcwd()), b"/NET")  # sentences with a full path


def readable(outputs: Outputs) -> Outputs:
    """Return the outputs, and for each Parquet file its schema and rows as text: its bytes also differ with the version of Polars."""
    tables = {f"{name}.txt": as_text(content) for name, content in outputs.items() if name.endswith(".parquet")}
    return outputs | tables


def as_text(parquet: bytes) -> bytes:
    """Return the schema and the rows of a Parquet file."""
    frame = pl.read_parquet(io.BytesIO(parquet))
    return f"{dict(frame.schema)}\n{frame.write_ndjson()}".encode()
