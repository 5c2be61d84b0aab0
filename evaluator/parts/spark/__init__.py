"""Whole users on Spark: read, shuffle by user, measure on the workers."""

from .session import SparkSession, start_session
from .shuffle import measured_on_spark, ship, table_frame
from .tables import look_at_table

__all__ = ["SparkSession", "look_at_table", "measured_on_spark", "ship", "start_session", "table_frame"]
