"""The compiled loop: one machine-code function for every right-hand side and every method, and its dense output."""
