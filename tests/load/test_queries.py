"""A query of a config is one statement that only reads: everything else is refused by name, before a database sees it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from receval.load.drivers import connect
from receval.load.queries import refuse_changes
from receval.support.errors import DataError

from tests.load.conftest import EXPECTED, LISTS

SCHEMES = ("sqlite", "duckdb", "postgresql", "mysql", "snowflake", "nosuch")
UNSEEN = ("\ufeff", "\u200b", "\u2060", "\u00ad", "\u200b\u200d", "-- a\n", "/* a */", "\u00a0", "(")
OTHERS = (
    "export database 'gone'",
    "explain analyze copy (select 1) to 'gone.csv'",
    "prepare p as copy (select 1) to 'gone.csv'",
    "execute p",
    "copy (select 1) to 'gone.csv'",
    "attach 'gone.db' as gone",
    "install httpfs",
    "load httpfs",
    "call checkpoint()",
    "pragma writable_schema = 1",
    "do $$ begin delete from recs; end $$",
    "insert into recs select 1, 1, 1",
    "delete from recs",
    "vacuum into 'gone.db'",
    "begin",
    "table recs",
    "c\u200bopy recs to 'gone.csv'",
)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("query", OTHERS)
def test_a_statement_that_does_not_read_is_refused_by_its_name(query, scheme):
    word = query.replace("\u200b", "").split()[0].upper()
    for before in ("", *UNSEEN):
        with pytest.raises(DataError, match=rf"m: the query was not sent, because it begins with {word}\n  write one statement: SELECT, "):
            refuse_changes("m", scheme, before + query)


READING = (
    "select 1",
    "SELECT\n1;",
    "select 1 ; \n",
    "\ufeffselect 1",
    "-- a; b\nselect 1 /* c; d */ -- e;",
    "with a as (select 1) select * from a",
    "from recs",
    "values (1, 2)",
    "(select 1) union all (select 2)",
    "select ';', \"a;b\", 'it''s; so' from recs",
    "select 'drop table recs; copy recs', deleted, updated_at, \"set\" from recs",
)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("query", READING)
def test_one_statement_that_reads_is_sent_whatever_it_quotes(query, scheme):
    refuse_changes("m", scheme, query)


@pytest.mark.parametrize("query", ["select $$a;b$$", "select $a$ $$; $b$; $a$", r"select E'it\'s; so'", "select '\\' from recs"])
def test_quotes_of_postgresql_are_read_as_it_reads_them(query):
    refuse_changes("m", "postgresql", query)


SEVERAL = (
    "select 1; drop table recs",
    "select 1;; select 2",
    "select 'a''b'; copy recs to 'x'",
    "select 1 -- a\n; copy recs to 'x'",
    'select "a""b"; select 1',
    "select 1 /* ; */ ; select 2",
    "select 1\u200b;\u200bcopy recs to 'x'",
)
HIDDEN = {
    "postgresql": (r"select E'\'' ; copy recs to 'x' ; -- '", "select 1 -- a\r; copy recs to 'x'", "select $a$ $b$ $a$; select $b$ 1 $b$"),
    "duckdb": (r"select e'\'' ; copy recs to 'x' ; -- '",),
    "mysql": (r"select 'a\'' ; drop table recs; -- '", "select 1 # it's\n; drop table recs; -- '", "select `'`; drop table recs; -- '"),
    "snowflake": (r"select 'a\'' ; drop table recs; -- '",),
}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_several_statements_are_refused(scheme):
    for query in (*SEVERAL, *HIDDEN.get(scheme, ())):
        with pytest.raises(DataError, match=r"because it has \d statements"):
            refuse_changes("m", scheme, query)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("", "is empty"),
        ("-- nothing\n;", "is empty"),
        ("\u200b", "is empty"),
        ("/* /* */ select 1 */ copy recs to 'x'", "has /\\* inside of a comment"),
        ("/*!50000 insert into recs */ select 1", "a comment that MySQL runs"),
        ("with gone as (delete from recs returning *) select * from gone", "has DELETE FROM"),
        ("with a as (insert  into recs values (1) returning *) select * from a", r"has INSERT\s+INTO"),
        ("\u200b?", r"begins with \?"),
    ],
)
def test_what_databases_may_understand_in_two_ways_is_refused(query, problem, scheme):
    with pytest.raises(DataError, match=problem):
        refuse_changes("m", scheme, query)


def test_select_into_is_refused_where_the_database_would_run_it():
    for scheme in ("mysql", "mssql", "nosuch"):
        with pytest.raises(DataError, match="because it has INTO"):
            refuse_changes("m", scheme, "select * into outfile '/tmp/x' from recs")
    refuse_changes("m", "duckdb", "from (unpivot recs on score into name n value v)")


@pytest.mark.parametrize("query", OTHERS)
def test_a_refused_query_writes_no_file_and_changes_no_database(query, tmp_path, monkeypatch, evaluate_lists):
    monkeypatch.chdir(tmp_path)
    for name, connected in (("sqlite", sqlite3.connect), ("duckdb", pytest.importorskip("duckdb").connect)):
        with connected(tmp_path / f"shop.{name}") as database:
            database.execute("create table recs (user_id integer, item_id integer, score real)")
            database.executemany("insert into recs values (?, ?, ?)", LISTS)
        database.close()
        with pytest.raises(DataError, match="was not sent"):
            evaluate_lists({"uri": f"{name}:///shop.{name}", "query": query})
        if query == OTHERS[0]:
            assert evaluate_lists({"uri": f"{name}:///shop.{name}", "query": "\ufeffselect * from recs;"}) == EXPECTED
    assert not [path for path in tmp_path.iterdir() if "gone" in path.name]


@pytest.mark.parametrize("scheme", ["sqlite", "duckdb"])
def test_the_connection_to_a_file_refuses_changes_itself(scheme, tmp_path):
    with (sqlite3.connect if scheme == "sqlite" else pytest.importorskip("duckdb").connect)(tmp_path / "shop") as database:
        database.execute("create table recs (user_id integer)")
    database.close()
    before = (tmp_path / "shop").read_bytes()
    for change in ("insert into recs values (1)", "create table more (a integer)", "drop table recs"):
        with (
            pytest.raises(Exception, match=r"(?i)read-?only"),
            connect("m", f"{scheme}:///shop", tmp_path) as there,
            there.cursor() as cursor,
        ):
            cursor.execute(change)
    assert Path(tmp_path / "shop").read_bytes() == before
