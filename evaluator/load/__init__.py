"""Files → canonical columns: the only reader of data."""

from .faults import BlankLines, counted, explain, refuse
from .fingerprint import Fingerprints
from .ids import IdsAreText, as_text, common_kinds, common_or_refuse, remarks
from .sample import sample
from .source import Source, find, look
from .stdin import spooled

__all__ = [
    "BlankLines",
    "Fingerprints",
    "IdsAreText",
    "Source",
    "as_text",
    "common_kinds",
    "common_or_refuse",
    "counted",
    "explain",
    "find",
    "look",
    "refuse",
    "remarks",
    "sample",
    "spooled",
]
