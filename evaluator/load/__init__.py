"""Files → canonical columns: the only reader of data."""

from .broken_rows import another_way, explain
from .database import look_at_query
from .faults import refuse
from .fingerprint import Fingerprints
from .paths import find, spooled
from .remote import Remote
from .scan import ReadOptions
from .sniff import without_endings
from .source import FaultyRows, ReadAgain, Source, common_kinds, look, look_at_frame, read_with_retries, remarks
from .source_file import FrameFile, SourceFile
from .unchanged import refusing_changes

__all__ = [
    "FaultyRows",
    "Fingerprints",
    "FrameFile",
    "ReadAgain",
    "ReadOptions",
    "Remote",
    "Source",
    "SourceFile",
    "another_way",
    "common_kinds",
    "explain",
    "find",
    "look",
    "look_at_frame",
    "look_at_query",
    "read_with_retries",
    "refuse",
    "refusing_changes",
    "remarks",
    "spooled",
    "without_endings",
]
