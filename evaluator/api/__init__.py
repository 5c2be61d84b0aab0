"""The front door of the library: what a person calls from Python, on tables of any kind."""
