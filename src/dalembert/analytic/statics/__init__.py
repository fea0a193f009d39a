"""Rest: virtual work, equilibria and their nature, kinds of constraints."""
