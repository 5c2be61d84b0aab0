"""Results → differences between their models: users are paired here, and `stats` does the arithmetic."""
