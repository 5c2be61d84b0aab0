"""A source of the config: its files or its query, and which column of them is which."""

import codecs
from typing import Annotated, Any, Final, Literal, Self

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
    model_validator,
)
from pydantic.json_schema import SkipJsonSchema

from .in_memory import InMemory
from .masking import masked_options, masked_path, masked_uri


class Model(BaseModel):
    """What all parts of the config share: they do not change, and they refuse keys they do not know.

    Two habits make them in half the time. Their files do not postpone annotations, which Pydantic would compile one by one; and a default
    is made by `model_construct`, which needs no validator of its own.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, arbitrary_types_allowed=True)


def as_list(value: Any) -> Any:
    """A text as a list of one; anything else as it is."""
    return [value] if isinstance(value, str) else value


def _as_mapping(value: Any) -> Any:
    return {"frame": value} if isinstance(value, InMemory) else {"path": value} if isinstance(value, str | list) else value


def _held(value: Any) -> Any:
    if value is not None and not isinstance(value, InMemory):
        raise ValueError("rows in memory are given in Python: receval.load_config({...}), or receval.evaluate(...)")
    return value


def _column_name(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int) or value == "" or (isinstance(value, int) and value < 1):
        raise ValueError(f"a column is a name, or a position from 1, not {value!r}")
    return value


ColumnName = Annotated[
    str | int, BeforeValidator(_column_name), WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer", "minimum": 1}]})
]


def _encoding(name: str) -> str:
    try:
        known = codecs.lookup(name)
        "".encode(name)
    except LookupError:
        raise ValueError(f"there is no encoding of text called {name!r}; utf-8, latin-1, cp1252 and utf-16 are some") from None
    return known.name if known.name in ("utf-8", "utf-8-sig") else name


def _uri(text: str) -> str:
    if "://" not in text or text.lower().startswith(("http://", "https://")):
        raise ValueError("a uri names a database, such as sqlite:///shop.db; files elsewhere are a path")
    return text


def _option(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int | float) else value


_OF_FILES: Final = ("format", "separator", "header", "encoding", "decimal_comma", "storage_options")
"""Keys that say how to read a file."""


class Columns(Model):
    """The names of columns in the file, or their positions from 1."""

    user: ColumnName | None = Field(None, description="the user id")
    item: ColumnName | None = Field(None, description="the item id")
    rating: ColumnName | None = Field(None, description="the rating of an interaction")
    score: ColumnName | None = Field(None, description="the score of a recommendation: higher is better")
    rank: ColumnName | None = Field(None, description="the rank of a recommendation; it wins over the score")
    timestamp: ColumnName | None = Field(None, description="when an interaction was: a number, a date, or its text")
    prediction: ColumnName | None = Field(None, description="the predicted rating")
    other: ColumnName | None = Field(None, description="the id of the second item of a pair")
    distance: ColumnName | None = Field(None, description="the distance between the two items of a pair")

    def given(self) -> dict[str, str | int]:
        """The columns that are given."""
        return self.model_dump(exclude_none=True)


class SourceConfig(Model):
    """A file, or several of the same columns, and how to read them."""

    path: Annotated[
        tuple[str, ...],
        BeforeValidator(as_list),
        Field(
            description="a path, folder or glob relative to the config file, an address such as s3:// or runs:/, or a list of them; "
            "- for standard input",
        ),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
    ] = ()
    table: Annotated[str, Field(pattern=r"^[^.`]+([.][^.`]+)*$")] | None = Field(
        None, description="Spark: a table of the catalog, such as catalog.db.name, in the place of a path"
    )
    uri: Annotated[str, AfterValidator(_uri)] | None = Field(
        None,
        description="a database, in the place of a path: sqlite:///shop.db, duckdb:///shop.duckdb, postgresql://user:password@host/name",
    )
    query: Annotated[str, Field(min_length=1)] | None = Field(None, description="the SELECT whose rows are read from the database")
    frame: SkipJsonSchema[Annotated[Any, BeforeValidator(_held), PlainSerializer(lambda held: held and held.kind)]] = Field(
        None, description="rows in memory, in the place of a path; only Python can give them"
    )
    name: Annotated[str, Field(min_length=1)] | None = Field(None, description="in a list of recommendations, the name of the model")
    format: Literal["csv", "tsv", "trec", "json", "ndjson", "parquet", "ipc", "delta"] | None = Field(
        None, description="found out if not given"
    )
    separator: Annotated[str, Field(min_length=1, max_length=8)] | None = Field(
        None, description="of a text file; found out if not given; where it has several characters, as ::, no field is quoted"
    )
    header: StrictBool | None = Field(
        None,
        description="whether the first line of a text file names the columns; found out if not given; false if columns has positions only",
    )
    columns: Columns = Field(Columns.model_construct(), description="which column is which; usual names are recognised")
    encoding: Annotated[str, AfterValidator(_encoding)] | None = Field(
        None, description="of a text file, such as latin-1; UTF-8 if not given"
    )
    decimal_comma: StrictBool | None = Field(None, description="whether numbers are written as 3,5; found out where ; separates the fields")
    null_values: (
        Annotated[
            tuple[Annotated[str, Field(min_length=1)], ...],
            BeforeValidator(as_list),
            WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        ]
        | None
    ) = Field(
        None, description="texts that count as no value in every column; an empty field always does, NA and nan where a number belongs"
    )
    storage_options: dict[str, Annotated[str, BeforeValidator(_option)]] | None = Field(
        None,
        description="how to reach files elsewhere, beside what the environment says: options of an object store as Polars names them, "
        "such as endpoint_url, or headers of a request to a web server",
    )

    @model_validator(mode="after")
    def _is_somewhere(self) -> Self:
        given = [bool(self.path), self.table is not None, self.uri is not None, self.frame is not None]
        if sum(given) != 1:
            raise ValueError("give a path, a table or a uri, one of them" if any(given) else "give a path")
        if (self.uri is None) != (self.query is None):
            raise ValueError("a uri and a query go together: the database, and the SELECT whose rows are read")
        useless = [key for key in _OF_FILES if (self.uri or self.frame) is not None and getattr(self, key) is not None]
        if useless:
            has_none = "rows in memory are in none" if self.frame is not None else "a query has none"
            raise ValueError(f"{useless[0]} says how to read a file, and {has_none}: leave it out")
        return self

    @property
    def storage(self) -> dict[str, str]:
        """How to reach the files."""
        return self.storage_options or {}

    @field_serializer("path")
    def _without_queries(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(masked_path, paths))

    @field_serializer("uri")
    def _without_password(self, uri: str | None) -> str | None:
        return uri and masked_uri(uri)

    @field_serializer("storage_options")
    def _without_secrets(self, options: dict[str, str] | None) -> dict[str, str] | None:
        return options and masked_options(options)


def _category_columns(value: Any) -> Any:
    names = value if isinstance(value, list | tuple) else [value]
    if not names or not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"categories names the column that says an item's categories, or lists one column per category, not {value!r}")
    if len(set(names)) < len(names):
        raise ValueError("categories names a column twice")
    return value


class RowsSource(SourceConfig):
    """A file of rows that may hold lists."""

    split: Annotated[str, Field(min_length=1)] | None = Field(
        None,
        description="what separates the items of a list where a field of text holds one; lists in brackets need none; "
        "none: a text is one item",
    )


class ItemsSource(SourceConfig):
    """The catalogue. Its categories are a column of them, an item being repeated or its field split, or a column each."""

    categories: (
        Annotated[
            str | tuple[str, ...],
            BeforeValidator(_category_columns),
            WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
        ]
        | None
    ) = Field(
        None,
        description="the column that says an item's categories; or a list of columns, one per category, "
        "which an item has where the value is neither missing nor empty, 0 or false",
    )
    split: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="what separates the categories within a field, such as |; without it a field holds one category"
    )

    @field_validator("split")
    @classmethod
    def _something_to_split(cls, split: str | None, info: ValidationInfo) -> str | None:
        if split is None or "categories" not in info.data or isinstance(info.data["categories"], str):
            return split
        if info.data["categories"] is None:
            raise ValueError("there is nothing to split: name the column of the categories, as categories: NAME")
        raise ValueError("a list of columns has one category in each, and none to split: leave split out, or name one column")

    @property
    def category_columns(self) -> tuple[str, ...]:
        """The columns that say the categories; none if they are not given."""
        return (self.categories,) if isinstance(self.categories, str) else self.categories or ()


SourceField = Annotated[RowsSource, BeforeValidator(_as_mapping, json_schema_input_type=str | list[str] | RowsSource)]
ItemsField = Annotated[ItemsSource, BeforeValidator(_as_mapping, json_schema_input_type=str | list[str] | ItemsSource)]
Files = Annotated[tuple[SourceField, ...], BeforeValidator(as_list, json_schema_input_type=str | tuple[SourceField, ...])]
