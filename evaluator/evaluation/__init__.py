"""The conductor: prepare, measure part by part, merge, finish."""
