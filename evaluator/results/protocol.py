"""`Protocol`: by which definitions a value was computed, and the sentences that say it of all values together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from .wording import shortened

DEFAULT: Final = "default"
"""Where a cut-off comes from if neither the measure nor the config gives one."""


class Protocol(Struct, frozen=True):
    """What a value depends on beside its measure and the data.

    `convention` is the one it was computed under. `relevance` says which test rows are relevant, the threshold included; it is empty for
    what does not look at the test file. `cutoff_from` says where the cut-off comes from: `measure`, `top_k` or `default`; it is empty
    where there is none.
    """

    convention: str
    relevance: str
    cutoff_from: str


COLUMNS: Final = tuple(Protocol.__struct_fields__)
"""The columns of the long table that a protocol fills."""


def sentences(protocols: Mapping[str, Protocol]) -> Iterator[str]:
    """What to know of the `protocols` of the measures, given by label: the convention, what is relevant, and a default cut-off."""
    by_convention: dict[str, dict[str, list[str]]] = {}
    for label, protocol in protocols.items():
        by_convention.setdefault(protocol.convention, {}).setdefault(protocol.relevance, []).append(label)
    for number, (convention, by_relevance) in enumerate(by_convention.items()):
        labels = [label for some in by_relevance.values() for label in some]
        rules = {relevance: some for relevance, some in by_relevance.items() if relevance}
        most = max(rules, key=lambda relevance: len(rules[relevance]), default="")
        others = [f"; for {shortened(some)} {relevance} is" for relevance, some in rules.items() if relevance != most]
        named = f"Convention {convention}{f' for {shortened(labels)}' if number else ''}"
        yield f"{named}: {most} is relevant{''.join(others)}." if most else f"{named}."
    by_default = [label for label, protocol in protocols.items() if protocol.cutoff_from == DEFAULT]
    whole = [label for label in by_default if label.endswith("@none")]
    cut = [label for label in by_default if label not in whole]
    if cut:
        yield f"The cut-off of {shortened(cut)} is the default: evaluation.top_k is not given."
    if whole:
        yield f"{shortened(whole)} {'looks' if len(whole) == 1 else 'look'} at whole lists, the default: evaluation.top_k is not given."
