from importlib import metadata

import numpy as np
import polars as pl

__all__ = ["metadata", "np", "pl"]
