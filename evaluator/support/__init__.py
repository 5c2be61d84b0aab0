"""What every room may use: errors, names that people try, quoting, extras, plug-ins, temporary folders."""
