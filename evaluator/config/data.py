"""The data section of the config: which sources there are, and the lists of each model."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import BeforeValidator, ConfigDict, Discriminator, Field, Tag, field_validator

from .folds import FoldEntries
from .in_memory import describes_a_source
from .sources import Files, ItemsField, Model, RowsSource, SourceConfig, SourceField


def _several(value: Any) -> Any:
    if not isinstance(value, list | tuple) or len(value) < 2:
        raise ValueError("runs are a list of at least two files; the only lists of a model are its path")
    return value


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
_NO_SOURCE: Final[dict[str, Any]] = {"not": {"anyOf": [{"required": ["path"]}, {"required": ["table"]}, {"required": ["uri"]}]}}


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
            Discriminator(lambda value: "named" if isinstance(value, Mapping) and not describes_a_source(value) else "file"),
        ]
        | None
    ) = Field(None, description="predicted ratings (user, item, prediction): one file for all models, or model → file")
    distances: SourceField | None = Field(None, description="the distances between items: item, other, distance")
    recommendations: Annotated[
        Annotated[dict[str, ModelLists], Tag("named")] | Annotated[Files, Tag("files")],
        Discriminator(lambda value: "files" if isinstance(value, str | list | tuple) else "named"),
        Field(
            description="the lists of each model: name → file, or name → {runs: [file, …]}; or a path, glob or list, each file being a "
            "model of its name. Without it the models are those of `predictions`, where every measure looks at these alone"
        ),
    ] = Field(default_factory=dict)
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
    def named_models(self) -> Mapping[str, object] | None:
        """The models by name, of predictions where there are no lists; `None` where files give the names."""
        given = self.recommendations or self.predictions
        return given if isinstance(given, dict) else None

    @property
    def runs(self) -> dict[str, tuple[str, ...]]:
        """Of each model with several runs what these are evaluated as."""
        runs: dict[str, tuple[str, ...]] = {}
        for name, model, _, _ in self.named_lists():
            runs[model] = (*runs.get(model, ()), name)
        return {model: names for model, names in runs.items() if names != (model,)}

    @field_validator("recommendations")
    @classmethod
    def _queries_have_names(cls, given: Any) -> Any:
        if isinstance(given, tuple) and any(source.uri is not None and source.name is None for source in given):
            raise ValueError("the lists of a query have no file to be named after: give their model a name")
        return given

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
