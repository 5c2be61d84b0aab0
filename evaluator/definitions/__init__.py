"""The definitions of metrics as array code, one family per file."""
