import polars as pl

__all__ = ["pl"]
