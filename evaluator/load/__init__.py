"""Files → canonical columns: the only reader of data."""

from .broken_rows import explain
from .faults import BlankLines, FaultyRows, refuse
from .fingerprint import Fingerprints
from .frames import look_at_frame
from .ids import IdsAreText, as_text, common_kinds, common_or_refuse, remarks
from .paths import find
from .remote import Remote
from .sniff import without_endings
from .source import Source, look
from .stdin import spooled

__all__ = [
    "BlankLines",
    "FaultyRows",
    "Fingerprints",
    "IdsAreText",
    "Remote",
    "Source",
    "as_text",
    "common_kinds",
    "common_or_refuse",
    "explain",
    "find",
    "look",
    "look_at_frame",
    "refuse",
    "remarks",
    "spooled",
    "without_endings",
]
