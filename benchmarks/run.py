"""Measure whole processes: receval beside the bare floor, and beside peers.

    python benchmarks/run.py                        # every row of 20 million list rows; makes 1.2 GB in benchmarks/data once
    python benchmarks/run.py parquet csv            # some rows
    python benchmarks/run.py 200m 200m-shuffled 1b  # large rows, which are measured only when named
    python benchmarks/run.py --peers 2m             # other libraries, each in its own environment; also 20m and 200m

The floor is Polars on its streaming engine: it reads the same files, keeps the rows that are in the test set, and counts them. All
health checks are on. Times are medians of whole processes; memory is the largest resident set of any repeat. Floor and receval
take turns, so that a slow moment of the machine affects both: compare ratios, not seconds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import data
import peers
import spark
import table
from receval import conventions

HERE = Path(__file__).parent
METRICS = ("Precision", "Recall", "F1", "HitRate", "RPrecision", "MAP", "MAR", "MRR", "DCG", "nDCG", "nDCGRendle2020", "RocAuc")
FIVE = ("nDCG", "MAP", "Recall", "Precision", "MRR")
BEYOND = ("ARP", "EPC", "EFD", "Surprisal", "Gini", "ShannonEntropy", "ItemCoverage", "APLT", "PopREO", "ILD")
"""Metrics beyond accuracy; ILD is that of Jaccard distances of categories."""


@dataclass(frozen=True)
class Case:
    """One row of the table: its files, its metrics, and its targets."""

    title: str
    target: str
    lists: str
    test: str
    metrics: tuple[str, ...] = METRICS
    with_sides: bool = False
    engine: str = ""
    writes: bool = True
    large: bool = False


CASES = {
    "parquet": Case("20 M rows, Parquet in order", "2.1, 650 MB", "sorted.parquet", "test.parquet"),
    "unwritten": Case("20 M rows, Parquet in order, without output", "1.8", "sorted.parquet", "test.parquet", writes=False),
    "csv": Case("20 M rows, CSV in order", "1.7", "sorted.csv", "test.csv"),
    "shuffled": Case("20 M rows, Parquet shuffled", "2.8", "shuffled.parquet", "test.parquet"),
    "sides": Case("in order, with train and items that only checks read", "2.8", "sorted.parquet", "test.parquet", with_sides=True),
    "beyond": Case("ten metrics beyond accuracy, in order", "3.5", "sorted.parquet", "test.parquet", BEYOND, True),
    "beyond-shuffled": Case("ten metrics beyond accuracy, shuffled", "4.5", "shuffled.parquet", "test.parquet", BEYOND, True),
    "text": Case("string ids, Parquet in order", "2.0", "sorted-text.parquet", "test-text.parquet"),
    "200m": Case("200 M rows, Parquet in order", "1.2", "sorted-200m.parquet", "test-200m.parquet", large=True),
    "200m-shuffled": Case(
        "200 M rows shuffled, engine.memory 1GB",
        "3.5, 2.5 GB",
        "shuffled-200m.parquet",
        "test-200m.parquet",
        engine="engine: {name: polars, memory: 1GB}\n",
        large=True,
    ),
    "1b": Case("1 billion rows, Parquet in order", "1.0, 4 GB", "sorted-1b.parquet", "test-1b.parquet", large=True),
}


def config_of(case: Case, folder: Path, top_k: str = "[5, 10, 20, 50, 100]") -> str:
    """Write the config of a row; return its path."""
    sides = ""
    if case.with_sides:
        sides = f", train: {data.file('train.parquet')}, items: {{path: {data.file('items.parquet')}, categories: category}}"
    files = f"data: {{test: {data.file(case.test)}, recommendations: {{model: {data.file(case.lists)}}}{sides}}}\n"
    path = folder / "config.yaml"
    path.write_text(f"{files}evaluation: {{metrics: [{', '.join(case.metrics)}], top_k: {top_k}}}\n{case.engine}")
    return str(path)


def floor_of(case: Case) -> list[str]:
    """Return the command that is the floor of a row."""
    return [sys.executable, str(HERE / "floor.py"), str(data.file(case.lists)), str(data.file(case.test))]


def run_line(name: str, repeats: int, folder: Path) -> str:
    """Return the line of a row."""
    case = CASES[name]
    output = ("-o", f"{folder / 'output'}/") if case.writes else ()
    command = table.receval("run", config_of(case, folder), *output)
    return table.line(case.title, case.target, *table.in_turn(floor_of(case), command, repeats))


def audit(repeats: int, folder: Path) -> str:
    """Return the lines of an audit of all conventions, of five measures and of sixty; their floor is a run of the same config."""
    few, every = replace(CASES["parquet"], metrics=FIVE), CASES["parquet"]
    found = len(conventions.builtin_names())
    lines = []
    for case, top_k, title, most in ((few, "[10]", "5 measures", "2.5"), (every, "[5, 10, 20, 50, 100]", "60 measures", "")):
        config = config_of(case, folder, top_k)
        run, audited = table.in_turn(table.receval("run", config), table.receval("audit", config), repeats)
        lines.append(table.line(f"audit of {found} conventions, {title}, in order (floor: a run)", most, run, audited))
    return "\n".join(lines)


def _beside_plain(title: str, target: str, more: str, sides: str = "") -> Callable[[int, Path], str]:
    """Return the function of a row whose floor is a run of the same files without `more` in the evaluation."""

    def row(repeats: int, folder: Path) -> str:
        files = f"test: {data.file('test-events.parquet')}, recommendations: {{model: {data.file('sorted.parquet')}}}"
        commands = []
        for name, added in (("plain", ""), ("more", more)):
            path = folder / f"{name}.yaml"
            given = f", {sides}: {data.file(f'{sides}.parquet')}" if sides else ""
            asked = f"metrics: [{', '.join(METRICS)}], top_k: [5, 10, 20, 50, 100]{added}"
            path.write_text(f"data: {{{files}{given}}}\nevaluation: {{{asked}}}\n")
            commands.append(table.receval("run", str(path)))
        return table.line(title, target, *table.in_turn(commands[0], commands[1], repeats, processor=True))

    return row


def with_output(repeats: int, folder: Path) -> str:
    """Return the line of a run that writes its results; its floor is the same run without output."""
    command = table.receval("run", config_of(CASES["parquet"], folder))
    both = table.in_turn(command, [*command, "-o", f"{folder / 'output'}/"], repeats, processor=True)
    return table.line("processor time: 20 M rows with output (floor: without)", "1.15", *both)


def quickstart(repeats: int, folder: Path) -> str:
    """Return the line of the quickstart; its floor is to import Polars."""
    command = table.receval("run", str(HERE.parent / "configs" / "quickstart.yaml"))
    floor = [sys.executable, "-c", "import polars"]
    return table.line("quickstart (floor: `import polars`)", "2.2", *table.in_turn(floor, command, max(repeats, 5)))


OTHERS = {
    "audit": audit,
    "output": with_output,
    "row-groups": _beside_plain("processor time: groups by rows.event (floor: a run)", "1.25", ", by: rows.event"),
    "repeats": _beside_plain("processor time: groups by rows.repeat (floor: a run)", "1.25", ", by: rows.repeat", "train"),
    "popularity": _beside_plain("processor time: groups by rows.popularity:5 (floor: a run)", "1.25", ", by: 'rows.popularity:5'", "train"),
    "weights": _beside_plain("processor time: weights of users (floor: a run)", "1.1", ", weights: {users: users.revenue}", "users"),
    "quickstart": quickstart,
    "spark-quickstart": spark.quickstart,
    "spark-cluster": spark.on_cluster,
}
"""Rows that are not a run beside the floor."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table of benchmarks/README.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", help=f"of {', '.join((*CASES, *OTHERS))}; all that are not large if none is named")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--peers", action="append", default=[], choices=peers.SIZES, help="measure other libraries too, at this size")
    options = parser.parse_args(arguments)
    unknown = set(options.rows) - CASES.keys() - OTHERS.keys()
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}")
    chosen = options.rows or ([] if options.peers else [*(name for name, case in CASES.items() if not case.large), *OTHERS])
    with tempfile.TemporaryDirectory() as folder:
        if chosen:
            print(table.HEADER)
        for name in chosen:
            case_of = OTHERS.get(name)
            print(case_of(options.repeats, Path(folder)) if case_of else run_line(name, options.repeats, Path(folder)), flush=True)
        for size in options.peers:
            for line in peers.lines(size, options.repeats, Path(folder)):
                print(line, flush=True)


if __name__ == "__main__":
    main()
