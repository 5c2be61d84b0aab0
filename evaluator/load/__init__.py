"""Files → canonical columns: the only reader of data."""

from .broken import explain
from .faults import BlankLines, FaultyRows, counted, refuse
from .fingerprint import Fingerprints
from .found import find
from .glimpse import Glimpse
from .ids import IdsAreText, as_text, common_kinds, common_or_refuse, remarks
from .remote import Remote
from .sample import sample
from .source import Source, look
from .stdin import spooled
from .tables_in import Named, tables_in

__all__ = [
    "BlankLines",
    "FaultyRows",
    "Fingerprints",
    "Glimpse",
    "IdsAreText",
    "Named",
    "Remote",
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
    "tables_in",
]
