"""What files are, told from their names, their columns and their first rows: guesses, each with its reason."""

from .columns import recognise
from .deciding import decide
from .entries import entry
from .rows_of_ids import separated
from .frames import file

__all__ = ["decide", "entry", "file", "recognise", "separated"]
