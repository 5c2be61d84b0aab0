"""Evaluation inside training libraries: a file per library, which is imported when used, and early stopping for all of them."""
