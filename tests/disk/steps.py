"""What happens to a folder when any step of writing results fails, or the process is killed there.

Python tells an audit hook of every file that is opened, made, linked, renamed and removed; the hook stops at the step of a number.
`python -m tests.disk.steps FOLDER WORLD` kills a process at each step in turn and prints what was there afterwards.
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

from receval.disk.stage import Stage

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
        """Count the steps in the block, and act at the one of that number."""
        self.folder, self.number, self.at, self.act = str(folder), 0, at, act
        try:
            yield
        finally:
            self.act = None


def make(world: str, above: Path) -> Path:
    """A folder of old results, and what else there is; nothing at all if it is new."""
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


def write(folder: Path) -> None:
    """Write new results; one of the old files goes."""
    old = folder / GONE
    with Stage([folder]) as stage:
        stage.commit({folder / name: b"new" for name in NAMES}, gone=[old] if old.exists() else [])


def found(above: Path) -> dict[str, str]:
    """The content of every file, by its path."""
    return {str(path.relative_to(above)): path.read_text() for path in sorted(above.rglob("*")) if path.is_file()}


def killed_at(at: int, steps: Steps, above: Path, folder: Path) -> bool:
    """Whether there is a step of that number, at which a process that writes was killed."""
    child = os.fork()
    if not child:
        with steps.acting(above, at, lambda: os.kill(os.getpid(), signal.SIGKILL)):
            write(folder)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def main() -> None:
    """Kill a process at each step, and look at the folder then, and again when the next one has begun."""
    above, world = Path(sys.argv[1]).resolve() / "above", sys.argv[2]
    steps, at = Steps(), 0
    is_killed = True
    while is_killed:
        at += 1
        folder = make(world, above)
        is_killed = killed_at(at, steps, above, folder)
        then = found(above)
        with Stage([folder]):
            pass
        print(json.dumps({"at": at, "killed": is_killed, "then": then, "next": found(above)}))


if __name__ == "__main__":
    main()
