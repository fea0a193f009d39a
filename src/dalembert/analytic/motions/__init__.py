"""Motion: in closed form, in wells, small, numeric, chaotic."""
