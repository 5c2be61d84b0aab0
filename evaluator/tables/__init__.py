"""What metrics and checks read: tables of the users of a part, each declared once and made when it is asked for."""

from . import hits, lists, ties, truth  # noqa: F401, importing them declares the tables that all metrics share
