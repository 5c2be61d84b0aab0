"""Rules → verdicts: may a model ship? `stats` does the arithmetic, `comparison` pairs the users."""
