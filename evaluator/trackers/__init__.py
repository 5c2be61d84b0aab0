"""Results → experiment trackers: under names that they take and that lead back to measures; libraries are imported when they are used."""
