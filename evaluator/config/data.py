"""The section `data` of the config: its sources, the lists of each model, and test sets in folds."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Self

from msgspec import Struct, field
from pydantic import (
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    PrivateAttr,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from ..syntax.model_patterns import chosen_models, names_of_runs
from ..syntax.yaml_text import Path
from .data_sources import (
    UNNAMED,
    Columns,
    Files,
    ItemsField,
    Model,
    RowsSource,
    SourceConfig,
    SourceField,
    TestField,
    as_list,
    describes_a_source,
    names_models,
)

MARK: Final = "{fold}"

FoldEntries = Annotated[
    tuple[Any, ...],
    WithJsonSchema(
        {
            "type": "array",
            "minItems": 1,
            "items": {
                "anyOf": [
                    {"type": ["string", "integer"], "description": "the name of a fold, which replaces {fold} in paths"},
                    {"type": "object", "description": "the keys of data that are different in this fold, such as test and recommendations"},
                ]
            },
        }
    ),
]


class Fold(Struct, frozen=True):
    """One fold: its name, the whole config for this fold, and `moved`: path in it → path in the file."""

    name: str
    value: dict[str, Any]
    moved: Mapping[Path, Path] = field(default_factory=dict)


def folds_of(value: Mapping[str, Any]) -> tuple[list[Fold], list[tuple[Path, str]]]:
    """Return the folds of a config, none without `data.folds`, and their problems, each with its path."""
    data = value.get("data")
    if not isinstance(data, dict) or data.get("folds") is None:
        return [], []
    entries, shared = data["folds"], {key: given for key, given in data.items() if key != "folds"}
    if not isinstance(entries, list) or not entries:
        wanted = "folds must be a list of names that replace {fold} in paths, such as [1, 2, 3], or of mappings with a test"
        return [], [(("data", "folds"), wanted)]
    folds, problems = [], []
    for index, entry in enumerate(entries):
        path: Path = ("data", "folds", index)
        named = {"name": entry} if isinstance(entry, str | int) and not isinstance(entry, bool) else entry
        if not isinstance(named, dict) or not isinstance(named.get("name", ""), str | int):
            problems.append((path, f"a fold must be a name or a mapping of its own data keys, not {entry!r}"))
            continue
        own = {key: given for key, given in named.items() if key != "name"}
        name = str(named.get("name", index + 1))
        moved: dict[Path, Path] = {("data", key): (*path, key) for key in own}
        if not own and not _has_mark(shared.get("test")):
            problems.append((path, f"the fold {name} has the same test set as the others: write {MARK} in the path of data.test"))
        folds.append(Fold(name, {**value, "data": filled(together(shared, own), name)}, moved))
    twice = [name for name, n in Counter(fold.name for fold in folds).items() if n > 1]
    problems += [(("data", "folds"), f"two folds are named {name}") for name in twice]
    return ([], problems) if problems else (folds, [])


def together(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data section of a fold or data set, with the models of all of them and its own."""
    both = {**shared, **own}
    if isinstance(shared.get("recommendations"), dict) and isinstance(own.get("recommendations"), dict):
        both["recommendations"] = {**shared["recommendations"], **own["recommendations"]}
    return both


def filled(value: Any, name: str, mark: str = MARK) -> Any:
    """Return a part of the config with the mark replaced by the name of a fold, or of a data set."""
    if isinstance(value, str):
        return value.replace(mark, name)
    if isinstance(value, dict):
        return {key: filled(given, name, mark) for key, given in value.items()}
    return [filled(given, name, mark) for given in value] if isinstance(value, list) else value


def _has_mark(value: Any) -> bool:
    return bool(filled(value, "") != value)


def _several(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise ValueError("runs must be a list of at least two files; or a pattern, such as als_{seed}.csv; for a single file give its path")
    return value


class ModelRuns(Model):
    """Several runs of one model, such as trainings with different seeds."""

    runs: Annotated[
        tuple[SourceField, ...],
        BeforeValidator(_several, json_schema_input_type=Annotated[tuple[SourceField, ...], Field(min_length=2)] | SourceField),
        Field(description="the lists of each run: at least two files, or one path that is a glob or has {seed}, for as many as there are"),
    ]


ModelLists = Annotated[
    Annotated[ModelRuns, Tag("runs")] | Annotated[SourceField, Tag("file")],
    Discriminator(lambda value: "runs" if isinstance(value, ModelRuns) or (isinstance(value, Mapping) and "runs" in value) else "file"),
]
_NO_SOURCE: Final[dict[str, Any]] = {"not": {"anyOf": [{"required": ["path"]}, {"required": ["table"]}, {"required": ["uri"]}]}}


def _by_name(value: Any) -> Any:
    """Return one file of all models as if it had a name; anything else unchanged."""
    return {UNNAMED: value} if names_models(value) else value


def _unless_folds(schema: dict[str, Any]) -> None:
    """Change the schema so that required keys may be in the folds instead."""
    schema["anyOf"] = [{"required": schema.pop("required")}, {"required": ["folds"]}]


class Data(Model):
    """The files."""

    model_config = ConfigDict(frozen=True, extra="forbid", json_schema_extra=_unless_folds)

    test: TestField = Field(description="the test interactions, which the models should predict")
    train: SourceField | None = Field(None, description="the train interactions, from which the models learned")
    items: ItemsField | None = Field(None, description="the catalogue: one row per item, with columns such as category and price")
    users: SourceField | None = Field(None, description="one row per user, with columns such as plan or country for groups")
    baseline: SourceField | None = Field(None, description="the lists of a reference model")
    previous_policy: SourceField | None = Field(
        None, description="scores of the policy that collected the data: item, score and, if they differ by user, user"
    )
    predictions: (
        Annotated[
            Annotated[dict[str, SourceField], Field(json_schema_extra=_NO_SOURCE), Tag("named")] | Annotated[SourceField, Tag("file")],
            Discriminator(lambda value: "named" if isinstance(value, Mapping) and not describes_a_source(value) else "file"),
        ]
        | None
    ) = Field(None, description="predicted ratings (user, item, prediction): one file for all models, or model → file")
    distances: SourceField | None = Field(None, description="the distances between items: item, other, distance")
    recommendations: Annotated[
        Annotated[dict[str, ModelLists], Tag("named")] | Annotated[Files, Tag("files")],
        Discriminator(lambda value: "files" if isinstance(value, str | list | tuple) else "named"),
        BeforeValidator(_by_name, json_schema_input_type=dict[str, ModelLists] | Files | RowsSource),
        Field(
            description="the lists of each model: name → file, or name → {runs: [file, …]}, or name → a path with {seed}; or a path, "
            "glob or list, where each file is one model named after the file; or one file of all models, whose columns name that of the "
            "model. May be left out if every measure uses only `predictions`"
        ),
    ] = Field(default_factory=dict)
    models: (
        Annotated[
            tuple[Annotated[str, Field(min_length=1)], ...],
            BeforeValidator(as_list, json_schema_input_type=str | list[str]),
        ]
        | None
    ) = Field(None, description="the models that are evaluated, by names or patterns such as `bpr*`; if not given, all")
    columns: Columns | None = Field(
        None,
        description="the names of columns in every file that has them; the columns of a file come first",
    )
    folds: FoldEntries | None = Field(
        None,
        exclude=True,
        description="several test sets: names that replace {fold} in the paths of this section, or mappings with the keys of each fold",
    )

    _all_models: tuple[str, ...] | None = PrivateAttr(None)
    _has_numbered_runs: bool = PrivateAttr(False)

    @field_validator("models")
    @classmethod
    def _are_models(cls, models: tuple[str, ...] | None, info: ValidationInfo) -> tuple[str, ...] | None:
        if models is not None and (names := _names_of_models(info.data)) is not None:
            chosen_models(models, names)
        return models

    @model_validator(mode="after")
    def _with_chosen_models(self) -> Self:
        """Leave the models out that are not chosen, if the config names its models; otherwise the files do, and choose later."""
        names = _names_of_models(self.__dict__)
        if self.models is not None and names is not None:
            kept = {*chosen_models(self.models, names)}
            for key in ("recommendations", "predictions"):
                if isinstance(given := getattr(self, key), dict):
                    self.__dict__[key] = {name: source for name, source in given.items() if name in kept}
            self._all_models = names
        return self

    @property
    def all_models(self) -> tuple[str, ...] | None:
        """The models of which some were chosen; `None` if all are evaluated, or if files give the names."""
        return self._all_models

    def named_lists(self) -> Iterator[tuple[str, str, tuple[str | int, ...], RowsSource]]:
        """Yield, for each named model and each of its runs: name in the evaluation, model, path within `data`, lists."""
        for model, given in self.recommendations.items() if isinstance(self.recommendations, dict) else ():
            if isinstance(given, ModelRuns):
                names = names_of_runs([() if self._has_numbered_runs else source.path for source in given.runs])
                for index, (name, source) in enumerate(zip(names, given.runs, strict=True)):
                    yield f"{model} (run {name})", model, ("recommendations", model, "runs", index), source
            else:
                yield model, model, ("recommendations", model), given

    @property
    def named_models(self) -> Mapping[str, object] | None:
        """The lists by model, or the predictions if there are no lists; `None` if files, or a column, give the names."""
        given = self.recommendations or self.predictions
        return given if isinstance(given, dict) and not self.has_model_column else None

    @property
    def has_model_column(self) -> bool:
        """True if a column of one file of lists names the models, and not the keys of the config."""
        given = self.recommendations
        return isinstance(given, dict) and any(self.model_column(source) is not None for _, _, _, source in self.named_lists())

    def model_column(self, source: SourceConfig) -> str | int | None:
        """Return the column with the names of the models in a file of lists; `None` if there is none."""
        return source.columns.model if source.columns.model is not None or self.columns is None else self.columns.model

    def number_runs(self) -> None:
        """Call the runs of a model 1, 2, and so on, whatever the names of their files: those of other folds have other seeds."""
        self._has_numbered_runs = True

    @property
    def runs(self) -> dict[str, tuple[str, ...]]:
        """Model with several runs → names of its runs in the evaluation."""
        runs: dict[str, tuple[str, ...]] = {}
        for name, model, _, _ in self.named_lists():
            runs[model] = (*runs.get(model, ()), name)
        return {model: names for model, names in runs.items() if names != (model,)}

    @field_validator("recommendations")
    @classmethod
    def _queries_have_names(cls, given: Any) -> Any:
        if isinstance(given, tuple) and any(source.uri is not None and source.name is None for source in given):
            raise ValueError("lists from a query need a model name: write NAME: {uri: …, query: …}")
        return given

    def sources(self) -> Iterator[tuple[tuple[str | int, ...], SourceConfig]]:
        """Yield every source with its path within the data section, in the order of the keys."""
        for key in type(self).model_fields:
            given = getattr(self, key)
            if isinstance(given, SourceConfig):
                yield (key,), given
            elif key == "recommendations" and isinstance(given, dict):
                yield from ((place, source) for _, _, place, source in self.named_lists())
            elif isinstance(given, dict):
                yield from (((key, name), source) for name, source in given.items())
            elif given and key not in ("columns", "folds", "models"):
                yield from (((key, index), source) for index, source in enumerate(given))


def _names_of_models(data: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the names of the models of a section `data`; `None` if its files, or a column of its only file, may give them."""
    given = data.get("recommendations") or data.get("predictions")
    if not isinstance(given, dict) or (len(given) == 1 and not any(isinstance(lists, ModelRuns) for lists in given.values())):
        return None
    return (*given,)


def problems_of_models(data: Data) -> Iterator[tuple[Path, str]]:
    """Yield why a column cannot name the models."""
    where: Path = ("data", "recommendations")
    n_lists = len([*data.named_lists()])
    if n_lists > 1 and data.has_model_column:
        hint = "several files have a name each, without columns.model; or write one: recommendations: {path: …, columns: {model: …}}"
        yield where, f"a column names the models of one file of lists, and there are {n_lists}: {hint}"
    for place, source in data.sources():
        is_of_spark = source.table is not None or (source.frame is not None and source.frame.is_of_spark)
        if place[0] == "recommendations" and is_of_spark and data.model_column(source) is not None:
            yield where, "columns.model does not work on tables and DataFrames of Spark: give the lists of each model"


def problems_of_reading(role: str, source: SourceConfig) -> Iterator[tuple[Path, str]]:
    """Yield keys of a source that contradict each other, or that such a source cannot have."""
    if "score" in source.columns.ways and role == "previous_policy":
        yield ("columns", "score"), "the scores of a policy have no order: name the column alone"
    if source.columns.model is not None and role != "recommendations":
        yield ("columns", "model"), "this file has no column for model: only data.recommendations has one"
    if not isinstance(source, RowsSource):
        return
    if source.label_separator is not None and role not in ("test", "train"):
        yield ("label_separator",), "labels in texts are ratings: only data.test and data.train have them"
    if source.label_separator is not None and source.columns.rating is not None:
        yield ("label_separator",), "the ratings are behind the items, or in a column: remove one of label_separator and columns.rating"
    several = isinstance(source.columns.given().get("item"), tuple)
    if source.split not in (None, "none") and (several or source.format == "ragged"):
        what = "the lines are split at their separator" if source.format == "ragged" else "each column has one item of the list"
        yield ("split",), f"{what}: remove split"
