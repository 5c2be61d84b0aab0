"""Files → canonical columns: the only reader of data."""

from .broken_rows import another_way as another_way
from .broken_rows import explain as explain
from .database import look_at_query as look_at_query
from .documents import is_by_user as is_by_user
from .faults import refuse as refuse
from .filtering import events as events
from .filtering import model_column as model_column
from .filtering import with_filter_remark as with_filter_remark
from .folders import copy_of_pipe as copy_of_pipe
from .folders import find as find
from .remote import Remote as Remote
from .scan import ReadOptions as ReadOptions
from .sniff import without_endings as without_endings
from .source import FaultyRows as FaultyRows
from .source import ReadAgain as ReadAgain
from .source import Source as Source
from .source import common_kinds as common_kinds
from .source import look as look
from .source import look_at_frame as look_at_frame
from .source import read_with_retries as read_with_retries
from .source import remarks as remarks
from .source_file import Fingerprints as Fingerprints
from .source_file import FrameFile as FrameFile
from .source_file import SourceFile as SourceFile
from .source_file import refusing_changes as refusing_changes
