"""Functionals: Euler's equations, second variation, least time and action, fields."""
