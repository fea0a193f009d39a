"""The result of a simulation: arcs joined by jumps, their quality, their work, their files."""
