"""The key `evaluation.yardsticks` of the config: which lists are made to measure the models by."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StrictBool, StrictInt

from .sources import Model, as_list


class YardsticksConfig(Model):
    """Lists made from the same files, evaluated beside the models: a ceiling and two floors."""

    oracle: StrictBool = Field(False, description="the best possible list of each user; every value is then set beside it")
    popularity: StrictBool = Field(False, description="the most popular items of data.train")
    random: StrictInt | None = Field(None, description="a random list over the catalogue (data.items, else data.train), by this seed")

    @property
    def any(self) -> bool:
        """Whether the config names any yardstick."""
        return self.oracle or self.popularity or self.random is not None


def _yardsticks(value: Any) -> Any:
    """A list of names, also with a seed (`[oracle, {random: 7}]`), or `true` for all, as a mapping."""
    names = ("oracle", "popularity", "random")
    value = names if value is True else () if value is False else as_list(value)
    if not isinstance(value, list | tuple):
        return value
    given: dict[str, Any] = {}
    for entry in value:
        given |= entry if isinstance(entry, Mapping) else {str(entry): 0 if entry == "random" else True}
    unknown = [name for name in given if name not in names]
    if unknown:
        raise ValueError(f"yardsticks are {', '.join(names)}, not {unknown[0]!r}")
    return given


Yardsticks = Annotated[
    YardsticksConfig, BeforeValidator(_yardsticks, json_schema_input_type=bool | list[str | YardsticksConfig] | YardsticksConfig)
]
