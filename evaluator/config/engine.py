"""The section of the config that says where the work is done."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from .memory import parse_memory
from .sources import Model, as_list


def _memory(text: str) -> str:
    parse_memory(text)
    return text


class EngineChoice(Model):
    """Where the work is done."""

    name: Literal["polars", "spark"] = Field("polars", description="which engine brings whole users together: this machine, or Spark")
    master: str | None = Field(None, description="Spark: the master, such as local[2]")
    remote: str | None = Field(None, description="Spark Connect: the server, such as sc://host:15002")
    archives: Annotated[tuple[str, ...], BeforeValidator(as_list)] = Field(
        (), description="Spark: packed environments to ship to the workers, as path#name, where receval is not installed there"
    )
    memory: Annotated[str, AfterValidator(_memory)] | None = Field(
        None,
        description="Polars: how much memory the rows of lists in no order may take, such as 2GB; what is more goes to temporary files; "
        "a quarter of the machine's if not given",
    )

    @property
    def bytes(self) -> int | None:
        """The memory that rows may take; `None` if the config does not say."""
        return None if self.memory is None else parse_memory(self.memory)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.name != "spark" and (self.master or self.remote or self.archives):
            raise ValueError("master, remote and archives belong to the spark engine: add name: spark")
        if self.name == "spark" and self.memory:
            raise ValueError("memory belongs to the polars engine: Spark has settings of its own")
        if self.master and self.remote:
            raise ValueError("give master or remote, not both")
        return self
