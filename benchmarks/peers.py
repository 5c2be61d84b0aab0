"""Other libraries at sizes that they can handle, each a whole process in its own environment below benchmarks/data/peers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import data
import table

PACKAGES: Final = {"ranx": "ranx", "pytrec_eval": "pytrec_eval-terrier", "RecTools": "rectools", "RePlay (Polars)": "replay-rec"}
READERS: Final = ("polars", "pandas", "pyarrow<20")
"""The last pyarrow that works with NumPy 1, which some peers need without declaring it."""
ENVIRONMENTS: Final = data.DATA / "peers"
SIZES: Final = ("2m", "20m", "200m")
"""How many list rows, in order."""
N_USERS: Final = 20_000
"""The users of 2 million rows: the first of 20 million."""
LONGEST: Final = 900
"""Seconds that a library may take."""
HEADER: Final = "\n| {} M rows in order, Precision, Recall, nDCG, MRR at 10 | seconds | times receval | MB |\n|---|---:|---:|---:|"

_READ: Final = """
import sys, polars as pl
lists, test = (pl.read_parquet(path) for path in sys.argv[1:])
"""
_AS_DICTIONARIES: Final = """
def nested(frame, column):
    grouped = frame.group_by("user", maintain_order=True).agg("item", column)
    return {user: dict(zip(items, values)) for user, items, values in grouped.iter_rows()}
text = [pl.col("user_id").cast(pl.String).alias("user"), pl.col("item_id").cast(pl.String).alias("item")]
run = nested(lists.select(*text, pl.col("score").cast(pl.Float64)), "score")
qrels = nested(test.select(*text, pl.lit(1).alias("grade")), "grade")
"""
SCRIPTS: Final = {
    "ranx": _READ
    + _AS_DICTIONARIES
    + """
from ranx import Qrels, Run, evaluate
print(evaluate(Qrels(qrels), Run(run), ["precision@10", "recall@10", "ndcg@10", "mrr@10"], make_comparable=True))
""",
    "pytrec_eval": _READ
    + _AS_DICTIONARIES
    + """
import pytrec_eval
found = pytrec_eval.RelevanceEvaluator(qrels, {"P.10", "recall.10", "ndcg_cut.10", "recip_rank"}).evaluate(run)
print(sum(user["ndcg_cut_10"] for user in found.values()) / len(found))
""",
    "RecTools": _READ
    + """
from rectools.metrics import MRR, NDCG, Precision, Recall, calc_metrics
reco = lists.with_columns(rank=pl.int_range(1, pl.len() + 1).over("user_id")).select("user_id", "item_id", "rank").to_pandas()
metrics = {"p": Precision(k=10), "r": Recall(k=10), "n": NDCG(k=10), "m": MRR(k=10)}
print(calc_metrics(metrics, reco=reco, interactions=test.to_pandas()))
""",
    "RePlay (Polars)": _READ
    + """
from replay.metrics import MRR, NDCG, OfflineMetrics, Precision, Recall
columns = {"query_column": "user_id", "item_column": "item_id", "rating_column": "score"}
print(OfflineMetrics([Precision(10), Recall(10), NDCG(10), MRR(10)], **columns)(lists, test))
""",
}


def lines(size: str, repeats: int, folder: Path) -> Iterator[str]:
    """Yield the table of the peers at a size, with receval and the same metrics on the same files; receval writes its results too.

    At 2 million rows the first run of each is left out, because it includes compilation in the library. A library that needs more than 15
    minutes or four fifths of the memory is ended.
    """
    files = [str(path) for path in _files(size, folder)]
    config = folder / "peers.yaml"
    evaluation = "{metrics: [Precision, Recall, nDCG, MRR], top_k: [10]}"
    config.write_text(f"data: {{test: {files[1]}, recommendations: {{model: {files[0]}}}}}\nevaluation: {evaluation}\n")
    yield HEADER.format(size.removesuffix("m"))
    own = _measured(table.receval("run", str(config), "-o", f"{folder / 'output'}/"), size, repeats)
    yield _line("receval, which also writes its folder of results", own, own)
    for name, script in SCRIPTS.items():
        python = _python(name)
        yield _line(name, "not installed" if python is None else _measured([python, "-c", script, *files], size, repeats), own)


def _measured(command: list[str], size: str, repeats: int) -> table.Measurement | str:
    """Return the median time and the largest memory of a command, or why there is none."""
    limit = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 5 * 4 // 1024
    shell = ["sh", "-c", f'ulimit -v {limit}; exec timeout {LONGEST} "$@"', "sh", *command]
    try:
        if size == "2m":
            table.measure(shell)
        return table.median(shell, repeats)
    except SystemExit as failure:
        return f"{str(failure).rpartition(' failed with ')[2]} is its exit code"


def _line(name: str, measured: table.Measurement | str, own: table.Measurement | str) -> str:
    if isinstance(measured, str):
        return f"| {name} | {measured} | | |"
    times = f"{measured.seconds / own.seconds:.1f}" if isinstance(own, table.Measurement) else ""
    return f"| {name} | {measured.seconds:.2f} | {times} | {measured.megabytes:,.0f} |"


def _python(name: str) -> str | None:
    """Return the Python of a peer's environment; make it if it does not exist; `None` if the peer cannot be installed."""
    folder = ENVIRONMENTS / PACKAGES[name]
    python = folder / "bin" / "python"
    if not python.exists():
        print(f"installing {name} …", file=sys.stderr)
        venv.create(folder, with_pip=True)
        installed = subprocess.run([python, "-m", "pip", "install", "-q", PACKAGES[name], *READERS], stdout=sys.stderr)
        if installed.returncode:
            shutil.rmtree(folder)
            return None
    return str(python)


def _files(size: str, folder: Path) -> tuple[Path, Path]:
    """Write the lists and the test rows of the first users to separate files, or return the files that have just these users."""
    if size != "2m":
        more = "-200m" if size == "200m" else ""
        return data.file(f"sorted{more}.parquet"), data.file(f"test{more}.parquet")
    program = f"""
import sys, polars as pl
for source, target in zip(sys.argv[1:3], sys.argv[3:]):
    pl.scan_parquet(source).filter(pl.col("user_id") < {N_USERS}).collect().write_parquet(target)
"""
    targets = (folder / "lists.parquet", folder / "test.parquet")
    sources = (data.file("sorted.parquet"), data.file("test.parquet"))
    subprocess.run([sys.executable, "-c", program, *map(str, (*sources, *targets))], check=True)
    return targets
