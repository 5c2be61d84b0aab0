"""Names that people write: measure strings, arithmetic of measures, and YAML text with the place of each value."""
