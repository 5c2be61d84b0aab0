"""Write a first config: guessed from unlabelled files, converted from another program's, or the sample that comes with the package."""

from .conversion import convert
from .guess import guess
from .guess_text import guessed
from .sample import sample

__all__ = ["convert", "guess", "guessed", "sample"]
