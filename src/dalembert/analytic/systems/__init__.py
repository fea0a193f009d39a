"""One system, and every mechanics as a view of it."""
