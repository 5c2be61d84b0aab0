"""Measures over parts of whole users: exact sums that merge, and the values computed from them."""
