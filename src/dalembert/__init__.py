"""dalembert: from the description of a mechanical system to its equations, analysis, code and motion."""

__version__ = "0.1.0"
