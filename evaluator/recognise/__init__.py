"""Recognise files: which column has which role, from what was said, the shape, names, values, and the other files of the request."""
