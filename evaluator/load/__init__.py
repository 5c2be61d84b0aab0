"""Files → canonical columns: the only reader of data."""

from .faults import BlankLines, FaultyRows, counted, explain, faulty, refuse
from .fingerprint import Fingerprints
from .glimpse import Glimpse
from .ids import IdsAreText, as_text, common_kinds, common_or_refuse, remarks
from .sample import sample
from .source import Source, find, look
from .stdin import spooled
from .tables_in import Named, tables_in

__all__ = [
    "BlankLines",
    "FaultyRows",
    "Fingerprints",
    "Glimpse",
    "IdsAreText",
    "Named",
    "Source",
    "as_text",
    "common_kinds",
    "common_or_refuse",
    "counted",
    "explain",
    "faulty",
    "find",
    "look",
    "refuse",
    "remarks",
    "sample",
    "spooled",
    "tables_in",
]
