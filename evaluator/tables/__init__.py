"""What metrics and checks read: tables of the users of a part, each declared once and made when it is asked for."""

from . import hits, item_columns, lists, truth  # noqa: F401, importing a file enters its tables into the graph
