"""Kill runs at random moments, and let two runs write into one folder: afterwards results are complete, or the next run completes them.

    python benchmarks/kills.py [--kills 200] [--pairs 20] [--seed 1]

Runs of two configs that differ write into one folder in turn, and each is killed (SIGKILL) at a random moment. After every
kill the folder has exactly the files of its manifest, except hidden ones: those of the run before, or those of the new one. A
folder that a kill left between two renames is counted; it must be complete after the next run, and hidden files must be gone.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Final

CONFIG: Final = Path(__file__).parent.parent / "configs" / "quickstart.yaml"
CUTOFFS: Final = ("[5]", "[7, 11]")


def command(folder: Path, which: int) -> list[str]:
    """Return the command of a run of one of two configs into a folder."""
    return [sys.executable, "-m", "receval", "run", str(CONFIG), "--set", f"evaluation.top_k={CUTOFFS[which]}", "-q", "-o", f"{folder}/"]


def state(folder: Path) -> str:
    """Return `whole` if the files of a folder are those of its manifest, `nothing` if there is no folder, else `between`."""
    if not folder.is_dir() or not any(folder.iterdir()):
        return "nothing"
    try:
        outputs = {output["path"]: output["sha256"] for output in json.loads((folder / "manifest.json").read_text())["outputs"]}
    except (OSError, ValueError, KeyError):
        return "between"
    shown = [path for path in folder.iterdir() if path.name != "manifest.json" and not path.name.startswith(".")]
    files = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in shown}
    return "whole" if files == outputs else "between"


def states_after_kills(kills: int, chance: random.Random, folder: Path, log: Path) -> Counter[str]:
    """Count the states of a folder after each of `kills` kills; a complete run follows if it is not whole."""
    started = time.monotonic()
    subprocess.run(command(folder, 0), check=True)
    life = time.monotonic() - started
    counts: Counter[str] = Counter()
    number = 0
    while counts["killed"] < kills:
        number += 1
        with open(log, "wb") as output:
            started = time.monotonic()
            process = subprocess.Popen(command(folder, number % 2), stdout=output, stderr=output)
            # Half of the kills are in the last fifth of a run, in which it writes.
            latest = chance.uniform(0.75, 1.15) if chance.random() < 0.5 else chance.uniform(0, 1.15)
            try:
                process.wait(life * latest)
                life = time.monotonic() - started  # the machine may be busy at times
                counts["had ended before"] += 1
                continue
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                counts["killed"] += 1
        found = state(folder)
        counts[found] += 1
        counts["with temporary files of the run that was killed"] += any(folder.glob(".receval-*"))
        if found != "whole":
            subprocess.run(command(folder, number % 2), check=True)
            counts["whole after the next run"] += state(folder) == "whole"
    subprocess.run(command(folder, 0), check=True)
    left = [path for path in (*folder.parent.iterdir(), *folder.glob(".*")) if path not in (folder, log)]
    counts["temporary files after the last run"] = len(left)
    return counts


def in_pairs(pairs: int, folder: Path) -> Counter[str]:
    """Count the states of a folder after two runs wrote into it at the same time."""
    counts: Counter[str] = Counter()
    for _ in range(pairs):
        both = [subprocess.Popen(command(folder, which), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for which in (0, 1)]
        codes = [process.wait() for process in both]
        counts[f"{state(folder)}, exit codes {' and '.join(map(str, sorted(codes)))}"] += 1
    return counts


def main() -> None:
    """Print the counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "results"
        print(
            f"{options.kills} kills:",
            dict(states_after_kills(options.kills, random.Random(options.seed), folder, Path(place) / "log")),
            flush=True,
        )
        print(f"{options.pairs} pairs:", dict(in_pairs(options.pairs, folder)), flush=True)


if __name__ == "__main__":
    main()
