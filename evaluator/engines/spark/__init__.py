"""Parts of whole users on Spark: read, shuffle by user, measure on the workers. Most runs need no Spark, so nothing is imported here."""
