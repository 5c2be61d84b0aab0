"""What metrics and checks read: tables of the users of a part, each declared once and made when it is asked for."""

from . import category_columns, hits, item_columns, listed, lists, truth, user_columns  # noqa: F401, importing them declares their tables
