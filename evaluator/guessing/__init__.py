"""What files are, told from their names, their columns and their first rows: guesses, each with its reason."""

from .columns import recognise
from .deciding import columns_of, decide
from .tables import file

__all__ = ["columns_of", "decide", "file", "recognise"]
