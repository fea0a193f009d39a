"""Symmetry: gauge, Noether, first integrals, reduction, the inverse problem."""
