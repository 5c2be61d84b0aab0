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
BEYOND = ["ARP", "EPC", "EFD", "Surprisal", "Gini", "ShannonEntropy", "ItemCoverage", "APLT", "PopREO", "ILD"]
"""Metrics beyond accuracy; ILD is that of Jaccard distances of categories."""
N_CATEGORIES, N_TRAIN = 18, 10
LIBRARIES = ["warprec", "replay", "clayrs", "relison", "rs_metrics", "trec_eval", "ranx", "ranksys", "rectools", "elliot", "lenskit"]
"""With receval itself twelve conventions."""
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
    profiles = pl.select(n=pl.int_range(N_USERS * N_TRAIN)).with_columns(user_id=pl.col("n") // N_TRAIN)
    train = profiles.select("user_id", item_id=(N_ITEMS * chance("n", 6) ** 2).floor().cast(pl.Int64)).unique().sort("user_id", "item_id")
    train.write_parquet(DATA / "train.parquet")
    items = pl.select(item_id=pl.int_range(N_ITEMS)).with_columns(number=(N_CATEGORIES * chance("item_id", 7)).floor().cast(pl.Int64))
    items.select("item_id", category=pl.format("category {}", "number")).write_parquet(DATA / "items.parquet")
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
    """One line of the first table."""
    lists, test = DATA / f"{order}.{ending}", DATA / f"test.{ending}"
    config = configured(folder, lists, test)
    floor = [sys.executable, "-c", FLOOR, str(lists), str(test)]
    return line(f"{order} {ending} ({lists.stat().st_size / 1e6:,.0f} MB)", floor, receval("run", str(config)), repeats)


def beyond(order: str, ending: str, repeats: int, folder: Path) -> str:
    """One line of the table of metrics beyond accuracy."""
    lists, test = DATA / f"{order}.{ending}", DATA / f"test.{ending}"
    side = f"train: {DATA / 'train.parquet'}, items: {{path: {DATA / 'items.parquet'}, categories: category}}"
    config = configured(folder, lists, test, BEYOND, side)
    floor = [sys.executable, "-c", FLOOR, str(lists), str(test)]
    return line(f"{order} {ending}", floor, receval("run", str(config)), repeats)


def examined(order: str, ending: str, repeats: int, folder: Path) -> list[str]:
    """Lines of the table of health checks: with the test file alone, and with train and items, which only the checks read."""
    lists, test = DATA / f"{order}.{ending}", DATA / f"test.{ending}"
    side = f"train: {DATA / 'train.parquet'}, items: {DATA / 'items.parquet'}"
    lines = []
    for name, more in ((f"{order} {ending}", ""), (f"{order} {ending}, with train and items", side)):
        config = str(configured(folder, lists, test, side=more))
        lines.append(line(name, receval("run", config, "--set", "health=off"), receval("run", config), repeats))
    config = str(configured(folder, lists, test, BEYOND, f"{side.replace('items: ', 'items: {path: ')}, categories: category}}"))
    beyond = line(
        f"{order} {ending}, metrics beyond accuracy", receval("run", config, "--set", "health=off"), receval("run", config), repeats
    )
    return [*lines, beyond]


def audited(order: str, ending: str, repeats: int, folder: Path) -> str:
    """One line of the second table."""
    config = str(configured(folder, DATA / f"{order}.{ending}", DATA / f"test.{ending}"))
    options = [part for name in LIBRARIES for part in ("--convention", name)]
    return line(f"{order} {ending}", receval("run", config), receval("audit", config, *options), repeats)


def configured(folder: Path, lists: Path, test: Path, metrics: list[str] = METRICS, side: str = "") -> Path:
    """A config over the benchmark's files."""
    config = folder / "config.yaml"
    asked = f"{{metrics: [{', '.join(metrics)}], top_k: [5, 10, 20, 50, 100]}}"
    config.write_text(f"data: {{test: {test}, recommendations: {{model: {lists}}}, {side}}}\nevaluation: {asked}\n")
    return config


def receval(*arguments: str) -> list[str]:
    """A command of receval."""
    return [sys.executable, "-m", "receval.cli", *arguments]


def line(name: str, base: list[str], command: list[str], repeats: int) -> str:
    """One row of a table: a command beside the one it is measured by."""
    measure(base)  # the first reading fills the page cache
    taken = [(measure(base), measure(command)) for _ in range(repeats)]
    seconds = [statistics.median(pair[place][0] for pair in taken) for place in (0, 1)]
    megabytes = [max(pair[place][1] for pair in taken) for place in (0, 1)]
    cells = [*(f"{time:.2f}" for time in seconds), f"{seconds[1] / seconds[0]:.2f}", *(f"{size:,.0f}" for size in megabytes)]
    return f"| {name} | " + " | ".join(cells) + " |"


def small(repeats: int) -> list[str]:
    """The commands that should feel immediate."""
    quickstart = str(HERE.parent / "configs" / "quickstart.yaml")
    commands = {"receval run configs/quickstart.yaml": ["run", quickstart], "receval --help": ["--help"]}
    lines = []
    for name, arguments in commands.items():
        seconds = [measure(receval(*arguments))[0] for _ in range(repeats)]
        lines.append(f"| `{name}` | {statistics.median(seconds):.2f} |")
    return lines


def main() -> None:
    """Print the tables of benchmarks/README.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    if not (DATA / "items.parquet").exists():
        print("making the data …", file=sys.stderr)
        subprocess.run([sys.executable, "-c", f"import runpy; runpy.run_path({str(Path(__file__))!r})['make']()"], check=True)
    print("| lists | floor, s | receval, s | ratio | floor, MB | receval, MB |\n|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for order, ending in FILES:
            print(compare(order, ending, repeats, Path(folder)), flush=True)
        print("\n| beyond accuracy | floor, s | receval, s | ratio | floor, MB | receval, MB |\n|---|---:|---:|---:|---:|---:|")
        for order in ("sorted", "shuffled"):
            print(beyond(order, "parquet", repeats, Path(folder)), flush=True)
        print("\n| health checks | off, s | all, s | ratio | off, MB | all, MB |\n|---|---:|---:|---:|---:|---:|")
        for order in ("sorted", "shuffled"):
            for row in examined(order, "parquet", repeats, Path(folder)):
                print(row, flush=True)
        print("\n| lists | run, s | audit, s | ratio | run, MB | audit, MB |\n|---|---:|---:|---:|---:|---:|")
        for order in ("sorted", "shuffled"):
            print(audited(order, "parquet", repeats, Path(folder)), flush=True)
    print("\n| command | seconds |\n|---|---:|")
    print("\n".join(small(repeats)))


if __name__ == "__main__":
    main()
