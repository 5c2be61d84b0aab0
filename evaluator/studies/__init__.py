"""Studies of one evaluation: audit, difference, explanation, and the view of one user."""
