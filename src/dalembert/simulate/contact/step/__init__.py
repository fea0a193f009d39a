"""Moreau-Jean steps of ordinary machines in machine code."""
