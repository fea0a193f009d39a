"""Phase space: Legendre's transform, brackets, canonical maps and their generators."""
