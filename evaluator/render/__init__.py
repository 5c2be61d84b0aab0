"""Document → text: one file for each form, and none that decides what is said."""
