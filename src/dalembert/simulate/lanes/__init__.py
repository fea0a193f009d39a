"""Several trajectories in one vector, each with its own steps: compiled like the loop of one, to the same digits."""
