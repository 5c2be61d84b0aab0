"""The report of one result or several: a page for a browser, and what programs of other people read of it."""
