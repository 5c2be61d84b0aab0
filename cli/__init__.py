"""The command line: parse, call, show, exit. Commands of one subject share a file."""
