"""Document → text: one file per form; the content comes from `documents`."""
