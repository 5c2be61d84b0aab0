"""A source of the config: its files, query or rows in memory, and its columns; secrets are masked. Long: models that use each other."""

import numbers
import os
import warnings
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from msgspec import Struct
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StrictBool,
    ValidationInfo,
    WithJsonSchema,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from ..support.errors import DataError
from ..support.quoting import type_name
from ..support.synonyms import nearest
from ..syntax.target_rule import TARGET_SCHEMA, TargetRule, read_target
from .masking import masked_path, masked_uri
from .source_values import (
    ColumnName,
    ItemCategories,
    ItemColumns,
    NumberColumns,
    Padding,
    ReadColumn,
    ScoreColumns,
    StorageOptions,
    TestCategories,
    UserColumns,
    read_encoding,
    read_filter,
    read_separator,
    read_uri,
)

_SIDES: Final = ("test", "train", "items", "users", "baseline", "previous_policy", "distances")
_OF_MODELS: Final = ("recommendations", "predictions")
UNNAMED: Final = "model"
"""The name of lists in memory without a name."""
_SPLITS: Final = frozenset({"DatasetDict", "IterableDatasetDict"})
"""The classes of HuggingFace that map names of splits to tables; splits are not models."""
_SOURCE_KEYS: Final = frozenset({"path", "table", "uri", "frame"})
"""Keys of a section that describes a source; it has one of them."""
FEW_TEXTS: Final = 5
"""So few texts under unknown keys can be a section of a config with wrong keys, or the items of users."""


TABLE_NAME: Final = r"^([^.`]+|`[^`]+`)([.]([^.`]+|`[^`]+`))*$"
"""The name of a table in a catalog, such as `catalog.schema.name`."""


class InMemory(Struct, eq=False):
    """Rows in memory; the config passes them on and never reads them.

    Tensors become arrays and generators lists when the rows are first used (`rows` is replaced); `kind` stays.
    """

    rows: Any
    kind: str = ""
    """The type of the given rows, such as `pandas.DataFrame` or `dict`."""

    def __post_init__(self) -> None:
        self.kind = type_name(self.rows)

    @property
    def is_of_spark(self) -> bool:
        """True for a DataFrame of Spark, also of Spark Connect, whose rows are on a cluster.

        Its class says so: a frame of Spark Connect has every attribute, as a column.
        """
        return any(kind.__name__ == "DataFrame" and kind.__module__.startswith("pyspark.sql.") for kind in type(self.rows).__mro__)

    def __deepcopy__(self, memo: Any) -> Self:
        """Return the same object: rows are never copied."""
        return self


NO_TEST: Final = InMemory(None)
"""The test set of a config that has none, because it only describes other files."""
EMPTY_TEST: Final = InMemory(None)
"""The test set without rows of a config that has none, because its measures read only lists."""


def describes_a_source(value: Any) -> bool:
    """Return whether a mapping is a section of a config that describes a source, not data by user."""
    return isinstance(value, Mapping) and bool(_SOURCE_KEYS & value.keys())


def names_models(value: Any) -> bool:
    """Return whether a mapping is one file of lists with a column of the models, and not files by model."""
    return describes_a_source(value) and isinstance(value.get("columns"), Mapping) and "model" in value["columns"]


def is_section(value: Any) -> bool:
    """Return whether a mapping is, by its keys, a section of a config, not data by user, whose values are lists or mappings."""
    held = [inner for key, inner in value.items() if key != "columns"]
    has_rows = any(hasattr(inner, "__len__") and not isinstance(inner, str) for inner in held)
    is_by_user = not value or has_rows or any(not isinstance(key, str) for key in value) or _has_no_key(value)
    return describes_a_source(value) or not is_by_user


def _has_no_key(value: Mapping[str, Any]) -> bool:
    """Return whether no key of a mapping of values is a key of a source, even a mistyped one: its keys are users.

    Keys of integers, and of more than a few texts, are not compared with mistyped keys.
    """
    known = {*TestedSource.model_fields, *ItemsSource.model_fields}
    if not known.isdisjoint(value):
        return False
    items = (str, numbers.Integral) if len(value) > FEW_TEXTS else numbers.Integral
    if all(isinstance(item, items) and not isinstance(item, bool) for item in value.values()):
        return True
    return len(value) <= FEW_TEXTS and not any(nearest(key, known) for key in value)


def source_of(value: Any) -> Any:
    """Return a source in the form of a config: a path, a section, or rows in memory."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, Mapping) and is_section(value):
        return {key: in_memory(held) if key == "frame" else _plain_path(held) if key == "path" else held for key, held in value.items()}
    if isinstance(value, list | tuple) and value and all(isinstance(entry, str | os.PathLike) for entry in value):
        return [os.fspath(entry) for entry in value]
    return in_memory(value)


def refuse_splits(role: str, value: Any) -> None:
    """Raise `DataError` if the splits of a data set are given instead of one table or the lists of models."""
    if isinstance(value, Mapping) and _SPLITS & {kind.__name__ for kind in type(value).__mro__}:
        names = list(map(str, value))
        if not names:
            raise DataError(f"data.{role}: the {type(value).__name__} has no splits", "give a Dataset")
        raise DataError(
            f"data.{role}: a {type(value).__name__} has the splits {', '.join(names)}",
            f"choose one of them: data[{(role if role in names else names[-1])!r}]",
        )


def in_memory(rows: Any) -> InMemory:
    """Return rows wrapped as `InMemory`; a frame of pandas on Spark as a DataFrame of Spark, with an index that has names."""
    if type(rows).__module__ == "pyspark.pandas.frame":
        levels = [name for name in rows.index.names if isinstance(name, str)]
        with warnings.catch_warnings(action="ignore"):  # it warns that an index without names is lost
            rows = rows.to_spark(index_col=levels if len(levels) == rows.index.nlevels else None)
    return rows if isinstance(rows, InMemory) else InMemory(rows)


def with_rows_marked(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config with all rows in memory wrapped as `InMemory`, and paths as text.

    A config with a DataFrame or a table of Spark, and without an engine, gets the engine `spark`.
    """
    data = config.get("data")
    if not isinstance(data, Mapping):
        return dict(config)
    marked = {**config, "data": _marked(data)}
    return marked if marked.get("engine") is not None or not _is_on_spark(marked["data"]) else {**marked, "engine": "spark"}


def _is_on_spark(value: Any) -> bool:
    """Return whether a source, or one in a section of sources, is a DataFrame of Spark or a table of its catalog."""
    if isinstance(value, Mapping):
        return isinstance(value.get("table"), str) or any(map(_is_on_spark, value.values()))
    if isinstance(value, list | tuple):
        return any(map(_is_on_spark, value))
    return isinstance(value, InMemory) and value.is_of_spark


def _marked(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data section, or that of a fold, with its rows wrapped."""
    for key in data.keys() & {*_SIDES, *_OF_MODELS}:
        refuse_splits(key, data[key])
    marked = {
        key: source_of(data[key]) if key in _SIDES else _wrapped_models(key, data[key]) for key in data if key in (*_SIDES, *_OF_MODELS)
    }
    if isinstance(folds := data.get("folds"), list | tuple):
        marked["folds"] = [_marked(fold) if isinstance(fold, Mapping) else fold for fold in folds]
    return {**data, **marked}


def _wrapped_models(key: str, value: Any) -> Any:
    """Return the lists, or predictions, of all models with their rows wrapped."""
    if isinstance(value, Mapping) and not names_models(value) and not (key == "predictions" and describes_a_source(value)):
        return {name: _with_runs(given) for name, given in value.items()}
    if isinstance(value, list | tuple) and all(isinstance(part, str | os.PathLike) or describes_a_source(part) for part in value):
        return [source_of(part) for part in value]
    source = source_of(value)
    return {UNNAMED: source} if key == "recommendations" and isinstance(source, InMemory) else source


def _with_runs(given: Any) -> Any:
    if isinstance(given, Mapping) and isinstance(given.get("runs"), list | tuple):
        return {**given, "runs": [source_of(run) for run in given["runs"]]}
    return source_of(given)


def _plain_path(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_plain_path(part) for part in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


class Model(BaseModel):
    """Base class of all parts of the config: they are immutable and refuse unknown keys.

    Two habits halve the time to create them: their files do not postpone annotations, which Pydantic would compile one by one, and
    defaults are made by `model_construct`, which needs no validator.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, arbitrary_types_allowed=True)


def as_list(value: Any) -> Any:
    """Return a text as a list of one; anything else unchanged."""
    return [value] if isinstance(value, str) else value


def _as_mapping(value: Any) -> Any:
    return {"frame": value} if isinstance(value, InMemory) else {"path": value} if isinstance(value, str | list) else value


def _held(value: Any) -> Any:
    if value is not None and not isinstance(value, InMemory):
        raise ValueError("rows in memory can only be given in Python: receval.load_config({...}), or receval.evaluate(...)")
    return value


_OF_FILES: Final = ("format", "separator", "header", "encoding", "decimal_comma", "storage_options")
"""Keys with options to read a file."""


_OPTIONAL: Final = ("rating", "score", "rank", "timestamp")
"""Columns that can be null: then a file has none."""


class Columns(Model):
    """The names of columns in the file, or their positions from 1; null: the file has no such column, whatever its names."""

    user: UserColumns | None = Field(
        None,
        description="the user id, or a list of columns that are it together, such as [session, step]; {column: NAME, as: integer} reads "
        "whole numbers written as 318.0",
    )
    item: ItemColumns | None = Field(
        None,
        description="the item id; or a list of columns side by side, which are the items of a list in this order, or a name with a `*` for "
        "their numbers, such as `rec_*`; {column: NAME, as: integer} reads whole numbers written as 318.0",
    )
    rating: NumberColumns | None = Field(None, description="the rating of an interaction; columns side by side as for item")
    score: ScoreColumns | None = Field(
        None,
        description="the score of a recommendation: higher is better; {column: NAME, order: ascending} if lower is better; columns side by "
        "side as for item",
    )
    rank: NumberColumns | None = Field(
        None,
        description="the rank of a recommendation, from 1; used instead of the score if both are given; columns side by side as for item",
    )
    row: ColumnName | None = Field(
        None,
        description="the row of a page of several lists (shelf, carousel) that has the recommendation, from 1 at the top; with position",
    )
    position: ColumnName | None = Field(None, description="the position of a recommendation in its row of a page, from 1 at the left")
    timestamp: ColumnName | None = Field(None, description="the time of an interaction: a number, a date, or text")
    prediction: ColumnName | None = Field(None, description="the predicted rating")
    other: ColumnName | None = Field(None, description="the id of the second item of a pair")
    distance: ColumnName | None = Field(None, description="the distance between the two items of a pair")
    model: ColumnName | None = Field(
        None, description="in recommendations: {path: …, columns: {model: …}}, the column with the names of the models in one file"
    )

    @model_validator(mode="after")
    def _checked_page(self) -> Self:
        if (self.row is None) != (self.position is None):
            other = "position, the column of the positions in each row" if self.position is None else "row, the column of the rows"
            raise ValueError(f"a page needs row and position: add {other}{'' if self.row else ', or write rank for lists without rows'}")
        if self.row is not None and self.rank is not None:
            raise ValueError("a page is ordered by row and position: leave rank out")
        return self

    def given(self) -> dict[str, Any]:
        """Return the columns that are given: a name or a position, or a tuple of these."""
        return {
            role: column.column if isinstance(column, ReadColumn) else column for role, column in self._set().items() if role != "model"
        }

    @property
    def ways(self) -> dict[str, ReadColumn]:
        """The columns whose values are read in another way."""
        return {role: column for role, column in self._set().items() if isinstance(column, ReadColumn)}

    @property
    def absent(self) -> frozenset[str]:
        """The columns that a file must not have, although a name may be usual for them: those that are null in the config."""
        return frozenset(role for role in self.model_fields_set if role in _OPTIONAL and getattr(self, role) is None)

    def _set(self) -> dict[str, Any]:
        return {role: value for role in type(self).model_fields if (value := getattr(self, role)) is not None}

    @model_serializer
    def _as_written(self) -> dict[str, Any]:
        written = {role: column.written if isinstance(column, ReadColumn) else column for role, column in self._set().items()}
        return written | dict.fromkeys(sorted(self.absent))


class SourceConfig(Model):
    """One or more files with the same columns, and the options to read them."""

    path: Annotated[
        tuple[str, ...],
        BeforeValidator(as_list),
        Field(
            description="a path, folder or glob relative to the config file, an address such as s3:// or runs:/, or a list of them; "
            "- for standard input",
        ),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
    ] = ()
    table: Annotated[str, Field(pattern=TABLE_NAME)] | None = Field(
        None, description="Spark: a catalog table, such as catalog.db.name, instead of a path"
    )
    uri: Annotated[str, AfterValidator(read_uri)] | None = Field(
        None,
        description="a database instead of a path: sqlite:///shop.db, duckdb:///shop.duckdb, postgresql://user:password@host/name",
    )
    query: Annotated[str, Field(min_length=1)] | None = Field(None, description="the SELECT whose rows are read from the database")
    frame: SkipJsonSchema[Annotated[Any, BeforeValidator(_held), PlainSerializer(lambda held: held and held.kind)]] = Field(
        None, description="rows in memory instead of a path; only from Python"
    )
    name: Annotated[str, Field(min_length=1)] | None = Field(None, description="in a list of recommendations, the name of the model")
    format: Literal["csv", "tsv", "trec", "ragged", "json", "ndjson", "parquet", "ipc", "delta", "iceberg"] | None = Field(
        None,
        description="the format of the files; detected if not given; ragged: each line is a user and any number of items, and nothing else",
    )
    separator: Annotated[str, BeforeValidator(read_separator), Field(min_length=1, max_length=8)] | None = Field(
        None,
        description="the separator of a text file; detected if not given; with several characters, such as ::, fields cannot be quoted",
    )
    header: StrictBool | None = Field(
        None,
        description="whether the first line of a text file has column names; detected if not given; false if all columns are positions",
    )
    columns: Columns = Field(Columns.model_construct(), description="the name or the position of each column; common names are recognised")
    encoding: Annotated[str, AfterValidator(read_encoding)] | None = Field(
        None, description="the encoding of a text file, such as latin-1; UTF-8 if not given"
    )
    decimal_comma: StrictBool | None = Field(None, description="whether numbers are written as 3,5; detected if fields are separated by ;")
    null_values: (
        Annotated[
            tuple[Annotated[str, Field(min_length=1)], ...],
            BeforeValidator(as_list),
            WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        ]
        | None
    ) = Field(
        None, description="texts that mean a missing value in every column; an empty field always does, NA and nan in columns of numbers"
    )
    where: Annotated[str, AfterValidator(read_filter)] | None = Field(
        None,
        description="the rows that count, such as event == 'purchase' and rating >= 3: columns and values compared by ==, !=, <, <=, >, "
        ">=, in (…) and is null, joined by and, or, not and parentheses",
    )
    storage_options: StorageOptions | None = Field(
        None,
        description="settings to reach remote files, in addition to the environment: options of an object store as Polars names them, such "
        "as endpoint_url, or headers of a web request",
    )

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        given = [bool(self.path), self.table is not None, self.uri is not None, self.frame is not None]
        if sum(given) != 1:
            raise ValueError("give exactly one of path, table and uri" if any(given) else "give a path")
        if (self.uri is None) != (self.query is None):
            raise ValueError("give uri and query together: the database, and the SELECT that reads its rows")
        useless = [key for key in _OF_FILES if (self.uri or self.frame) is not None and getattr(self, key) is not None]
        if useless:
            source = "these rows are in memory" if self.frame is not None else "these rows come from a query"
            raise ValueError(f"{useless[0]} is an option for files, but {source}: remove it")
        if self.where is not None and (self.table is not None or (isinstance(self.frame, InMemory) and self.frame.is_of_spark)):
            raise ValueError("where does not work on tables and DataFrames of Spark: filter them first, with a view or DataFrame.filter")
        return self

    @property
    def storage(self) -> dict[str, str]:
        """The options to reach remote files."""
        return self.storage_options or {}

    @field_serializer("path")
    def _without_queries(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(masked_path, paths))

    @field_serializer("uri")
    def _without_password(self, uri: str | None) -> str | None:
        return uri and masked_uri(uri)


class RowsSource(SourceConfig):
    """A file of rows that may contain lists."""

    split: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="what separates the items if a text field contains a list; lists in brackets need none; none: a text is one item",
    )
    label_separator: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="of test and train: what separates an item and its rating in one text, such as - in `n7-0 n9-1`; the last one counts",
    )
    padding: Padding | None = Field(
        None, description="ids that only fill lists up to one length, such as -1 or [0, PAD]: these items are left out, and counted"
    )


class TestedSource(RowsSource):
    """The test file."""

    target: (
        Annotated[TargetRule, BeforeValidator(read_target), PlainSerializer(lambda target: target.written), WithJsonSchema(TARGET_SCHEMA)]
        | None
    ) = Field(
        None,
        description="the rows of each user that are the target, after where: all (the default), the last or the first by time, or a random "
        "item, also with a seed: {random: 7}",
    )
    categories: TestCategories | None = Field(
        None,
        description="the column with the category that a row's item has for its user, by its name or its position, for measures with "
        "categories_of=test; an item with several categories has a row for each (subtopics of TREC: iter)",
    )


class ItemsSource(SourceConfig):
    """The catalogue. Categories are in one column (items are repeated, or fields are split), or in one column per category."""

    categories: ItemCategories | None = Field(
        None,
        description="the column with an item's categories, by its name or its position; or a list of columns, one per category: the "
        "item has the category where the value is not missing, empty, 0 or false",
    )
    split: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="what separates the categories within a field, such as |; without it a field is one category"
    )

    vector: (
        Annotated[
            tuple[Annotated[str, Field(min_length=1)], ...],
            BeforeValidator(as_list),
            WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
        ]
        | None
    ) = Field(
        None,
        description="the column with an item's vector, such as its embedding: a list of numbers, or a text of numbers such as "
        "0.1 0.2 or [0.1, 0.2]; or a list of columns, one number each; for measures with distance=vectors",
    )

    @field_validator("split")
    @classmethod
    def _something_to_split(cls, split: str | None, info: ValidationInfo) -> str | None:
        if split is None or "categories" not in info.data or isinstance(info.data["categories"], str):
            return split
        if info.data["categories"] is None:
            raise ValueError("split needs the column of the categories: write categories: NAME")
        raise ValueError("each column in the list is one category, so nothing is split: remove split, or name one column")

    @property
    def category_columns(self) -> tuple[str, ...]:
        """The columns with the categories; empty if not given."""
        return (self.categories,) if isinstance(self.categories, str) else self.categories or ()


TestField = Annotated[TestedSource, BeforeValidator(_as_mapping, json_schema_input_type=str | list[str] | TestedSource)]
SourceField = Annotated[RowsSource, BeforeValidator(_as_mapping, json_schema_input_type=str | list[str] | RowsSource)]
ItemsField = Annotated[ItemsSource, BeforeValidator(_as_mapping, json_schema_input_type=str | list[str] | ItemsSource)]
Files = Annotated[tuple[SourceField, ...], BeforeValidator(as_list, json_schema_input_type=str | tuple[SourceField, ...])]
