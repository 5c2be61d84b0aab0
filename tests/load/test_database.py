"""Rows of a query: from SQLite, DuckDB and a PostgreSQL started here; passwords are never shown."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import receval as library
import yaml
from receval.support.errors import DataError, MissingExtraError
from receval.support.extras import install_command

from benchmarks import servers
from tests.load.conftest import EXPECTED, LISTS

adbc = pytest.importorskip("adbc_driver_manager")
PASSWORD = "s3cret/word"
QUERY = "select user_id, item_id, score from recs"
RANKS = "select user_id, item_id from recs order by user_id, score desc"


def sqlite(path: Path, rows: Any = LISTS) -> None:
    with sqlite3.connect(path) as database:
        database.execute("create table recs (user_id integer, item_id integer, score real)")
        database.executemany("insert into recs values (?, ?, ?)", rows)
    database.close()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    sqlite(tmp_path / "shop.db", LISTS[::-1])
    return tmp_path


def test_a_query_of_sqlite_gives_the_values_of_a_file(shop, evaluate_lists):
    assert evaluate_lists({"uri": "sqlite:///shop.db", "query": QUERY}) == EXPECTED
    assert evaluate_lists({"uri": f"sqlite:///{shop}/shop.db", "query": RANKS}) == EXPECTED
    renamed = "select user_id as u, item_id as i, score as s from recs"
    assert evaluate_lists({"uri": "sqlite:///shop.db", "query": renamed, "columns": {"user": "u", "item": "i", "score": "s"}}) == EXPECTED
    truth = "select * from (values (1, 10, 5), (1, 11, 4), (2, 12, 3))"
    named = {"user": "column1", "item": "column2", "rating": "column3"}
    assert evaluate_lists(test={"uri": "sqlite:///shop.db", "query": truth, "columns": named}) == EXPECTED


def test_whole_decimals_are_ids_and_names_in_capitals_are_recognised_as_snowflake_has_them(tmp_path, evaluate_lists):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(tmp_path / "shop.duckdb") as database:
        database.execute('create table recs ("USER_ID" decimal(38, 0), "ITEM_ID" decimal(38, 0), "SCORE" decimal(38, 2))')
        database.executemany("insert into recs values (?, ?, ?)", LISTS)
    assert evaluate_lists({"uri": "duckdb:///shop.duckdb", "query": "select * from recs"}) == EXPECTED


def test_a_query_of_duckdb_gives_the_values_of_a_file_and_its_decimals_are_numbers(tmp_path, evaluate_lists):
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(tmp_path / "shop.duckdb") as database:
        database.execute("create table recs (user_id integer, item_id varchar, score decimal(3, 2), tags varchar[])")
        database.executemany("insert into recs values (?, ?, ?, [])", LISTS)
    assert evaluate_lists({"uri": "duckdb:///shop.duckdb", "query": QUERY}) == EXPECTED
    lists = "select user_id, list(item_id order by score desc) as items from recs group by user_id"
    assert evaluate_lists({"uri": "duckdb:///shop.duckdb", "query": lists}) == EXPECTED


@pytest.fixture
def odd_types(tmp_path: Path) -> Path:
    """Return a folder with a DuckDB file whose tables have columns of types that Polars does not have."""
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect(tmp_path / "shop.duckdb") as database:
        for kind in ("interval", "union(n bigint, t varchar)", "interval[]", "struct(d interval)"):
            name = kind.partition("(")[0].replace("[]", "s")
            database.execute(
                f'create table "{name}" (user_id integer, item_id integer, score decimal(3, 2), odd {kind}, "a ""b""" integer)'
            )
            database.executemany(f'insert into "{name}" values (?, ?, ?, null, 1)', LISTS)
    return tmp_path


@pytest.mark.parametrize("table", ["interval", "union", "intervals", "struct"])
def test_a_column_of_a_type_that_polars_does_not_have_is_left_out_unless_it_is_used(table, odd_types, evaluate_lists, capfd):
    source = {"uri": "duckdb:///shop.duckdb", "query": f'select * from "{table}" -- all;'}
    assert evaluate_lists(source) == EXPECTED
    assert evaluate_lists(source | {"query": f'select * from "{table}" order by score desc;'}) == EXPECTED
    assert evaluate_lists(source | {"query": f'select user_id, item_id, score from "{table}"'}) == EXPECTED
    a_type = "an interval" if table != "union" else "a union"
    for used in ({"columns": {"score": "odd"}}, {"where": "odd is null"}, {"query": f'select user_id, odd as item_id from "{table}"'}):
        with pytest.raises(DataError, match=f"the column '.*' is {a_type}, a type that cannot be read"):
            evaluate_lists(source | used)
    assert "panicked" not in capfd.readouterr().err


def test_a_column_that_is_left_out_is_named(odd_types):
    test = {"uri": f"duckdb:///{odd_types}/shop.duckdb", "query": "select * from interval"}
    result = library.evaluate(test=test, recommendations={"a": {1: [10]}}, metrics="Recall@1")
    assert "test: the column 'odd' is left out, because it is an interval, a type that cannot be read." in result.notes()


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """Yield the address of a PostgreSQL with the table `recs`."""
    pytest.importorskip("adbc_driver_postgresql.dbapi")
    with ExitStack() as stack:
        try:
            uri = stack.enter_context(servers.postgres(PASSWORD))
        except servers.Missing as missing:
            pytest.skip(str(missing))
        with servers.connected(uri) as connection, connection.cursor() as cursor:
            cursor.execute("create table recs (user_id integer, item_id text, score double precision)")
            cursor.executemany("insert into recs values ($1, $2, $3)", [(user, str(item), score) for user, item, score in LISTS])
            connection.commit()
        yield uri


def test_a_query_of_postgresql_gives_the_values_of_a_file_and_the_password_is_never_shown(
    postgres, evaluate_lists, receval, write, tmp_path
):
    assert evaluate_lists({"uri": postgres, "query": QUERY}) == EXPECTED
    assert evaluate_lists({"uri": postgres.replace("postgresql:", "postgres:"), "query": RANKS}) == EXPECTED
    config = yaml.safe_load((tmp_path / "config.yaml").read_text()) | {"output": {"dir": "out"}, "health": {}}
    write("config.yaml", yaml.safe_dump(config))
    message = [receval("run", tmp_path / "config.yaml"), receval("run", tmp_path / "config.yaml", "--print-config")]
    query = "data.recommendations.model.query"
    message += [
        receval("run", tmp_path / "config.yaml", "--set", f"{query}={bad}") for bad in ("select nothing", "select 1 as one", "drop")
    ]
    wrong = postgres.replace("bob", "nobody")
    message.append(receval("run", tmp_path / "config.yaml", "--set", f"data.recommendations={{m: {{uri: '{wrong}', query: select 1}}}}"))
    message.append(receval("run", tmp_path / "config.yaml", "--set", f"data.recommendations={{m: {{uri: '{wrong}'}}}}"))
    assert [code for code, _, _ in message] == [0, 0, 3, 3, 3, 3, 2]
    shown = "".join(out + err for _, out, err in message) + "".join(
        path.read_text(errors="replace") for path in (tmp_path / "out").iterdir()
    )
    assert "postgresql://***@127.0.0.1:" in shown
    assert not [secret for secret in (PASSWORD, PASSWORD.replace("/", "%2F"), "bob:") if secret in shown]


TYPES = """
create table types as select ('00000000-0000-0000-0000-00000000000' || user_id)::uuid as user_id, to_json(item_id::integer) as item_id,
    score::numeric(9, 2) as score, now() as timestamp, json_agg(item_id) over (partition by user_id) as listed
from recs
"""


def test_uuids_decimals_json_times_and_arrays_of_postgresql_are_read(postgres):
    with servers.connected(postgres) as connection, connection.cursor() as cursor:
        cursor.execute(TYPES)
        connection.commit()
    rows = {"uri": postgres, "query": "select user_id, item_id, score, timestamp from types"}
    lists = {"uri": postgres, "query": "select distinct on (user_id) user_id, listed as items from types order by user_id"}
    as_text = pl.DataFrame({"user": [f"00000000-0000-0000-0000-00000000000{user}" for user in (1, 2)], "item": ["10", "12"]})
    for test, held in ((as_text, rows), (as_text, lists), ({**rows, "columns": {"rating": "score"}}, lists)):
        result = library.evaluate(test=test, recommendations={"m": held}, metrics="Recall@none", health=False)
        assert result["m", "Recall@none"].value == 1.0


def test_whole_numerics_of_postgresql_are_ids(postgres, evaluate_lists):
    numeric = "select user_id::numeric as user_id, item_id::numeric as item_id, score::numeric from recs"
    assert evaluate_lists({"uri": postgres, "query": numeric}) == EXPECTED


CHANGES = (
    "with gone as (delete from recs returning *) select * from gone",
    "select 1; drop table recs",
    "/* a */ update recs set score = 1",
)


@pytest.mark.parametrize("query", CHANGES)
def test_a_query_that_changes_data_is_not_sent(evaluate_lists, query):
    with pytest.raises(DataError, match=r"the query was not sent, because it (has DELETE FROM|has 2 statements|begins with UPDATE)"):
        evaluate_lists({"uri": "postgresql://nobody@127.0.0.1:1/none", "query": query})


def test_a_query_may_name_changes_in_texts_and_comments(shop, evaluate_lists):
    harmless = f"{QUERY} where 'drop; drop' <> '' -- delete from recs\n"
    assert evaluate_lists({"uri": "sqlite:///shop.db", "query": harmless}) == EXPECTED


def test_postgresql_itself_refuses_changes(postgres, evaluate_lists):
    with servers.connected(postgres) as connection, connection.cursor() as cursor:
        cursor.execute("create sequence numbers")
        connection.commit()
    with pytest.raises(DataError, match="read-only transaction"):
        evaluate_lists({"uri": postgres, "query": "select nextval('numbers') as user_id, 1 as item_id, 1 as score"})


def test_the_order_of_rows_of_a_query_changes_no_byte(receval, write, tmp_path):
    manifests = []
    for rows in (LISTS, LISTS[::-1]):
        (tmp_path / "shop.db").unlink(missing_ok=True)
        sqlite(tmp_path / "shop.db", rows)
        write("test.csv", "user,item\n1,10\n2,12\n")
        source = f"{{uri: 'sqlite:///shop.db', query: '{QUERY}'}}"
        write(
            "config.yaml",
            f"data: {{test: test.csv, recommendations: {{m: {source}}}}}\n"
            "evaluation: {convention: receval, metrics: [MRR]}\noutput: {dir: out}\n",
        )
        assert receval("run", tmp_path / "config.yaml")[0] == 0
        manifests.append((tmp_path / "out" / "manifest.json").read_text())
    assert manifests[0] == manifests[1]
    assert '"sqlite:///shop.db"' in manifests[0]


@pytest.mark.parametrize(
    ("source", "code", "message"),
    [
        ({"uri": "sqlite:///shop.db", "query": "select nothing"}, 3, "model: sqlite:///shop.db: the query failed: "),
        ({"uri": "sqlite:///shop.db", "query": "select * from recs where user_id = 7"}, 3, "sqlite:///shop.db: the query has no rows"),
        (
            {"uri": "sqlite:///shop.db", "query": "select user_id, item_id from recs"},
            3,
            "neither a rank nor a score column\n  add a rank or score column, or ORDER BY to the query",
        ),
        (
            {"uri": "sqlite:///shop.db", "query": "delete from recs"},
            3,
            "the query was not sent, because it begins with DELETE\n  write one",
        ),
        ({"uri": "sqlite:///no.db", "query": "select 1"}, 3, "sqlite:///no.db: there is no file"),
        ({"uri": "sqlite:///shop.db", "query": "select user_id, item_id, null as score from recs"}, 3, "score"),
        (
            {"uri": "postgresql://bob:s3cret@127.0.0.1:1/x?application_name=s3cret", "query": "select 1"},
            3,
            "postgresql://***@127.0.0.1:1/x?***: the database cannot be reached: ",
        ),
        ({"uri": "sqlite:///shop.db"}, 2, "give uri and query together"),
        ({"path": "a.csv", "query": "select 1"}, 2, "give uri and query together"),
        ({"path": "a.csv", "uri": "sqlite:///shop.db", "query": "select 1"}, 2, "give exactly one of path, table and uri"),
        (
            {"uri": "sqlite:///shop.db", "query": "select 1", "format": "csv"},
            2,
            "format is an option for files, but these rows come from a query",
        ),
        ({"uri": "host=h password=s3cret", "query": "select 1"}, 2, "a uri must name a database, such as sqlite:///shop.db;"),
    ],
)
def test_an_error_of_a_query_is_one_sentence(source, code, message, shop, receval, write):
    write("test.csv", "user,item\n1,10\n2,12\n")
    config = {"data": {"test": "test.csv", "recommendations": {"model": source}}, "evaluation": {"metrics": ["MRR"]}}
    write("config.yaml", yaml.safe_dump(config))
    found, out, err = receval("run", shop / "config.yaml")
    assert (found, out) == (code, "")
    assert message in err
    assert "s3cret" not in err
    assert not (shop / "no.db").exists()


def test_lists_of_a_query_need_a_name_in_a_list_of_models(shop, receval, write):
    write("test.csv", "user,item\n1,10\n2,12\n")
    for name, code in ((None, 2), ("als", 0)):
        source = {"uri": "sqlite:///shop.db", "query": QUERY} | ({"name": name} if name else {})
        config = {"data": {"test": "test.csv", "recommendations": [source]}, "evaluation": {"metrics": ["MRR"]}}
        write("config.yaml", yaml.safe_dump(config))
        found, out, err = receval("run", shop / "config.yaml")
        assert found == code, err
        assert "als" in out or "a model name: write NAME:" in err


def test_without_the_driver_the_extra_is_named(shop, receval, write, monkeypatch):
    monkeypatch.setitem(sys.modules, "adbc_driver_sqlite.dbapi", None)
    write("test.csv", "user,item\n1,10\n")
    source = f"{{uri: 'sqlite:///shop.db', query: '{QUERY}'}}"
    evaluation = "{convention: receval, metrics: [MRR]}"
    write("config.yaml", f"data: {{test: test.csv, recommendations: {{m: {source}}}}}\nevaluation: {evaluation}\n")
    code, out, err = receval("run", shop / "config.yaml")
    assert (code, out) == (4, "")
    assert err == f"receval: reading sqlite:// needs adbc_driver_sqlite, which is not installed\n  {install_command('sql')}\n"


@pytest.mark.parametrize(
    ("address", "driver", "way"),
    [
        ("snowflake://me:s3cret@account/db", "adbc_driver_snowflake", "pip install adbc-driver-snowflake"),
        ("bigquery://project/shop", "adbc_driver_bigquery", "pip install adbc-driver-bigquery"),
        ("mysql+pymysql://me:s3cret@h/db", "an ADBC driver named mysql", "dbc, then dbc install mysql; or export"),
        ("databricks://token:s3cret@h:443/sql", "an ADBC driver named databricks", "dbc, then dbc install databricks; or"),
        ("nosuch://me:s3cret@h/x", "an ADBC driver named nosuch", "then dbc search nosuch to look for one"),
    ],
)
def test_without_the_driver_of_a_server_the_way_to_get_it_is_named(address, driver, way, evaluate_lists, monkeypatch):
    scheme = address.partition(":")[0].partition("+")[0]
    monkeypatch.setitem(sys.modules, f"adbc_driver_{scheme}.dbapi", None)
    with pytest.raises(MissingExtraError) as raised:
        evaluate_lists({"uri": address, "query": "select 1"})
    assert raised.value.message == f"reading {scheme}:// needs {driver}, which is not installed"
    assert way in raised.value.hint


def test_a_driver_that_dbc_installed_is_used_by_its_name(evaluate_lists, monkeypatch, tmp_path):
    library = import_module("adbc_driver_sqlite")._driver_path()
    (tmp_path / "drivers").mkdir()
    (tmp_path / "drivers" / "mysql.toml").write_text(f"manifest_version = 1\n[Driver]\nshared = '{library}'\n")
    monkeypatch.setenv("ADBC_DRIVER_PATH", str(tmp_path / "drivers"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mysql:").mkdir()  # this driver takes the address for a path
    sqlite(tmp_path / "mysql:" / "shop.db")
    assert evaluate_lists({"uri": "mysql:///shop.db", "query": QUERY}) == EXPECTED
    assert evaluate_lists({"uri": "mariadb:///shop.db", "query": QUERY}) == EXPECTED


@pytest.mark.parametrize(
    ("package", "address"),
    [
        ("snowflake", "snowflake://me:s3cret@127.0.0.1:1/db/schema?account=account&protocol=http&loginTimeout=1"),
        ("bigquery", "bigquery://project/shop"),
    ],
)
def test_a_warehouse_that_cannot_be_reached_is_one_sentence(package, address, evaluate_lists, monkeypatch, tmp_path):
    pytest.importorskip(f"adbc_driver_{package}", reason=f"adbc-driver-{package} is not installed")
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(tmp_path / "none.json"))
    with pytest.raises(DataError, match="the database cannot be reached: ") as raised:
        evaluate_lists({"uri": address, "query": "select 1 as user_id"})
    assert "s3cret" not in str(raised.value)
    assert "\n" not in raised.value.message
