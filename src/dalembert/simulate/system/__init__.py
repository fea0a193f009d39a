"""What can be simulated: rates, constraints, events, conditions and values of a system, and its machine code."""
