"""The Python API: functions on tables of any kind."""
