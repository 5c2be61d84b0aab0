"""What measures read, by the tables that their metrics declare: whether scores, whole lists, or nothing but hits."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from ..metrics.definition import Definition
from ..tables.graph import INPUTS, TABLES, closure

_OF_HITS: Final = frozenset({"hits", "rated", "ideal", "retrieved", "retrieved_at_k", "n_relevant", "reading"})
"""What a measure of hits reads beside them: judged items, what is relevant, and the length of the list."""
_OF_TRUTH: Final = _OF_HITS | {"judged_rows", "outside", "truth_with_repeats"}
"""Tables for which no row of the lists is needed but those of test pairs and of items that are no candidates."""


def tables_of(definition: Definition) -> frozenset[str]:
    """The tables that a measure reads, or a metric that it combines."""
    return frozenset().union(*(part.metric.uses(part.params) for part in definition.all))


def needs_scores(definition: Definition) -> bool:
    """Whether a measure looks at the scores of the lists, or at predictions."""
    return any(name in TABLES and TABLES[name].reads_scores for name in closure(tables_of(definition)))


def reads_whole_lists(definition: Definition) -> bool:
    """Whether a measure looks at every recommended item, not only at those that the test file holds."""
    return _reach_lists(tables_of(definition) - {"reading"})


def _reach_lists(names: Collection[str]) -> bool:
    uses = {used for name in set(names) - _OF_TRUTH - INPUTS for used in TABLES[name].uses}
    return "reading" in uses or (bool(uses) and _reach_lists(uses))


def sums_hits(definition: Definition) -> bool:
    """Whether a measure has a value per user that the user's hits add up to; it may divide by what the whole list adds up to."""
    tables = tables_of(definition)
    return "hits" in tables and tables <= _OF_HITS | {"listed"} and not definition.metric.system


def of_hits(definition: Definition) -> bool:
    """Whether a measure says how good hits are, and looks at nothing beside them."""
    tables = tables_of(definition)
    needs_more = any(True for part in definition.all for _ in part.metric.needs(part.params))
    reads_hits = "hits" in tables and tables <= _OF_HITS and not needs_more and not definition.metric.system
    of_users = definition.population in ("test", "tested") and not definition.of_means
    return reads_hits and of_users and definition.higher_is_better is not None
