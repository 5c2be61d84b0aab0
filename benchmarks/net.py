"""The net: every output of receval in every form, kept byte by byte while the code changes.

    python benchmarks/net.py write FOLDER [CASE ...]               run the cases, and keep what they print and write in FOLDER/CASE/
    python benchmarks/net.py compare FOLDER [FOLDER2] [CASE ...]   show what moved since, or from FOLDER to FOLDER2 (exit code 1)
    python benchmarks/net.py record [CASE ...]                     run the cases, and write their digests to tests/net/digests.txt
    python benchmarks/net.py check [CASE ...]                      run the cases, and name the outputs that have other digests

Cases are in `tests/net/cases.yaml`: the files of a folder, and commands and calls that run in it. Each command has its own folder
with `exit`, `out` and `err`; a command of `show` also has `@80` and `@120`, a pipe with COLUMNS set, and `tty80` and `tty120`, a terminal
with colours. New and changed files are in `files/`, results of Python calls in `python/`.
"""

from __future__ import annotations

import difflib
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from time import process_time
from typing import Final

from net_cases import ROOT, Outputs, cases, files_in, run_case

DIGESTS: Final = ROOT / "tests" / "net" / "digests.txt"
SHOWN: Final = 60
"""Lines of a difference that are shown per output."""
LIBRARIES: Final = ("polars", "numpy", "scipy", "rich", "click", "pydantic", "msgspec", "Jinja2", "vl-convert-python")
"""Libraries that affect the bytes: with other versions other bytes are not a fault."""


def run_all(names: Iterable[str]) -> Outputs:
    """Run cases, all if none is named; outputs are called CASE/OUTPUT."""
    known, outputs = cases(), {}
    for name in list(names) or known:
        start = process_time()
        outputs |= {f"{name}/{output}": content for output, content in run_case(known[name]).items()}
        print(f"{name}: {process_time() - start:.1f} s", file=sys.stderr)
    return outputs


def write_folder(folder: Path, outputs: Outputs) -> None:
    """Write outputs to a folder; they replace earlier outputs of the same cases."""
    for case in {name.partition("/")[0] for name in outputs}:
        shutil.rmtree(folder / case, ignore_errors=True)
    for name, content in outputs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def read_folder(folder: Path, names: Iterable[str]) -> Outputs:
    """Read the outputs in a folder, of some cases or all."""
    if not folder.is_dir():
        sys.exit(f"there is no folder {folder}, nor a case of that name")
    wanted = set(names)
    return {name: content for name, content in files_in(folder).items() if not wanted or name.partition("/")[0] in wanted}


def changes(before: Mapping[str, bytes | str], after: Mapping[str, bytes | str]) -> Iterator[tuple[str, str]]:
    """Yield each changed output with its kind of change: `missing`, `new` or `moved`."""
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield ("missing" if name not in after else "new" if name not in before else "moved"), name


def difference(name: str, before: bytes, after: bytes) -> str:
    """Return the first lines of a unified difference of two outputs."""
    if name.endswith((".parquet", ".png", ".pdf")):
        return f"{len(before):,} → {len(after):,} bytes\n"
    lines = list(difflib.unified_diff(in_lines(before), in_lines(after), f"before/{name}", f"after/{name}", n=1, lineterm=""))
    more = f"… {len(lines) - SHOWN} more lines\n" if len(lines) > SHOWN else ""
    return "".join(f"{line}\n" for line in lines[:SHOWN]) + more


def in_lines(content: bytes) -> list[str]:
    """Return the lines of a text; long ones are broken at punctuation."""
    return re.sub(r"(.{120}[^,;>\n]*[,;>])", r"\1\n", content.decode("utf-8", "backslashreplace")).splitlines()


def digest(content: bytes) -> str:
    """Return half of a SHA-256."""
    return sha256(content).hexdigest()[:32]


def digests(outputs: Outputs) -> dict[str, str]:
    """Return the digest of each output; a Parquet file is represented by its rows."""
    return {name: digest(content) for name, content in sorted(outputs.items()) if not name.endswith(".parquet")}


def recorded(names: Iterable[str] = ()) -> dict[str, str]:
    """Read the recorded digests, of some cases or all."""
    wanted = set(names)
    rows = (line.split(maxsplit=1) for line in DIGESTS.read_text("utf-8").splitlines() if not line.startswith("#"))
    return {name: value for value, name in rows if not wanted or name.partition("/")[0] in wanted}


def versions() -> str:
    """Return the line of the record with the versions of the libraries."""
    return "# " + ", ".join(f"{name} {version(name)}" for name in LIBRARIES)


def version(library: str) -> str:
    """Return the installed version of a library."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return "missing"


def same_versions() -> bool:
    """Return whether the record was made with the installed versions of the libraries."""
    return versions() in DIGESTS.read_text("utf-8").splitlines()


def say_differences(before: Outputs, after: Outputs) -> int:
    """Print the changes, and return the exit code."""
    moves = list(changes(before, after))
    for move, name in moves:
        print(difference(name, before[name], after[name]) if move == "moved" else f"{move}: {name}")
    print(f"{len(after):,} outputs, of which {len(moves):,} moved, are missing or new")
    for move, name in moves:
        print(f"  {move}: {name}")
    return 1 if moves else 0


def write_command(folder: str, *names: str) -> int:
    """Run cases and keep their outputs."""
    write_folder(Path(folder), run_all(names))
    return 0


def compare_command(folder: str, *names: str) -> int:
    """Compare a folder with another, or with the current outputs of cases."""
    other = names[0] if names and names[0] not in cases() else None
    wanted = names[1:] if other else names
    before = read_folder(Path(folder), wanted)
    return say_differences(before, read_folder(Path(other), wanted) if other else run_all(wanted))


def record_command(*names: str) -> int:
    """Write the digests of cases; those of other cases stay."""
    kept = {name: value for name, value in recorded().items() if names and name.partition("/")[0] not in names}
    rows = (f"{value}  {name}" for name, value in sorted((kept | digests(run_all(names))).items()))
    DIGESTS.write_text("\n".join((versions(), *rows, "")), "utf-8")
    return 0


def check_command(*names: str) -> int:
    """Compare digests of cases with the recorded ones."""
    moves = list(changes(recorded(names), digests(run_all(names))))
    print("\n".join((*(f"{move}: {name}" for move, name in moves), f"{len(moves):,} outputs moved, are missing or new")))
    if moves and not same_versions():
        print(f"recorded with other libraries; here are {versions()[2:]}")
        return 0
    return 1 if moves else 0


COMMANDS: Final[dict[str, Callable[..., int]]] = {
    "write": write_command,
    "compare": compare_command,
    "record": record_command,
    "check": check_command,
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    sys.exit(COMMANDS[sys.argv[1]](*sys.argv[2:]))
