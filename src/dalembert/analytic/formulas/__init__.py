"""How formulas are read, tidied, proved equal, solved, integrated and judged."""
