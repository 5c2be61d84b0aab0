"""Whole users on Spark: read, shuffle by user, measure on the workers. Nothing is imported here: most runs need no Spark."""
