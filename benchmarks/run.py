"""Measure whole processes: `receval run` beside the bare floor, on 20 million recommendation rows.

    python benchmarks/run.py                 # makes the data once (about 800 MB in benchmarks/data), then measures
    python benchmarks/run.py --repeats 3     # fewer repeats than the usual five

The floor is the least any evaluator must do: read the lists, keep the rows that are in the truth, count them, with Polars on
the streaming engine. Times are medians; memory is the largest resident set of any repeat. Floor and receval take turns, so
that a slow moment of the machine meets both: compare ratios, not seconds.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "data"
N_USERS, N_LISTED, N_ITEMS, N_TEST = 200_000, 100, 50_000, 10
METRICS = ["Precision", "Recall", "F1", "HitRate", "RPrecision", "MAP", "MAR", "MRR", "DCG", "nDCG", "nDCGRendle2020", "RocAuc"]
FILES = (("sorted", "parquet"), ("sorted", "csv"), ("shuffled", "parquet"), ("shuffled", "csv"))
FLOOR = """
import sys, polars as pl
lists, test = sys.argv[1:]
scan = pl.scan_csv if lists.endswith("csv") else pl.scan_parquet
hits = scan(lists).join(scan(test), on=["user_id", "item_id"], how="semi").select(pl.len())
print(hits.collect(engine="streaming").item())
"""


def make() -> None:
    """Write the lists (sorted and shuffled) and the test set, as Parquet and CSV; the same on every machine."""
    import polars as pl

    def chance(column: str, seed: int) -> pl.Expr:
        return pl.col(column).hash(seed).cast(pl.Float64) / 2.0**64

    DATA.mkdir(exist_ok=True)
    rows = pl.select(n=pl.int_range(N_USERS * N_LISTED)).with_columns(user_id=pl.col("n") // N_LISTED, place=pl.col("n") % N_LISTED)
    width = N_ITEMS // N_LISTED  # each place of a list draws from a range of its own, so no item stands twice
    item = (pl.col("place") * 37 + pl.col("user_id") * 11) % N_LISTED * width + (width * chance("n", 1) ** 2).floor().cast(pl.Int64)
    score = (1 - (pl.col("place") + chance("n", 2)) / N_LISTED).cast(pl.Float32)
    lists = rows.select("user_id", item_id=item, score=score)
    found = lists.with_columns(n=pl.int_range(pl.len())).filter(chance("n", 3) < 0.03).select("user_id", "item_id")
    other = pl.select(n=pl.int_range(N_USERS * (N_TEST - 3))).with_columns(user_id=pl.col("n") // (N_TEST - 3))
    other = other.select("user_id", item_id=(N_ITEMS * chance("n", 4)).floor().cast(pl.Int64))
    test = pl.concat([found, other]).unique().sort("user_id", "item_id")
    for name, frame in (("test", test), ("sorted", lists), ("shuffled", lists.sample(fraction=1, shuffle=True, seed=5))):
        frame.write_parquet(DATA / f"{name}.parquet")
        frame.write_csv(DATA / f"{name}.csv")


def measure(command: list[str]) -> tuple[float, float]:
    """Seconds and megabytes of one process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


def compare(order: str, ending: str, repeats: int, folder: Path) -> str:
    """One line of the table."""
    lists, test = DATA / f"{order}.{ending}", DATA / f"test.{ending}"
    config = folder / "config.yaml"
    metrics = f"{{metrics: [{', '.join(METRICS)}], top_k: [5, 10, 20, 50, 100]}}"
    config.write_text(f"data: {{test: {test}, recommendations: {{model: {lists}}}}}\nevaluation: {metrics}\n")
    commands = {
        "floor": [sys.executable, "-c", FLOOR, str(lists), str(test)],
        "receval": [sys.executable, "-m", "receval.cli", "run", str(config)],
    }
    measure(commands["floor"])  # the first reading fills the page cache
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            taken[name].append(measure(command))
    seconds = {name: statistics.median(time for time, _ in values) for name, values in taken.items()}
    megabytes = {name: max(memory for _, memory in values) for name, values in taken.items()}
    ratio = seconds["receval"] / seconds["floor"]
    cells = [f"{seconds['floor']:.2f}", f"{seconds['receval']:.2f}", f"{ratio:.2f}"]
    cells += [f"{megabytes[name]:,.0f}" for name in ("floor", "receval")]
    return f"| {order} {ending} ({lists.stat().st_size / 1e6:,.0f} MB) | " + " | ".join(cells) + " |"


def small(repeats: int) -> list[str]:
    """The commands that should feel immediate."""
    quickstart = str(HERE.parent / "configs" / "quickstart.yaml")
    commands = {"receval run configs/quickstart.yaml": ["run", quickstart], "receval --help": ["--help"]}
    lines = []
    for name, arguments in commands.items():
        seconds = [measure([sys.executable, "-m", "receval.cli", *arguments])[0] for _ in range(repeats)]
        lines.append(f"| `{name}` | {statistics.median(seconds):.2f} |")
    return lines


def main() -> None:
    """Print the tables of benchmarks/README.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    if not (DATA / "shuffled.csv").exists():
        print("making the data …", file=sys.stderr)
        subprocess.run([sys.executable, "-c", f"import runpy; runpy.run_path({str(Path(__file__))!r})['make']()"], check=True)
    print("| lists | floor, s | receval, s | ratio | floor, MB | receval, MB |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for order, ending in FILES:
            print(compare(order, ending, repeats, Path(folder)), flush=True)
    print("\n| command | seconds |\n|---|---:|")
    print("\n".join(small(repeats)))


if __name__ == "__main__":
    main()
