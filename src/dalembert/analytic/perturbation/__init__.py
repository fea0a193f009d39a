"""Near what is known: averaging, normal forms, adiabatic invariants, frequencies of motions."""
