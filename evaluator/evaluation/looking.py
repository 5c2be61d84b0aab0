"""One source of a config, looked at: a file, a table, a query, or rows in memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from .. import load
from ..config import SourceConfig
from ..config.data import Data
from ..config.data_sources import InMemory
from ..config.whole_config import Evaluation
from ..errors import ConfigError, NoRowsError
from ..load.in_memory import Matrix, frame_of, users_without_items
from ..load.opening import FAILURES, opened
from ..load.scan import ReadError
from ..parts.spark.session import SparkSession


class Looker(Struct, frozen=True):
    """Looks at sources of a config in `folder`. Temporary files live as long as `scratch`, `session` reads what is on Spark.

    Of a matrix of scores lists of `depth` are made, without what `train` holds where that is asked for.
    """

    folder: Path
    scratch: ExitStack
    session: SparkSession | None
    depth: int | None
    train: Callable[[], load.Source | None]

    def files(self, role: str, configured: SourceConfig) -> list[load.SourceFile]:
        """Find the files and folders of a source; standard input and pipes are read into temporary files."""
        if configured.path == ("-",):
            return [self.scratch.enter_context(load.spooled())]
        found = load.find(role, configured.path, self.folder, configured.storage)
        return [
            self.scratch.enter_context(load.spooled(path)) if isinstance(path, Path) and path.is_fifo() else load.SourceFile.of(path)
            for path in found
        ]

    def look_at(
        self, role: str, table: str, configured: SourceConfig, files: Sequence[load.SourceFile] | None = None, labels: Sequence[str] = ()
    ) -> load.Source:
        """Look at a source, of whose files, if it has any, only `files` may be meant; `labels` are further columns to read."""
        options = load.ReadOptions.of(configured, labels)
        if configured.table is not None:
            return self._on_spark(role, table, configured.table, options)
        if isinstance(configured.frame, InMemory) and configured.frame.is_of_spark:
            from ..parts.spark.catalog_tables import name_of_view  # only here: most runs need no Spark

            view = name_of_view(configured.frame.rows, self.scratch)
            return self._on_spark(role, table, view, options, configured.frame.kind)
        if isinstance(configured.frame, InMemory):
            held = configured.frame
            where = f"{role}: {held.kind}"
            frame = frame_of(
                where,
                table,
                held.rows,
                columns=options.columns,
                depth=self.depth,
                seen=seen_pairs(where, held.rows, self.train() if is_masked(held.rows) else None),
            )
            return load.look_at_frame(role, table, frame, options, held.kind)
        if configured.uri is not None and configured.query is not None:
            return load.look_at_query(role, table, configured.uri, configured.query, self.folder, options, self.scratch)
        files = self.files(role, configured) if files is None else files
        return load.look(role, table, configured.path, files, options, self.scratch)

    def look_at_lists(
        self, role: str, configured: SourceConfig, files: Sequence[load.SourceFile] | None = None, *, may_be_empty: bool = False
    ) -> load.Source:
        """Look at the lists of a model; with `may_be_empty` they may have no rows."""
        files = self.files(role, configured) if files is None else files
        try:
            source = self.look_at(role, "lists", configured, files)
        except NoRowsError:
            if not may_be_empty:
                raise
            source = without_rows(role, configured.path, files)
        return replace(source, may_be_empty=may_be_empty)

    def look_at_empty(self, role: str, table: str, configured: SourceConfig) -> load.Source | None:
        """Look at the users whom a dict in memory holds with an empty list; `None` if there are none."""
        if not isinstance(configured.frame, InMemory) or configured.frame.is_of_spark:
            return None
        held = configured.frame
        users = users_without_items(f"{role}: {held.kind}", table, held.rows, configured.columns.given())
        return None if users is None else load.look_at_frame(f"{role} (empty lists)", "people", users, name=held.kind)

    def _on_spark(self, role: str, table: str, name: str, options: load.ReadOptions, shown: str = "") -> load.Source:
        assert self.session is not None, "the config was checked to read tables on Spark"
        from ..parts.spark.catalog_tables import look_at_table  # only here: most runs need no Spark

        return look_at_table(self.session, role, table, name, replace(options, nulls=()), shown)


def without_lists(role: str) -> load.Source:
    """The lists of a model that has none."""
    return replace(without_rows(role, (), ()), may_be_empty=True, given=(), originals=())


def without_rows(role: str, given: Sequence[str], files: Sequence[load.SourceFile]) -> load.Source:
    """Lists without a row: those of empty files, or of none."""
    frame = pl.DataFrame(schema={"user": pl.Int64, "item": pl.Int64, "score": pl.Float64})
    source = load.look_at_frame(role, "lists", frame, name="no lists")
    return replace(source, given=tuple(given), originals=tuple(files)) if files else source


def seen_pairs(where: str, rows: object, train: load.Source | None) -> pl.DataFrame | None:
    """The pairs of train that are no candidates for a matrix, with ids as they are written; `None` if all are candidates."""
    if not is_masked(rows):
        return None
    if train is None:
        raise ConfigError(f"{where}: seen items are not known", "give data.train, or remove mask_seen")
    try:
        return opened(train.with_kinds({"user": "text", "item": "text"}).scan).select("user", "item").collect()
    except FAILURES as error:
        raise load.explain(train, ReadError(str(error))) from error


def is_masked(rows: object) -> bool:
    """Whether rows are a matrix of scores of which the items of train are no candidates."""
    return isinstance(rows, Matrix) and rows.mask_seen


def masks_seen(data: Data) -> bool:
    """Whether the items of train are to be masked in a matrix of scores."""
    return any(isinstance(source.frame, InMemory) and is_masked(source.frame.rows) for _, source in data.sources())


def deepest(evaluation: Evaluation) -> int | None:
    """How many items of a list measures may look at; `None` for all: where one has no cut-off, or items are left out of lists first."""
    definitions = [inner for definition in evaluation.computed for inner in definition.all]
    leaves_out = any((one.lists.seen, one.lists.unknown) != ("keep", "keep") for one in definitions)
    cutoffs = [one.k for one in definitions if one.metric.cut]
    if leaves_out or not cutoffs or None in cutoffs or any(not one.metric.cut for one in evaluation.computed):
        return None
    return max(k for k in cutoffs if k is not None)
