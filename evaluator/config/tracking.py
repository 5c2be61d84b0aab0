"""The section `track` of the config: which experiment trackers a result is logged to."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BeforeValidator, Field, StrictBool, model_validator

from .. import plugins
from .sources import Model, as_list

Name = Annotated[str, Field(min_length=1)]
_REQUIRED: Final = "whether a tracker that fails fails the run; without it that is a warning"


class MlflowTracking(Model):
    """MLflow; the address of the server is that of MLFLOW_TRACKING_URI."""

    experiment: Name = Field("receval", description="the experiment; made if it is not there")
    run: Name | None = Field(None, description="the name of the run; the models by their names if not given")
    runs: Literal["children", "models"] = Field(
        "children", description="children: one run per evaluation with a child per model; models: one run per model"
    )
    required: StrictBool = Field(False, description=_REQUIRED)


class WandbTracking(Model):
    """Weights & Biases: a run per model, in one group, and one for the evaluation."""

    project: Name = Field("receval", description="the project")
    entity: Name | None = Field(None, description="the user or team that the project is of")
    run: Name | None = Field(None, description="the name of the group; the models by their names if not given")
    mode: Literal["online", "offline"] = Field("online", description="offline: runs are kept in wandb/, for `wandb sync`")
    required: StrictBool = Field(False, description=_REQUIRED)


class DvcTracking(Model):
    """Files that DVC reads: metrics.json, plots and the dvc.yaml that names them."""

    dir: Name = Field("dvc", description="the folder for the files, relative to the config file")
    required: StrictBool = Field(False, description=_REQUIRED)


class TensorboardTracking(Model):
    """Event files of TensorBoard, a folder per evaluation with one per model."""

    dir: Name = Field("runs", description="the folder that TensorBoard looks at, relative to the config file")
    run: Name | None = Field(None, description="the name of the evaluation's folder; the models by their names if not given")
    required: StrictBool = Field(False, description=_REQUIRED)


class PluginTracking(Model):
    """A tracker that an installed package adds."""

    name: Name = Field(description="the name under which the package announces it")
    options: dict[str, Any] = Field({}, description="what it is given")
    required: StrictBool = Field(False, description=_REQUIRED)


class Tracking(Model):
    """One tracker: exactly one of the keys."""

    mlflow: MlflowTracking | None = Field(None, description="MLflow; needs the extra mlflow")
    wandb: WandbTracking | None = Field(None, description="Weights & Biases; needs the extra wandb")
    dvc: DvcTracking | None = Field(None, description="files for DVC")
    tensorboard: TensorboardTracking | None = Field(None, description="event files of TensorBoard; needs the extra tensorboard")
    plugin: PluginTracking | None = Field(None, description="a tracker of an installed package")

    @model_validator(mode="after")
    def _one(self) -> Self:
        given = [name for name in type(self).model_fields if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"an entry is one tracker: {', '.join(type(self).model_fields)}")
        return self

    @property
    def chosen(self) -> MlflowTracking | WandbTracking | DvcTracking | TensorboardTracking | PluginTracking:
        """The settings of the tracker."""
        found = self.mlflow or self.wandb or self.dvc or self.tensorboard or self.plugin
        assert found is not None
        return found

    @property
    def name(self) -> str:
        """What the tracker is called."""
        return self.plugin.name if self.plugin is not None else next(name for name in type(self).model_fields if getattr(self, name))


def _entry(value: Any) -> Any:
    """`mlflow`, `{mlflow: }` and `{acme: {…}}`, where acme is announced by a package, as mappings of keys that there are."""
    if isinstance(value, str):
        value = {value: {}}
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((name, options),) = value.items()
    options = {} if options is None else options
    if name not in Tracking.model_fields and isinstance(options, Mapping) and plugins.find("trackers", str(name)) is not None:
        rest = {key: option for key, option in options.items() if key != "required"}
        return {"plugin": {"name": name, "options": rest, "required": options.get("required", False)}}
    return {name: options}


def _entries(value: Any) -> Any:
    if isinstance(value, Mapping):
        return [{name: options} for name, options in value.items()]
    return as_list(value)


TrackEntry = Annotated[Tracking, BeforeValidator(_entry, json_schema_input_type=str | Tracking | dict[str, Any])]
Trackings = Annotated[tuple[TrackEntry, ...], BeforeValidator(_entries)]
