"""Records → Document: the sentences, tables and figures on a result, one file per section, independent of the output form."""
