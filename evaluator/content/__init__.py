"""What is said of results: records → documents, one file per section, without any form."""
