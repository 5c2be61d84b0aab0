"""What a command gives: values with what they are made of, free of files and engines."""
