"""The data section of the config: the files, and which column of them is which."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    field_serializer,
    field_validator,
    model_validator,
)

from .folds import FoldEntries
from .masking import masked_options, masked_path


class Model(BaseModel):
    """What all parts of the config share: they do not change, and they refuse keys they do not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def as_list(value: Any) -> Any:
    """A text as a list of one; anything else as it is."""
    return [value] if isinstance(value, str) else value


def _as_mapping(value: Any) -> Any:
    return {"path": value} if isinstance(value, str | list) else value


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


def _option(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else str(value) if isinstance(value, int | float) else value


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
            description="a path, folder or glob relative to the config file, an address such as s3://, or a list of them; "
            "- for standard input",
        ),
        WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
    ] = ()
    table: Annotated[str, Field(pattern=r"^[^.`]+([.][^.`]+)*$")] | None = Field(
        None, description="Spark: a table of the catalog, such as catalog.db.name, in the place of a path"
    )
    name: Annotated[str, Field(min_length=1)] | None = Field(None, description="in a list of recommendations, the name of the model")
    format: Literal["csv", "tsv", "trec", "ndjson", "parquet", "ipc", "delta"] | None = Field(None, description="found out if not given")
    separator: Annotated[str, Field(min_length=1, max_length=8)] | None = Field(
        None, description="of a text file; found out if not given; where it has several characters, as ::, no field is quoted"
    )
    header: StrictBool | None = Field(
        None,
        description="whether the first line of a text file names the columns; found out if not given; false if columns has positions only",
    )
    columns: Columns = Field(Columns(), description="which column is which; usual names are recognised")
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
        if bool(self.path) == (self.table is not None):
            raise ValueError("give a path" if self.table is None else "give a path or a table, not both")
        return self

    @property
    def storage(self) -> dict[str, str]:
        """How to reach the files."""
        return self.storage_options or {}

    @field_serializer("path")
    def _without_queries(self, paths: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(masked_path, paths))

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
        None, description="what separates the items of a list where a field of text holds one; JSON arrays need none"
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


def _several(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise ValueError("runs are a list of at least two files; the only lists of a model are its path")
    return value


SourceField = Annotated[RowsSource, BeforeValidator(_as_mapping, json_schema_input_type=str | list[str] | RowsSource)]
ItemsField = Annotated[ItemsSource, BeforeValidator(_as_mapping, json_schema_input_type=str | list[str] | ItemsSource)]
Files = Annotated[tuple[SourceField, ...], BeforeValidator(as_list, json_schema_input_type=str | tuple[SourceField, ...])]


class ModelRuns(Model):
    """Several runs of one model, such as trainings with different seeds."""

    runs: Annotated[
        tuple[SourceField, ...],
        BeforeValidator(_several, json_schema_input_type=Annotated[tuple[SourceField, ...], Field(min_length=2)]),
        Field(description="the lists of each run: at least two files"),
    ]


ModelLists = Annotated[
    Annotated[ModelRuns, Tag("runs")] | Annotated[SourceField, Tag("file")],
    Discriminator(lambda value: "runs" if isinstance(value, ModelRuns) or (isinstance(value, Mapping) and "runs" in value) else "file"),
]
_NO_SOURCE: Final[dict[str, Any]] = {"not": {"anyOf": [{"required": ["path"]}, {"required": ["table"]}]}}


def _unless_folds(schema: dict[str, Any]) -> None:
    """What is required may stand in each of the folds."""
    schema["anyOf"] = [{"required": schema.pop("required")}, {"required": ["folds"]}]


class Data(Model):
    """The files."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_unless_folds)

    test: SourceField = Field(description="the interactions to predict")
    train: SourceField | None = Field(None, description="the interactions the models learnt from")
    items: ItemsField | None = Field(None, description="the catalogue, and what is known of its items")
    users: SourceField | None = Field(None, description="what is known of the users, such as groups of them: one row per user")
    baseline: SourceField | None = Field(None, description="the lists of a reference model")
    previous_policy: SourceField | None = Field(
        None, description="the scores that the policy which collected the data gave: item, score and, if they differ by user, user"
    )
    predictions: (
        Annotated[
            Annotated[dict[str, SourceField], Field(json_schema_extra=_NO_SOURCE), Tag("named")] | Annotated[SourceField, Tag("file")],
            Discriminator(lambda value: "named" if isinstance(value, Mapping) and not {"path", "table"} & value.keys() else "file"),
        ]
        | None
    ) = Field(None, description="predicted ratings (user, item, prediction): one file for all models, or model → file")
    distances: SourceField | None = Field(None, description="the distances between items: item, other, distance")
    recommendations: Annotated[
        Annotated[dict[str, ModelLists], Tag("named")] | Annotated[Files, Tag("files")],
        Discriminator(lambda value: "files" if isinstance(value, str | list | tuple) else "named"),
        Field(
            description="the lists of each model: name → file, or name → {runs: [file, …]}; or a path, glob or list, each file being a "
            "model of its name"
        ),
    ]
    folds: FoldEntries | None = Field(
        None,
        exclude=True,
        description="several test sets: names that stand for {fold} in the paths of this section, or mappings with the keys of each fold",
    )

    def named_lists(self) -> Iterator[tuple[str, str, tuple[str | int, ...], RowsSource]]:
        """Of each model with a name, and of each run of one: what it is evaluated as, the model, its place below here, and its lists."""
        for model, given in self.recommendations.items() if isinstance(self.recommendations, dict) else ():
            if isinstance(given, ModelRuns):
                for index, source in enumerate(given.runs):
                    yield f"{model} (run {index + 1})", model, ("recommendations", model, "runs", index), source
            else:
                yield model, model, ("recommendations", model), given

    @property
    def runs(self) -> dict[str, tuple[str, ...]]:
        """Of each model with several runs what these are evaluated as."""
        runs: dict[str, tuple[str, ...]] = {}
        for name, model, _, _ in self.named_lists():
            runs[model] = (*runs.get(model, ()), name)
        return {model: names for model, names in runs.items() if names != (model,)}

    def sources(self) -> Iterator[tuple[tuple[str | int, ...], SourceConfig]]:
        """Every source with its place within the data section, in the order of the keys."""
        for key in type(self).model_fields:
            given = getattr(self, key)
            if isinstance(given, SourceConfig):
                yield (key,), given
            elif key == "recommendations" and isinstance(given, dict):
                yield from ((place, source) for _, _, place, source in self.named_lists())
            elif isinstance(given, dict):
                yield from (((key, name), source) for name, source in given.items())
            elif given and key != "folds":
                yield from (((key, index), source) for index, source in enumerate(given))
