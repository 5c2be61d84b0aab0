"""The ready-to-run configs and their data, which `receval init --demo` writes."""
