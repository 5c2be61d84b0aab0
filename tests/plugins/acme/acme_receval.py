"""The additions of Acme to receval: two metrics, a convention, a check, a format, a tracker, a kind of table, and a report section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import receval
from receval.checks import Check
from receval.documents.document import Paragraph, Section
from receval.health import HealthCheck, Tally, check
from receval.metrics.measure import Measure, Ratio
from receval.metrics.registry import metric

CONVENTION = Path(__file__).with_name("acme.yaml")


@receval.metric("LateHits", bounds=(0, 1), higher_is_better=False)
def late_hits(listed: Sequence[receval.Item], k: int | None) -> float:
    """Share of the hits that are in the second half of the list.

    Late@k = hits below rank k / 2, divided by all hits; 0 without any.
    """
    hits = [item for item in listed if item.relevant]
    return sum(item.rank > len(listed) / 2 for item in hits) / len(hits) if hits else 0.0


@metric("HitsPerItem", family="own", uses=("hits", "reading", "dropped"), pooled=True, reference="Acme")
def hits_per_item(m: Measure) -> Ratio:
    """Share of the listed items that are hits: receval's own form, on columns of all users at once."""
    return Ratio(m.hits.count(), m.n_listed)


@check(Check("Z01", "info", "a list is there", "nothing to do"))
class EveryList(HealthCheck):
    """Finds every list."""

    def tally(self, part):
        return Tally.of(lists=int((part.lists.counts > 0).sum()))

    def finding(self, tally, context):
        return self.symptom(context, "There are lists.", tally.count("lists"), tally.count("lists"))


def as_lines(result: receval.Result) -> bytes:
    """Return one line per value."""
    return "".join(f"{row.model} {row.label} = {row.value}\n" for row in result.rows).encode()


class Journal:
    """A tracker: adds a line for each value to a file."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.path = Path(options["path"])

    def log(self, result: receval.Result, files: Mapping[str, bytes]) -> str:
        """Write the values of a result; return the path of the file."""
        with open(self.path, "ab") as journal:
            journal.write(as_lines(result))
        return str(self.path)


class Log:
    """A kind of table in memory: Arrow's C interface is all it needs to be read."""

    def __init__(self, **columns: Sequence[Any]) -> None:
        self._frame = pl.DataFrame(columns)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def how_many_users(content: Any) -> Section:
    """Return a report section with the number of users."""
    (result,) = content.results.values()
    return Section("acme", "Acme's users", (Paragraph(f"Acme counts {result.rows[0].n_users} users."),))
