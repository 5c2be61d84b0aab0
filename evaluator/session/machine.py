"""What receval runs on: versions, extras, Java, memory, threads and temporary space, and what to do."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib import metadata
from typing import Final, NamedTuple

from ..extras import install_command
from ..parts.resources import default_memory, n_polars_threads

_FOR_DEVELOPERS: Final = ("dev", "docs")


class Fact(NamedTuple):
    """One thing that was looked at; with what to do, if something should be done."""

    name: str
    found: str
    advice: str = ""


def facts() -> tuple[Fact, ...]:
    """Look at the machine, from what is always needed to what is seldom."""
    return tuple(_facts())


def as_text(found: Sequence[Fact]) -> str:
    """A line for each fact, and what to do below it."""
    width = max(len(fact.name) for fact in found)
    lines = ((f"{fact.name:{width}}  {fact.found}", *([f"{'':{width}}  → {fact.advice}"] if fact.advice else [])) for fact in found)
    return "".join(f"{line}\n" for pair in lines for line in pair)


def content(found: Sequence[Fact]) -> list[dict[str, str]]:
    """The facts as plain values."""
    return [fact._asdict() for fact in found]


def _facts() -> Iterator[Fact]:
    yield Fact("receval", metadata.version("receval"))
    yield Fact("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    by_extra = _requirements()
    yield Fact("libraries", ", ".join(f"{name} {_version(name) or 'missing'}" for name in by_extra.pop("")))
    for extra, packages in by_extra.items():
        missing = [name for name in packages if _version(name) is None]
        advice = f"if you need it: {install_command(extra)}" if missing else ""
        found = ", ".join(f"{name} {_version(name)}" for name in packages if name not in missing)
        yield Fact(f"extra {extra}", found if not missing else f"{', '.join(missing)} not installed", advice)
    yield _java(wanted=not any(_version(name) is None for name in by_extra.get("spark", ())))
    yield from _resources()
    encoding = sys.stdout.encoding or "none"
    yield Fact("encoding", encoding, "" if encoding.lower() in ("utf-8", "utf8") else "set PYTHONUTF8=1 to show all characters of names")


def _requirements() -> dict[str, list[str]]:
    """The packages of each extra; those that are always needed under the empty name."""
    by_extra: dict[str, list[str]] = {"": []}
    for requirement in metadata.requires("receval") or ():
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        extra = re.search(r"extra\s*==\s*[\"']([^\"']+)", requirement)
        if extra is None or extra[1] not in _FOR_DEVELOPERS:
            by_extra.setdefault(extra[1] if extra else "", []).append(name)
    return by_extra


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _java(wanted: bool) -> Fact:
    """The Java that Spark would use."""
    home = os.environ.get("JAVA_HOME")
    program = shutil.which("java") or (home and shutil.which("java", path=os.path.join(home, "bin")))
    if not program:
        return Fact("Java", "not found", "Spark needs a Java 17 runtime, or engine.remote" if wanted else "")
    try:
        said = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=20, check=False).stderr
    except (OSError, subprocess.SubprocessError):
        return Fact("Java", f"{program} does not answer", "install a Java 17 runtime")
    version = re.search(r'version "(\d+)[^"]*"', said)
    old = version is not None and int(version[1]) < 17
    return Fact("Java", version[0].removeprefix("version ").strip('"') if version else "unknown", "Spark 4 needs Java 17" if old else "")


def _resources() -> Iterator[Fact]:
    """Memory, threads and temporary space."""
    quarter = default_memory()
    yield Fact("memory", f"{_size(4 * quarter)}, of which lists take up to {_size(quarter)} (engine.memory)")
    limited = os.environ.get("POLARS_MAX_THREADS")
    yield Fact("threads", f"{n_polars_threads()} for Polars" + (f", by POLARS_MAX_THREADS={limited}" if limited else ""))
    folder = tempfile.gettempdir()
    free = shutil.disk_usage(folder).free
    scarce = free < quarter
    yield Fact("temporary files", f"{_size(free)} free in {folder}", "set TMPDIR to a folder with more space" if scarce else "")


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e9:.1f} GB"
