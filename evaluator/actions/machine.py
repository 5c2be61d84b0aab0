"""Facts about the machine: versions, extras, Java, memory, threads and temporary space, with advice."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from typing import NamedTuple

from ..engines.processes import n_processes
from ..engines.resources import default_memory, n_polars_threads
from ..support.extras import install_command


class Fact(NamedTuple):
    """One fact about the machine, with advice if something should be done."""

    name: str
    found: str
    advice: str = ""


def facts() -> list[Fact]:
    """Return facts about the machine, the most needed first."""
    by_extra: dict[str, list[str]] = {"": []}  # the packages of each extra; the empty name has those that are always needed
    for requirement in metadata.requires("receval") or ():
        name = re.split(r"[^\w.-]", requirement, maxsplit=1)[0]
        of_extra = re.search(r"extra\s*==\s*[\"']([^\"']+)", requirement)
        if of_extra is None or of_extra[1] not in ("dev", "docs"):
            by_extra.setdefault(of_extra[1] if of_extra else "", []).append(name)
    installed = {name: _version(name) for names in by_extra.values() for name in names}
    found = [
        Fact("receval", metadata.version("receval")),
        Fact("Python", f"{platform.python_version()} on {platform.system()} {platform.machine()}"),
        Fact("libraries", ", ".join(f"{name} {installed[name] or 'missing'}" for name in by_extra.pop(""))),
    ]
    for extra, packages in by_extra.items():
        missing = [name for name in packages if installed[name] is None]
        there = ", ".join(f"{name} {installed[name]}" for name in packages if name not in missing)
        advice = f"if you need it: {install_command(extra)}" if missing else ""
        found.append(Fact(f"extra {extra}", f"{', '.join(missing)} not installed" if missing else there, advice))
    found.append(_java(wanted=all(installed[name] is not None for name in by_extra.get("spark", ()))))
    quarter, limited, folder = default_memory(), os.environ.get("POLARS_MAX_THREADS"), tempfile.gettempdir()
    n = n_processes()
    free, encoding = shutil.disk_usage(folder).free, sys.stdout.encoding or "none"
    return [
        *found,
        Fact("memory", f"{4 * quarter / 1e9:.1f} GB, of which lists take up to {quarter / 1e9:.1f} GB (engine.memory)"),
        Fact("threads", f"{n_polars_threads()} for Polars{f', by POLARS_MAX_THREADS={limited}' if limited else ''}"),
        Fact("processes", f"{n or 'no other'} for large lists (engine.workers)"),
        Fact(
            "temporary files", f"{free / 1e9:.1f} GB free in {folder}", "set TMPDIR to a folder with more space" if free < quarter else ""
        ),
        Fact("encoding", encoding, "" if encoding.lower() in ("utf-8", "utf8") else "set PYTHONUTF8=1 to show all characters of names"),
    ]


def as_text(found: Sequence[Fact]) -> str:
    """Return a line for each fact, with its advice below."""
    width = max(len(fact.name) for fact in found)
    lines = ((f"{fact.name:{width}}  {fact.found}", *([f"{'':{width}}  → {fact.advice}"] if fact.advice else [])) for fact in found)
    return "".join(f"{line}\n" for pair in lines for line in pair)


def content(found: Sequence[Fact]) -> list[dict[str, str]]:
    """Return the facts as plain values."""
    return [fact._asdict() for fact in found]


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _java(wanted: bool) -> Fact:
    """Return the fact on the Java that Spark would use."""
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
