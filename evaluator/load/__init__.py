"""Files → canonical columns: the only reader of data."""

from .broken_rows import explain
from .database import look_at_query
from .faults import BlankLines, FaultyRows, LargeNumbers, refuse
from .fingerprint import Fingerprints
from .frame_file import FrameFile
from .ids import IdsAreText, as_text, common_kinds, remarks
from .paths import find
from .read_options import ReadOptions
from .remote import Remote
from .sniff import without_endings
from .source import Source, look, look_at_frame
from .source_file import SourceFile
from .stdin import spooled
from .unchanged import refusing_changes

__all__ = [
    "BlankLines",
    "FaultyRows",
    "Fingerprints",
    "FrameFile",
    "IdsAreText",
    "LargeNumbers",
    "ReadOptions",
    "Remote",
    "Source",
    "SourceFile",
    "as_text",
    "common_kinds",
    "explain",
    "find",
    "look",
    "look_at_frame",
    "look_at_query",
    "refuse",
    "refusing_changes",
    "remarks",
    "spooled",
    "without_endings",
]
