"""The steps of an evaluation on plain values: open, evaluate, judge, report, save, track. The command line and Python both call them."""
