"""Taylor series of compiled expressions: recurrences of their coefficients, in machine code."""
