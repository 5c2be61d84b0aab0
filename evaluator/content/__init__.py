"""Records → Document: what is said of a result, one file for each section, without any form."""
