"""Connect to databases through ADBC drivers: packages of PyPI, and drivers that the tool `dbc` installed."""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from msgspec import Struct

from ..support.errors import DataError, MissingExtraError
from ..support.extras import install_command
from .opening import FAILURES


class Database(Struct, frozen=True):
    """What is known of a database: the way to its driver, and how it reads a query.

    The driver is in the extra `sql`, a `package` of PyPI by the makers of ADBC, or in the registry of `dbc`. A `backslash` may escape a
    quote; `None` if nobody knows. A database that `nests` takes a query around another, and keeps the order of its rows. The statement
    `read_only` lets it refuse changes; files are only opened for reading.
    """

    driver: str = ""
    backslash: bool | None = None
    is_file: bool = False
    nests: bool = False
    read_only: str = ""


DATABASES: Final = {
    "sqlite": Database("extra", backslash=False, is_file=True),
    "duckdb": Database("extra", backslash=False, is_file=True, nests=True),
    "postgresql": Database("extra", backslash=False, nests=True, read_only="set transaction read only"),
    "bigquery": Database("package", backslash=True),
    "flightsql": Database("package"),
    "snowflake": Database("package"),
    "databricks": Database("dbc", backslash=True),
    "mssql": Database("dbc", backslash=False),
    "mysql": Database("dbc", backslash=True),
    "redshift": Database("dbc", backslash=False),
    "trino": Database("dbc", backslash=False),
}
"""Database by the scheme of its addresses, which is also the name of its driver."""
OTHER: Final = Database()
_SAME: Final = {"postgres": "postgresql", "mariadb": "mysql", "sqlserver": "mssql"}
"""Other names in addresses → name of the driver."""
_BIGQUERY: Final = ("adbc.bigquery.sql.project_id", "adbc.bigquery.sql.dataset_id")
"""The options of BigQuery for the parts of an address `bigquery://PROJECT/DATASET`; its package on PyPI reads no addresses."""
_LOGIN_TIME: Final = {"adbc.snowflake.sql.client_option.login_timeout": "30s"}
"""Without this Snowflake's driver tries for minutes to reach a host that does not exist."""
_NOT_FOUND: Final = "[Driver Manager] Could not load"
"""The start of the message for a driver that is not installed."""
_MOST_SHOWN: Final = 500
"""Most characters of a message of a driver that are shown."""
_SHORTEST_SECRET: Final = 4


def scheme_of_uri(uri: str) -> str:
    """Return the name of the driver for an address, such as `postgresql` for `postgres://…`; a name behind `+` is of another library."""
    name = uri.partition(":")[0].partition("+")[0].lower()
    return _SAME.get(name, name)


def file_of(uri: str, folder: Path) -> Path | None:
    """Return the file that an address names, relative to `folder`; `None` if the database is not a file."""
    files = tuple(name for name, database in DATABASES.items() if database.is_file)
    return folder / re.sub("^[^:]+:/{0,3}", "", uri) if uri.lower().startswith(files) else None


def import_manager(scheme: str) -> Any:
    """Return the module with the connections and errors of all drivers; raise `MissingExtraError` without it."""
    try:
        return import_module("adbc_driver_manager.dbapi")
    except ImportError:
        raise _missing(scheme) from None


def connect(where: str, uri: str, folder: Path) -> Any:
    """Return a connection to a database; one to a file only reads it. `where` names the database in messages.

    Raises `MissingExtraError` if there is no driver, `DataError` if the database cannot be reached or refuses the login.
    """
    scheme = scheme_of_uri(uri)
    manager = import_manager(scheme)
    try:
        path = file_of(uri, folder)
        return _connection(manager, scheme, uri) if path is None else _connection_to_file(where, scheme, path)
    except ImportError:
        raise _missing(scheme) from None
    except (manager.Error, *FAILURES) as error:
        if _NOT_FOUND in str(error):
            raise _missing(scheme) from None
        message = f"{where}: the database cannot be reached: {without_secrets(error, uri)}"
        raise DataError(message, "check the address, the login and the network") from None


def without_secrets(error: Exception, uri: str) -> str:
    """Return the message of a driver in one line, without the password and the options of an address."""
    said, parts = " ".join(str(error).split()), urlsplit(uri)
    password = parts.password or ""
    for secret in filter(None, (uri, unquote(password), password)):
        said = said.replace(secret, "***")
    for value in {value for _, value in parse_qsl(parts.query) if len(value) >= _SHORTEST_SECRET}:
        said = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "***", said)
    return said if len(said) <= _MOST_SHOWN else f"{said[:_MOST_SHOWN]}…"


def _connection(manager: Any, scheme: str, uri: str) -> Any:
    """Return a connection to a server through the package of its driver, or else the driver of that name that `dbc` installed."""
    options = {"uri": f"{scheme}:{uri.partition(':')[2]}"}
    if scheme == "bigquery":
        place = urlsplit(uri)
        options = dict(zip(_BIGQUERY, filter(None, [place.netloc, *place.path.split("/")]), strict=False))
    elif scheme == "snowflake" and "logintimeout" not in uri.lower():
        options |= _LOGIN_TIME
    if scheme == "postgresql":  # in a transaction, which the caller makes read-only
        return import_module("adbc_driver_postgresql.dbapi").connect(options["uri"])
    try:
        module = import_module(f"adbc_driver_{scheme}.dbapi")
    except ImportError:
        return manager.connect(driver=scheme, db_kwargs=options, autocommit=True)
    return module.connect(db_kwargs=options, autocommit=True)


def _connection_to_file(where: str, scheme: str, path: Path) -> Any:
    module = import_module(f"adbc_driver_{scheme}.dbapi")
    if not os.path.isfile(path):
        raise DataError(
            f"{where}: there is no file {path}", "three slashes start a path relative to the config file, four an absolute path"
        )
    if scheme == "sqlite":
        return module.connect(f"file:{quote(str(path.absolute()))}?mode=ro")
    duckdb, manager = import_module("adbc_driver_duckdb"), import_module("adbc_driver_manager.dbapi")
    options = {"path": str(path), "access_mode": "READ_ONLY"}
    return manager.connect(driver=duckdb.driver_path(), entrypoint="duckdb_adbc_init", db_kwargs=options)


def _missing(scheme: str) -> MissingExtraError:
    """Return the error for a driver that is not installed, with the way to get it."""
    driver = DATABASES.get(scheme, OTHER).driver
    if driver in ("extra", "package"):
        way = install_command("sql") if driver == "extra" else f"pip install adbc-driver-{scheme}"
        return MissingExtraError(f"reading {scheme}:// needs adbc_driver_{scheme}, which is not installed", way)
    search = f"dbc install {scheme}" if driver == "dbc" else f"dbc search {scheme} to look for one"
    return MissingExtraError(
        f"reading {scheme}:// needs an ADBC driver named {scheme}, which is not installed",
        f"pip install adbc-driver-manager dbc, then {search}; or export the rows to a Parquet file, or pass them from Python as a frame",
    )
