"""Failures and kills at every step of writing results, and the folder afterwards.

Python reports to an audit hook every file that is opened, made, linked, renamed or removed; the hook acts at the step of a given number.
`python -m tests.storage.steps FOLDER WORLD` kills a process at each step in turn and prints the files afterwards.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from receval.storage.overwriting import Target
from receval.storage.stage import Stage

STEPS = {"open", "os.rename", "os.link", "os.mkdir", "os.remove", "os.rmdir", "os.chown"}
NAMES = ("results.csv", "results.json", "manifest.json")
GONE = "per_user.parquet"
WORLDS = ("new", "results", "with notes", "with a folder", "where we are")


class Steps:
    """Counts the steps below a folder, and acts at one of them."""

    def __init__(self) -> None:
        self.folder, self.number, self.at = "", 0, 0
        self.act: Callable[[], None] | None = None
        sys.addaudithook(self._step)

    def _step(self, event: str, arguments: tuple[object, ...]) -> None:
        if self.act is None or event not in STEPS or not str(arguments[0]).startswith(self.folder):
            return
        self.number += 1
        if self.number == self.at:
            self.act()

    @contextmanager
    def acting(self, folder: Path, at: int, act: Callable[[], None]) -> Iterator[None]:
        """Count the steps in the block, and act at step number `at`."""
        self.folder, self.number, self.at, self.act = str(folder), 0, at, act
        try:
            yield
        finally:
            self.act = None


def make(world: str, above: Path) -> Path:
    """Make a folder of old results with the other files of its world; no folder in the world `new`."""
    os.chdir(above.parent)
    shutil.rmtree(above, ignore_errors=True)
    above.mkdir()
    folder = above / "results"
    if world != "new":
        folder.mkdir()
        for name in (*NAMES, GONE):
            (folder / name).write_bytes(b"old")
    if world == "with notes":
        (folder / "notes.txt").write_bytes(b"mine")
        (folder / "link.txt").symlink_to("notes.txt")
    if world == "with a folder":
        (folder / "plots").mkdir()
        (folder / "plots" / "notes.txt").write_bytes(b"mine")
    if world == "where we are":
        os.chdir(folder)
    return folder


def whole(folder: Path) -> Target:
    """Return a folder in which a command may write every name."""
    return Target("-o", folder, lambda name: True)


def write(folder: Path) -> None:
    """Write new results; one of the old files is removed."""
    old = folder / GONE
    with Stage([whole(folder)], inputs=()) as stage:
        stage.commit({folder / name: b"new" for name in NAMES}, gone=[old] if old.exists() else [])


def contents(above: Path) -> dict[str, str]:
    """Return the content of every file, by its path."""
    return {str(path.relative_to(above)): path.read_text() for path in sorted(above.rglob("*")) if path.is_file()}


def killed_at(at: int, steps: Steps, above: Path, folder: Path) -> bool:
    """Write in a child that is killed at step number `at`; return whether it was killed, so whether the write has so many steps."""
    child = os.fork()
    if not child:
        with steps.acting(above, at, lambda: os.kill(os.getpid(), signal.SIGKILL)):
            write(folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main() -> None:
    """Kill a process at each step; print the files then, and again after the next write has begun."""
    above, world = Path(sys.argv[1]).resolve() / "above", sys.argv[2]
    steps, at = Steps(), 0
    is_killed = True
    while is_killed:
        at += 1
        folder = make(world, above)
        is_killed = killed_at(at, steps, above, folder)
        then = contents(above)
        with Stage([whole(folder)], inputs=()):
            pass
        print(json.dumps({"at": at, "killed": is_killed, "then": then, "next": contents(above)}))


if __name__ == "__main__":
    main()
