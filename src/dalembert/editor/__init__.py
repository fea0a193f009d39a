"""LSD in editors and documents: a language server and a Pygments lexer."""
