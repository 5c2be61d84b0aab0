"""Measures over parts of whole users: exact sums that merge, and what is computed from them."""
