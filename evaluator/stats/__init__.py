"""Statistics on per-user values: differences of two models, intervals, verdicts and gates. Arithmetic only: numbers in, records out."""
