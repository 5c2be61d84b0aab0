"""Time every form in which rows come in: the same 1 million list rows and 150,000 test rows, each form in a process of its own.

    python benchmarks/doors.py                  # every door, three times each (Spark once); keeps its files in benchmarks/data/doors
    python benchmarks/doors.py parquet csv s3   # some of them

A door has two parts: what its user does before (starts a session, makes a frame), and `receval.evaluate` of four metrics at 10 with all
health checks, which begins with receval's own imports. Memory is the largest resident set of the process, with the rows of a frame.
Memory and processor seconds are of this process: not of Java, and not of a server. The ratios are of processor
seconds, which other work of the machine changes little. A door whose library is missing is named with the reason.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import data
import polars as pl
import servers

HERE = data.DATA / "doors"
N_USERS, N_FILES, N_OTHERS = 10_000, 200, 12
QUERY: Final = "select user_id, item_id, score from lists"
BUCKET: Final = "bucket"
PASSWORD: Final = "doors"
REFERENCE: Final = "parquet"
METRICS: Final = ("Precision", "Recall", "nDCG", "MRR")

Given = dict[str, Any]
"""The addresses of the servers of a run: `postgres`, and the options of the `store`."""


@dataclass(frozen=True)
class Door:
    """One row of the table: its title, what it needs to be installed, and a function that makes what is given to `receval.evaluate`."""

    title: str
    recommendations: Callable[[Given], Any]
    needs: tuple[str, ...] = ()
    server: str = ""
    bare: bool = False
    """True for a door that is not evaluated: it shows what the way costs without receval."""
    once: bool = False
    """True for a door whose session takes so long to start that it is measured once."""


def main(names: Sequence[str], repeats: int) -> None:
    """Make the files, measure the doors in turn, and print the table."""
    in_own_process(make_files)
    skipped: dict[str, str] = {}
    with ExitStack() as stack:
        given: Given = {}
        for name in names:
            if missing := [library for library in DOORS[name].needs if not installed(library)]:
                skipped[name] = f"{' and '.join(missing)} not installed"
            elif DOORS[name].server == "postgres" and "postgres" not in given:
                try:
                    given["postgres"] = stack.enter_context(servers.postgres(PASSWORD))
                except servers.Missing as error:
                    skipped[name] = str(error)
                else:
                    in_own_process(fill_postgres, given["postgres"])
            elif DOORS[name].server == "store" and "store" not in given:
                given["store"] = stack.enter_context(servers.store(HERE))
        wanted = [name for name in names if name not in skipped]
        runs: dict[str, list[dict[str, float]]] = {name: [] for name in wanted}
        for number in range(repeats + 1):
            for name in wanted:
                # The first reading fills the page cache.
                if not DOORS[name].once or number == 1:
                    run = measured(name, given)
                    runs[name] += [run] if number else []
    print("| door | before, s | receval, s | processor, s | times Parquet | MB |\n|---|---:|---:|---:|---:|---:|")
    base = median(runs[REFERENCE], "processor") if REFERENCE in runs else 0.0
    for name in wanted:
        before, seconds, processor = (median(runs[name], key) for key in ("before", "seconds", "processor"))
        own = [f"{seconds:.2f}", f"{processor:.2f}", f"{processor / base:.2f}" if base else ""]
        numbers = [f"{before:.2f}", *(["", "", ""] if DOORS[name].bare else own)]
        print(f"| {DOORS[name].title} | {' | '.join(numbers)} | {max(run['megabytes'] for run in runs[name]):,.0f} |")
    for name, reason in skipped.items():
        print(f"\n{DOORS[name].title}: skipped, {reason}")


def in_own_process(make: Callable[..., None], *arguments: str) -> None:
    """Call a function of this file in a process of its own, because a measured process begins with the memory of this one."""
    process = multiprocessing.get_context("spawn").Process(target=make, args=arguments)
    process.start()
    process.join()
    if process.exitcode:
        raise SystemExit(process.exitcode)


def measured(name: str, given: Given) -> dict[str, float]:
    """Return the times and memory of a door, from a process of its own."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    command = [sys.executable, __file__, "--door", name, json.dumps(given)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr[-3000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def pass_through(name: str, given: Given) -> None:
    """Evaluate the lists of one door, and print the times and memory as JSON."""
    start = time.perf_counter()
    recommendations = DOORS[name].recommendations(given)
    between, worked = time.perf_counter(), time.process_time()
    if not DOORS[name].bare:
        import receval

        test = str(HERE / "test.parquet")
        result = receval.evaluate(test=test, recommendations={"model": recommendations}, metrics=METRICS, top_k=10)
        assert result["model", "Recall@10"].value > 0
    end, peak = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        json.dumps({"before": between - start, "seconds": end - between, "processor": time.process_time() - worked, "megabytes": peak}),
        flush=True,
    )
    os._exit(0)  # sessions of Spark take seconds to end


def median(runs: Sequence[dict[str, float]], key: str) -> float:
    """Return the median of one number of all runs."""
    return statistics.median(run[key] for run in runs)


def installed(library: str) -> bool:
    """Return whether a module, or a program such as `java`, is installed."""
    if library == "java":
        return bool(shutil.which("java") or os.environ.get("JAVA_HOME"))
    return find_spec(library) is not None  # an import would add to the memory with which measured processes begin


def make_files() -> None:
    """Make the files of all doors, once; those of a library that is missing are made when it is there."""
    HERE.mkdir(parents=True, exist_ok=True)
    numbers = pl.select(n=pl.int_range(N_USERS * data.N_LISTED))
    lists = data.lists(numbers)
    for name, make in MADE.items():
        if not (HERE / name).exists() and all(map(installed, NEEDED.get(name, ()))):
            unfinished = HERE / f"unfinished-{name}"
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.unlink(missing_ok=True)
            make(lists.with_columns(numbers["n"]) if name == "test.parquet" else lists, unfinished)
            unfinished.rename(HERE / name)
    iceberg = HERE / "iceberg"  # a table cannot be moved
    if not iceberg.exists() and all(map(installed, DOORS["iceberg"].needs)):
        _make_iceberg(lists, iceberg)


def _make_test(listed: pl.DataFrame, path: Path) -> None:
    """Write three of a hundred listed items, and twelve random items, for each user."""
    hits = listed.filter(data.chance("n", 3) < 0.03).select("user_id", "item_id")
    others = pl.select(n=pl.int_range(N_USERS * N_OTHERS))
    items = (data.N_ITEMS * data.chance("n", 4)).floor().cast(pl.Int64)
    rows = pl.concat([hits, others.select(user_id=pl.col("n") // N_OTHERS, item_id=items)])
    rows.unique().sort("user_id", "item_id").write_parquet(path)


def _make_folder(lists: pl.DataFrame, folder: Path) -> None:
    folder.mkdir(parents=True)
    size = lists.height // N_FILES
    for number in range(N_FILES):
        lists[number * size : (number + 1) * size].write_parquet(folder / f"part-{number:03}.parquet")


def _make_bucket(lists: pl.DataFrame, folder: Path) -> None:
    _make_folder(lists, folder / "folder")


def _make_sqlite(lists: pl.DataFrame, path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("create table lists (user_id integer, item_id integer, score real)")
        database.executemany("insert into lists values (?, ?, ?)", lists.iter_rows())
        database.commit()


def _make_duckdb(lists: pl.DataFrame, path: Path) -> None:
    with import_module("duckdb").connect(path) as database:
        database.register("made", lists.to_arrow())
        database.execute("create table lists as select * from made")


def _make_iceberg(lists: pl.DataFrame, folder: Path) -> None:
    folder.mkdir()
    catalog = import_module("pyiceberg.catalog.sql").SqlCatalog("doors", uri="sqlite://", warehouse=f"file://{folder}")
    catalog.create_namespace("shop")
    rows = lists.to_arrow()
    catalog.create_table("shop.lists", schema=rows.schema).append(rows)


MADE: Final[dict[str, Callable[[pl.DataFrame, Path], object]]] = {
    "test.parquet": _make_test,
    "lists.parquet": pl.DataFrame.write_parquet,
    "lists.csv": pl.DataFrame.write_csv,
    "lists.ndjson": pl.DataFrame.write_ndjson,
    BUCKET: _make_bucket,
    "lists.db": _make_sqlite,
    "lists.duckdb": _make_duckdb,
    "delta": lambda lists, path: lists.write_delta(path),
}
"""Name of a file or folder → the function that makes it."""
NEEDED: Final = {"lists.duckdb": ("duckdb",), "delta": ("deltalake",)}


def fill_postgres(uri: str) -> None:
    """Copy the lists into a table of a PostgreSQL."""
    with servers.connected(uri) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("lists", pl.read_parquet(HERE / "lists.parquet").to_arrow())
        connection.commit()


def _path(name: str) -> Callable[[Given], str]:
    return lambda _: str(HERE / name)


def _query(uri: str) -> Callable[[Given], Given]:
    return lambda given: {"uri": given.get("postgres", "") if uri == "postgres" else f"{uri}{HERE}/lists.{_DATABASES[uri]}", "query": QUERY}


_DATABASES: Final = {"sqlite:///": "db", "duckdb:///": "duckdb"}


def _polars(_: Given) -> pl.DataFrame:
    return pl.read_parquet(HERE / "lists.parquet")


def _pandas(_: Given) -> Any:
    return import_module("pandas").read_parquet(HERE / "lists.parquet")


def _arrow(_: Given) -> Any:
    return import_module("pyarrow.parquet").read_table(HERE / "lists.parquet")


def _relation(_: Given) -> Any:
    return import_module("duckdb").read_parquet(str(HERE / "lists.parquet"))


def _arrays(_: Given) -> Any:
    rows = pl.read_parquet(HERE / "lists.parquet")
    return rows["item_id"].to_numpy().reshape(N_USERS, -1), rows["score"].to_numpy().reshape(N_USERS, -1)


def _tensors(given: Given) -> Any:
    torch = import_module("torch")
    items, scores = _arrays(given)
    return torch.tensor(items), torch.tensor(scores)


def _dicts(_: Given) -> Any:
    rows = pl.read_parquet(HERE / "lists.parquet").group_by("user_id", maintain_order=True).agg("item_id", "score")
    return {user: dict(zip(items, scores, strict=True)) for user, items, scores in rows.iter_rows()}


def _store(given: Given) -> Given:
    return {"path": f"s3://{BUCKET}/folder/", "storage_options": given["store"]}


def _downloaded(given: Given) -> Any:
    """Fetch the folder as a script with obstore would: one listing, then all files side by side."""
    from concurrent.futures import ThreadPoolExecutor

    from obstore.store import from_url

    options = dict(given["store"])
    options.pop("allow_http")
    store = from_url(f"s3://{BUCKET}", config=options, client_options={"allow_http": True})
    keys = [entry["path"] for batch in store.list("folder") for entry in batch]
    with ThreadPoolExecutor(16) as pool:
        return list(pool.map(lambda key: bytes(store.get(key).bytes()), keys))


def _spark(_: Given) -> Any:
    session = import_module("pyspark.sql").SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    return session.read.parquet(str(HERE / "lists.parquet"))


def _connect(_: Given) -> Any:
    session = import_module("pyspark.sql").SparkSession.builder.remote("local[2]").getOrCreate()
    return session.read.parquet(str(HERE / "lists.parquet"))


_SQL: Final = ("adbc_driver_manager",)
DOORS: Final = {
    "parquet": Door("Parquet", _path("lists.parquet")),
    "csv": Door("CSV", _path("lists.csv")),
    "folder": Door(f"folder of {N_FILES} Parquet files", _path(f"{BUCKET}/folder")),
    "ndjson": Door("NDJSON", _path("lists.ndjson")),
    "polars": Door("Polars frame", _polars),
    "pandas": Door("pandas frame", _pandas, ("pandas",)),
    "arrow": Door("pyarrow table", _arrow, ("pyarrow",)),
    "relation": Door("DuckDB relation", _relation, ("duckdb",)),
    "arrays": Door("NumPy: ids and scores", _arrays),
    "tensors": Door("PyTorch: ids and scores", _tensors, ("torch",)),
    "dicts": Door("{user: {item: score}}", _dicts),
    "sqlite": Door("query of SQLite", _query("sqlite:///"), (*_SQL, "adbc_driver_sqlite")),
    "duckdb": Door("query of DuckDB", _query("duckdb:///"), (*_SQL, "duckdb")),
    "postgres": Door("query of PostgreSQL", _query("postgres"), (*_SQL, "adbc_driver_postgresql"), "postgres"),
    "download": Door("the folder in a store, only downloaded by obstore", _downloaded, ("obstore",), "store", bare=True),
    "s3": Door("the folder in a store", _store, ("obstore",), "store"),
    "delta": Door("Delta", _path("delta"), ("deltalake",)),
    "iceberg": Door("Iceberg", _path("iceberg/shop/lists"), ("pyiceberg", "polars_iceberg", "sqlalchemy")),
    "spark": Door("frame of Spark, local[2]", _spark, ("pyspark", "java"), once=True),
    "connect": Door("frame of Spark Connect, local[2]", _connect, ("pyspark", "grpc", "java"), once=True),
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("doors", nargs="*", choices=[*DOORS, []], help="which; all if not given")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--door", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.door:
        pass_through(arguments.door[0], json.loads(arguments.door[1]))
    else:
        main(arguments.doors or list(DOORS), arguments.repeats)
