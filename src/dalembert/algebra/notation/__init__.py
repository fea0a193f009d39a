"""Terms as text, LaTeX and MathML."""
