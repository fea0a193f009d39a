"""The fast derivation: recursions, articulated bodies, and the quantities that everyone asks for."""
