"""The section of the config that says what is written to disk."""

from typing import Annotated, Any, Final, Literal, get_args

from pydantic import Field, StrictBool, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from .sources import Model, as_list

PerUserFormat = Literal["parquet", "csv", "jsonl"]
_PER_USER: Final = (
    "whether the folder has the value of every measure for every user, which receval compare needs: true for per_user.parquet, false, or "
    "formats among parquet, csv and jsonl"
)


def _formats(value: Any, read: ValidatorFunctionWrapHandler) -> Any:
    try:
        return read(value if isinstance(value, bool) else as_list(value))
    except ValidationError:
        raise ValueError(f"this is true, false, or formats among {', '.join(get_args(PerUserFormat))}, not {value!r}") from None


class Output(Model):
    """What is written to disk."""

    dir: Annotated[str, Field(min_length=1)] | None = Field(
        None, description="the folder for the result files, relative to the config file; without it none is written"
    )
    per_user: Annotated[
        StrictBool | tuple[PerUserFormat, ...],
        WrapValidator(_formats, json_schema_input_type=bool | PerUserFormat | list[PerUserFormat]),
    ] = Field(True, description=_PER_USER)

    enriched: StrictBool = Field(
        False,
        description="whether to write enriched.MODEL.parquet: the lists with rank, score, relevant, gain, and with data.train in_train, "
        "as the first measure reads them",
    )

    spreadsheet_safe: StrictBool = Field(
        False,
        description="whether texts in CSV files that a spreadsheet would take for a formula (they begin with =, +, -, @) get a ' in front",
    )

    describe: StrictBool = Field(
        False, description="whether manifest.json also says what the files hold, as receval describe does; they are read once more for it"
    )

    @property
    def per_user_formats(self) -> tuple[PerUserFormat, ...]:
        """The formats in which the values of users are written to the folder."""
        return ("parquet",) if self.per_user is True else self.per_user or ()
