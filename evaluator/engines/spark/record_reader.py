"""On a worker: records of a source as its files have them → rows of canonical columns, read as on one machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from ...load.opening import FAILURES, RECORD, rows_of, with_lists
from ...load.scan import ReadError, Scan

_TYPES: Final[Mapping[str, type[pl.DataType]]] = {
    "bigint": pl.Int64,
    "int": pl.Int32,
    "smallint": pl.Int16,
    "tinyint": pl.Int8,
    "double": pl.Float64,
    "float": pl.Float32,
    "string": pl.String,
    "boolean": pl.Boolean,
}


def polars_type(name: str) -> type[pl.DataType]:
    """Return the Polars type of a column from the name of its Spark type."""
    return _TYPES[name]


ELEMENT: Final = "receval element"
"""Column with the number of a row among the rows of one record."""


class RecordReader(Struct, frozen=True):
    """A function for `mapInArrow`; `types` are the names and Spark types of its output columns."""

    scan: Scan
    types: Mapping[str, str]

    @classmethod
    def from_scan(cls, scan: Scan, types: Mapping[str, str]) -> RecordReader:
        """Return a reader of the records of a scan; blank rows are left to Spark, which keeps their row numbers."""
        # Numbers in text files arrive as text; keys to stores must not go to workers.
        rest = replace(scan, paths=(), storage={}, partitions={}, skip_blank=False, skip_faulty=(), loose=scan.is_text or scan.loose)
        return cls(rest, dict(types))

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Read batch by batch; `ReadError` if a value cannot be read."""
        for batch in batches:
            records = pl.DataFrame(pl.from_arrow(batch))
            try:
                rows = rows_of(self.scan, with_lists(self.scan, records.lazy()), records=True).collect()
            except FAILURES as error:
                raise ReadError(str(error).strip().partition("\n")[0]) from None
            numbered = rows.rename({"row": ELEMENT}).rename({RECORD: "row"})
            columns = numbered.select(pl.col(name).cast(polars_type(kind)) for name, kind in self.types.items())
            yield from columns.to_arrow(compat_level=pl.CompatLevel.oldest()).to_batches()
