"""Charts as Vega-Lite specs, which are plain dicts: one function per chart; `drawing` makes pictures of them."""
