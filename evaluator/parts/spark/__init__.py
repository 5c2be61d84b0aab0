"""Whole users on Spark: read, shuffle by user, measure on the workers."""

from .session import SparkSession, start_session
from .shuffle import measured_on_spark, ship, table_frame

__all__ = ["SparkSession", "measured_on_spark", "ship", "start_session", "table_frame"]
