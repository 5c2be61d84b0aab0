"""The results of commands: values with their definitions and counts, independent of files and engines."""
