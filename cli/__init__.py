"""The command line: parse, call, show, exit. One file per command."""
