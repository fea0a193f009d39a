"""Constraints: the rows that a condition gives, and the one solver."""
