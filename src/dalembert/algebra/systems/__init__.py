"""Tables of definitions, rules and their matching, block matrices, elimination with cases."""
