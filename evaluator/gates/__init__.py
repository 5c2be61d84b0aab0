"""Rules → verdicts: may a model ship? The arithmetic is that of `stats`, the pairing of users that of `comparison`."""
