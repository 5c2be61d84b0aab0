"""The command line: parse, call, show, exit. A file per command, small ones together."""
