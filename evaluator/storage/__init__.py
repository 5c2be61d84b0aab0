"""Bytes → files, all or none; a folder of results → `Result`."""
