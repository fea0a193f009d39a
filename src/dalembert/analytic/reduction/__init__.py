"""Symmetry put to use: momentum maps, Lie-Poisson systems, Casimirs; and mechanics beside Hamilton's."""
