"""What numbers of users prove: differences of two models, their intervals, verdicts and gates. Arithmetic only: numbers in, records out."""
