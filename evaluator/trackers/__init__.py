"""Log results to experiment trackers, under valid names that can be mapped back to measures; libraries are imported when used."""
