"""Names that people write: measure strings, arithmetic of measures, row filters, and YAML text with the position of each value."""
