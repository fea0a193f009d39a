"""Terms and the engine that builds them: sorts, operators and their properties, sums and products, symbols."""
