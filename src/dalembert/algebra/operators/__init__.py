"""The operators of vectors, matrices and quaternions: constructors, and the rules that are peculiar to each."""
