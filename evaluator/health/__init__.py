"""What is wrong or suspicious in the input, said before any score; one file per kind of look, each check under its id."""

from .examiner import Examiner, Lists, Symptom, shared
from .ids import Ids, ids
from .lists import lists, tied, wanted
from .omitted import cold, coverage, users
from .popular import popular
from .trained import future, seen, trained
from .truth import truth
from .values import Measured, measured, values

__all__ = [
    "Examiner",
    "Ids",
    "Lists",
    "Measured",
    "Symptom",
    "cold",
    "coverage",
    "future",
    "ids",
    "lists",
    "measured",
    "popular",
    "seen",
    "shared",
    "tied",
    "trained",
    "truth",
    "users",
    "values",
    "wanted",
]
