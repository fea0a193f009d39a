"""Simulating: from one start or many, through events, to a motion or an error that says what to do."""
