"""One pass over the lists of a model on Spark: whole users are measured on the workers, and merged here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from .. import load
from ..load.tally import FaultTally
from ..measure.measuring import Task, measure
from ..measure.partial import Partial
from ..parts.spark import SparkSession, measured_on_spark, ship
from .sources import SourceReader


class SparkPasses:
    """Passes over the lists of several models with one task, which goes to the workers once."""

    def __init__(self, session: SparkSession, task: Task) -> None:
        self._session, self.task = session, task
        self._work = ship(session, partial(measure, task))

    def pass_over(
        self,
        source: load.Source,
        sides: Mapping[str, load.Source],
        reader: SourceReader,
        *,
        last: Collection[str],
        only: Any = None,
    ) -> Partial:
        """Measure the lists of one model; with `only` those of a single user.

        `sides` are the sources beside the lists, which `reader` has read before: they are read again in the way that proved right.
        """
        resolved = {role: reader.as_read.get(side.role, side) for role, side in sides.items()}

        def consume(lists: load.Source, tally: FaultTally) -> Partial:
            made, counts = measured_on_spark(self._session, self._work, {"lists": lists, **resolved}, last=last, only=only)
            tally.counts = counts["lists"]
            partial_result: Partial = made
            return partial_result

        return reader.attempt(source, consume)
