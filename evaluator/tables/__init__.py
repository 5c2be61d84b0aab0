"""Tables that metrics and checks read: about the users of a part, each declared once and computed at first use."""

from . import hits, item_columns, lists, truth  # noqa: F401, importing a file enters its tables into the graph
