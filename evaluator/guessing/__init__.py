"""What files are, told from their names, their columns and their first rows: guesses, each with its reason."""

from .columns import recognise
from .deciding import decide
from .entries import columns_of
from .tables import file

__all__ = ["columns_of", "decide", "file", "recognise"]
