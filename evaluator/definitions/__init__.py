"""The definitions of metrics as array code, one family per file."""

from . import accuracy, ranking  # noqa: F401
