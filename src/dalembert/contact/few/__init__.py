"""The laws of a few contacts in machine code: what a step of an ordinary machine asks for."""
