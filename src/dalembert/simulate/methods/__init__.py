"""Methods under one contract: what they are given, what they give back, their tables, and the loops that drive them."""
