"""On Spark users arrive complete as on one machine, with the same rows, types and faults, from every reader."""

from __future__ import annotations

import gzip
import itertools
from pathlib import Path

import polars as pl
import pytest
from receval import load
from receval.engines.spark.catalog_tables import look_at_table
from receval.engines.spark.shuffle import measure_on_spark, table_frame
from receval.engines.spark.workers import EnclosedValue
from receval.evaluation.files import SourceReader
from receval.load.faults import FaultTally
from receval.load.opening import open_rows
from receval.load.scan import Scan
from receval.support.errors import DataError

pytestmark = [pytest.mark.spark, pytest.mark.slow]

USERS = [7, 3, 7, 12, 3, 3, 9, 1, 7, 12, 1, 5]
LISTS = pl.DataFrame(
    {
        "user": USERS,
        "item": [(7919 * number) % 23 for number in range(len(USERS))],
        "score": [number / 4 for number in range(len(USERS))],
    }
)


@pytest.fixture
def session(spark_session):
    return spark_session


def look(role: str, *paths: Path, table: str = "lists", **options) -> load.Source:
    files = [load.SourceFile.from_path(path) for path in paths]
    given = load.ReadOptions(**options)
    return load.look(load.open_source(role, table, list(map(str, paths)), files, given), given)


def parts_of(session, sources, *, last=(), rows_per_part=4, **options):
    """Return the frames of every part, by role, and the faults."""
    work = EnclosedValue(lambda frames: [dict(frames)])
    return measure_on_spark(session, work, sources, last=last, rows_per_part=rows_per_part, **options)


def local(source: load.Source) -> pl.DataFrame:
    frame = open_rows(source.scan).collect()
    return frame.drop([name for name in frame.columns if name.startswith("odd_")])


def assert_whole(parts, sources) -> None:
    """Assert that every user is in one part, with exactly the rows of one machine, in the same order and types."""
    users = [set(itertools.chain.from_iterable(frame["user"].to_list() for frame in part.values())) for part in parts]
    assert sum(map(len, users)) == len(set().union(*users)), "a user is in two parts"
    for role, source in sources.items():
        together = pl.concat([part[role] for part in parts])
        for part in parts:
            runs = part[role]["user"].rle().struct.field("value").to_list()
            assert len(runs) == len(set(runs)), "the rows of a user are apart"
            assert part[role].select((pl.col("row").diff().over("user").drop_nulls() > 0).all()).item(), role
        wanted = local(source)
        assert dict(together.schema) == dict(wanted.schema), role
        columns = [name for name in wanted.columns if name != "row"]
        by_user = [frame.sort("user", "row").select(columns) for frame in (together, wanted)]
        assert by_user[0].equals(by_user[1]), role


def files_of_integers(folder: Path) -> dict[str, load.Source]:
    """Write the same lists in all forms, with users in random order."""
    text = LISTS.write_csv()
    (folder / "l.csv").write_text(text)
    (folder / "quoted [1].csv").write_text('"user";"item";"score"\n"7";"3";"0.5"\n\n"1";"4";""\n"7";"2";"nan"\n'.replace('""', '"1"'))
    large = LISTS.with_columns(score=pl.Series([2**53 + number for number in range(len(USERS))]))
    large.write_csv(folder / "large.csv")
    large.write_ndjson(folder / "large.ndjson")
    large.head(5).write_parquet(folder / "large-1.parquet")
    large.tail(7).cast({"score": pl.UInt64}).write_parquet(folder / "large-2.parquet")
    (folder / "stray.csv").write_text('user,item,score,title\n7,3,0.5,7" vinyl\n3,2,0.25,LP\n7,4,1.5,12" vinyl\n')
    (folder / "across.csv").write_text('user,item,score,title\n7,3,0.5,"two\n7,5,lines"\n3,2,0.25,"a ""b"""\n7,4,1.5,7" vinyl\n')
    (folder / "l.csv.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "comma.csv").write_text("user;item;score\n7;1;0,5\n3;2;0,25\n7;4;1,5\n")
    (folder / "nulls.csv").write_text("user,item,score\n7,1,0.5\n3,2,-\n7,4,1.5\n")
    (folder / "l.ndjson").write_text("".join(f'{{"user":{u},"item":{i},"score":{s}}}\n' for u, i, s in LISTS.rows()))
    LISTS.write_parquet(folder / "l.parquet")
    LISTS.cast({"score": pl.Float32}).write_parquet(folder / "l32.parquet")
    LISTS.cast({"user": pl.Int16, "item": pl.UInt8}).write_parquet(folder / "small.parquet")
    LISTS.cast({"score": pl.Float32}).head(5).write_parquet(folder / "part-1.parquet")
    LISTS.cast({"user": pl.Int32}).tail(7).write_parquet(folder / "part-2.parquet")
    LISTS.write_ipc(folder / "l.feather")
    for user in (1, 2):
        (folder / f"by/user={user}").mkdir(parents=True)
        LISTS.drop("user").head(3 * user).write_parquet(folder / f"by/user={user}/l.parquet")
    rows = pl.DataFrame({"user": [7, 3, 7, 9], "item": [[4, 2, 9], [1], [5, 6], []], "score": [[0.5, 0.25, 0.1], [3.0], [1.0, 2.0], []]})
    rows.write_parquet(folder / "rows.parquet")
    rows.cast({"score": pl.List(pl.Float32)}).write_parquet(folder / "rows32.parquet")
    (folder / "rows.csv").write_text("user,items\n7,4 2  9\n3,1\n7,5 6\n")
    (folder / "rows.ndjson").write_text("".join(f'{{"user":{u},"item":{i},"score":{s}}}\n' for u, i, s in rows.rows()))
    structs = rows.explode("item", "score", empty_as_null=False).group_by("user", maintain_order=True).agg(recs=pl.struct("item", "score"))
    structs.write_parquet(folder / "structs.parquet")
    structs.write_ndjson(folder / "structs.ndjson")
    (folder / "python.csv").write_text("user,items\n7,\"['4', '2', '9']\"\n3,\"['1']\"\n7,\"['5', '6']\"\n")
    (folder / "document.json").write_text('{"7": {"4": 0.5, "2": 0.25}, "3": {"1": 3}}')
    found = {
        "csv": look("csv", folder / "l.csv"),
        "quoted": look("quoted", folder / "quoted [1].csv").with_scan(skip_blank=True),
        "large csv": look("large csv", folder / "large.csv"),
        "large ndjson": look("large ndjson", folder / "large.ndjson"),
        "large files": look("large files", folder / "large-1.parquet", folder / "large-2.parquet"),
        "stray marks": look("stray marks", folder / "stray.csv"),
        "across lines": look("across lines", folder / "across.csv"),
        "gz": look("gz", folder / "l.csv.gz"),
        "comma": look("comma", folder / "comma.csv"),
        "nulls": look("nulls", folder / "nulls.csv", nulls=["-"]),
        "ndjson": look("ndjson", folder / "l.ndjson"),
        "parquet": look("parquet", folder / "l.parquet"),
        "float32": look("float32", folder / "l32.parquet"),
        "small": look("small", folder / "small.parquet"),
        "files": look("files", folder / "part-1.parquet", folder / "part-2.parquet"),
        "ipc": look("ipc", folder / "l.feather"),
        "folders": look("folders", folder / "by"),
        "lists parquet": look("lists parquet", folder / "rows.parquet"),
        "lists float32": look("lists float32", folder / "rows32.parquet"),
        "lists csv": look("lists csv", folder / "rows.csv", split=" ", columns={"item": "items"}),
        "lists ndjson": look("lists ndjson", folder / "rows.ndjson"),
        "python": look("python", folder / "python.csv"),
        "structs parquet": look("structs parquet", folder / "structs.parquet"),
        "structs ndjson": look("structs ndjson", folder / "structs.ndjson"),
        "document": look("document", folder / "document.json"),
    }
    kinds = load.common_kinds(found.values())
    assert set(kinds.values()) == {"integer"}
    return found


def test_users_arrive_complete_from_every_reader(session, tmp_path):
    sources = files_of_integers(tmp_path)
    complete = {role: source for role, source in sources.items() if role not in ("quoted", "nulls")}
    parts, counts = parts_of(session, complete, last=complete)
    assert len(parts) > 1
    assert_whole(parts, complete)
    for role, source in complete.items():
        tally = FaultTally(source)
        tally.add(open_rows(source.scan).collect())
        assert counts[role] == tally.counts, role


def test_a_filter_keeps_the_same_rows_from_every_reader(session, tmp_path):
    log = LISTS.with_columns(
        event=pl.Series([("view", "cart", None)[number % 3] for number in range(len(USERS))]),
        timestamp=pl.Series([f"2024-01-{number + 1:02d}T10:00:00" for number in range(len(USERS))]),
        new=pl.col("item") % 2 == 0,
    ).rename({"score": "rating"})
    times = log.with_columns(pl.col("timestamp").str.to_datetime())
    log.write_csv(tmp_path / "l.csv")
    log.write_csv(tmp_path / "l.dat", separator="|")
    log.write_ndjson(tmp_path / "l.ndjson")
    times.write_parquet(tmp_path / "l.parquet")
    times.write_ipc(tmp_path / "l.arrow")
    times.head(5).write_parquet(tmp_path / "part-1.parquet")
    times.tail(7).cast({"rating": pl.Float32, "event": pl.Categorical}).write_parquet(tmp_path / "part-2.parquet")
    rows = log.group_by("user", maintain_order=True).agg("item", "rating", pl.col("event").first())
    rows.write_parquet(tmp_path / "rows.parquet")
    rows.write_ndjson(tmp_path / "rows.ndjson")
    both = "(event == 'view' or event is null) and rating >= 0.5 and timestamp < '2024-01-10 10:00' and not new == true"
    sources = {
        name: look(name, *(tmp_path / file for file in files), table="interactions", where="event != 'view'" if "rows" in name else both)
        for name, files in {
            "csv": ["l.csv"],
            "lines": ["l.dat"],
            "ndjson": ["l.ndjson"],
            "parquet": ["l.parquet"],
            "ipc": ["l.arrow"],
            "files": ["part-1.parquet", "part-2.parquet"],
            "rows parquet": ["rows.parquet"],
            "rows ndjson": ["rows.ndjson"],
        }.items()
    }
    parts, counts = parts_of(session, sources, last=sources)
    assert_whole(parts, sources)
    kept = log.filter(
        (pl.col("event") == "view") | pl.col("event").is_null(),
        pl.col("rating") >= 0.5,
        pl.col("timestamp") < "2024-01-10T10",
        ~pl.col("new"),
    )
    assert kept.height > 1
    for name in sources:
        if "rows" not in name:
            assert counts[name]["rows"] == kept.height, name
            assert local(sources[name]).sort("row")["rating"].to_list() == kept["rating"].to_list(), name


def test_ids_of_several_columns_are_the_same_from_every_reader(session, tmp_path):
    log = LISTS.select(
        pl.col("user").cast(pl.String).alias("session"),
        pl.Series("step", ["a", "b|c", "\\", "|", "a", "", "b", "c", "a", "b", "c", "d"]),
        (pl.col("item") % 5).alias("number"),
        "item",
        "score",
    )
    log = log.with_columns(pl.when(pl.col("step") != "").then("step"))
    log.write_csv(tmp_path / "l.csv")
    log.write_ndjson(tmp_path / "l.ndjson")
    log.write_parquet(tmp_path / "l.parquet")
    log.write_ipc(tmp_path / "l.arrow")
    log.head(5).write_parquet(tmp_path / "part-1.parquet")
    log.tail(7).cast({"number": pl.Int16, "step": pl.Categorical}).write_parquet(tmp_path / "part-2.parquet")
    key = load.flat_columns({"user": ["session", "step", "number"]})
    files = {name: ["l." + name] for name in ("csv", "ndjson", "parquet", "arrow")} | {"parts": ["part-1.parquet", "part-2.parquet"]}
    sources = {name: look(name, *(tmp_path / file for file in of_name), columns=key) for name, of_name in files.items()}
    sources = {name: source.with_scan(skip_faulty=("user",)) for name, source in sources.items()}
    parts, counts = parts_of(session, sources, last=sources)
    assert_whole(parts, sources)
    assert {counts_of_file["rows"] for counts_of_file in counts.values()} == {11}
    expected = local(sources["csv"])["user"].to_list()
    assert expected[:3] == ["7|a|0", "3|b\\|c|2", "7|\\\\|4"]
    assert all(local(source)["user"].to_list() == expected for source in sources.values())
    session.native.createDataFrame(log.to_arrow()).createOrReplaceTempView("keyed")
    of_table = look_at_table(session, "table", "lists", "keyed", load.ReadOptions(columns=key)).with_scan(skip_faulty=("user",))
    assert table_frame(session, of_table)["user"].to_list() == expected


def test_rows_with_missing_values_are_counted_and_nothing_is_measured(session, tmp_path):
    sources = files_of_integers(tmp_path)
    sources = {role: sources[role] for role in ("quoted", "nulls")}
    total, counts = parts_of(session, sources, last=sources)
    assert total is None
    assert counts["nulls"]["null_score"] == 1
    assert counts["quoted"] == {"rows": 3, "blank": 0, "null_user": 0, "null_item": 0, "null_score": 1, "infinite_score": 0} | {
        "large_score": 0,
        "odd_user": 0,
        "odd_item": 0,
    }
    dropped = {role: source.without_faulty_rows(load.FaultyRows(1, ())) for role, source in sources.items()}
    parts, _ = parts_of(session, dropped, last=dropped)
    assert_whole(parts, dropped)


def test_users_with_text_ids_arrive_complete(session, tmp_path):
    texts = LISTS.cast({"user": pl.String, "item": pl.String}).with_columns(pl.lit("ü ").add(pl.col("user")).alias("user"))
    texts.write_parquet(tmp_path / "l.parquet")
    texts.write_csv(tmp_path / "l.csv")
    (tmp_path / "rows.csv").write_text('user,item\nü 7,"[""01"", ""2""]"\nü 3,"[""b""]"\n')
    pl.DataFrame({"user": ["ü 7", "ü 3"], "item": ["['01', '2']", "['b']"]}).write_parquet(tmp_path / "rows.parquet")
    kinds = {"user": "text", "item": "text"}
    sources = {name: look(name, tmp_path / name).with_kinds(kinds) for name in ("l.parquet", "l.csv", "rows.csv", "rows.parquet")}
    parts, counts = parts_of(session, sources, last=sources)
    assert_whole(parts, sources)
    assert counts["l.csv"]["rows"] == LISTS.height
    assert not any(counts["l.csv"].get(f"null_{column}") for column in ("user", "item", "score"))


def test_users_who_are_only_in_side_tables_are_left_out(session, tmp_path):
    for name, users in {"lists": [1, 2], "test": [2, 3], "train": [2, 3, 4], "known": [5]}.items():
        pl.DataFrame({"user": users, "item": users}).write_csv(tmp_path / f"{name}.csv")
    sources = {name: look(name, tmp_path / f"{name}.csv") for name in ("lists", "test", "train", "known")}
    parts, _ = parts_of(session, sources, rows_per_part=100)
    assert {user for part in parts for user in part["train"]["user"]} == {2, 3}
    assert not any(part["known"].height for part in parts)
    parts, _ = parts_of(session, sources, last=["known"], rows_per_part=100)
    assert {user for part in parts for user in part["known"]["user"]} == {5}


def test_a_table_of_the_catalog_is_read_by_name(session):
    session.native.createDataFrame(LISTS.to_arrow()).createOrReplaceTempView("model_lists")
    scan = Scan(
        ("model_lists",), "table", {name: name for name in LISTS.columns}, {"user": "integer", "item": "integer", "score": "number"}
    )
    source = load.Source("data.recommendations.m", "lists", ("model_lists",), scan, scan.kinds)
    frame = table_frame(session, source)
    assert frame.sort("score").drop("row").equals(LISTS)
    assert table_frame(session, source, only=3)["score"].to_list() == [0.25, 1.0, 1.25]
    _, counts = parts_of(session, {"lists": source})
    assert counts["lists"]["rows"] == LISTS.height


@pytest.mark.parametrize("fault", ["1,3,word", "1,3,", "x,3,0.5", "1,3,inf"])
def test_faults_have_the_messages_of_one_machine(session, tmp_path, fault):
    (tmp_path / "l.csv").write_text(f"user,item,score\n1,2,0.5\n{fault}\n")
    kinds = {"user": "integer", "item": "integer", "score": "number"}
    source = look("data.recommendations.m", tmp_path / "l.csv").with_kinds(kinds)

    def here(resolved, tally):
        tally.add(SourceReader(tmp_path, tolerant=False).frame(resolved))

    def there(resolved, tally):
        _, counts = parts_of(session, {"lists": resolved})
        tally.counts = counts["lists"]

    messages = []
    for consume in (here, there):
        with pytest.raises((DataError, load.ReadAgain)) as failure:
            SourceReader(tmp_path, tolerant=False).read_with_retries(source, consume)
        error = failure.value
        messages.append(error.change(source).scan.kinds if isinstance(error, load.ReadAgain) else str(error))
    assert messages[0] == messages[1]
