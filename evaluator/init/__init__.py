"""Write a first config: guess it from unlabelled files, convert that of another program, or take the sample of the package."""

from .conversion import convert
from .guess import guess
from .guess_text import config_text
from .sample import sample

__all__ = ["config_text", "convert", "guess", "sample"]
