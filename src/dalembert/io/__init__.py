"""Robot files in: URDF, MJCF and SDF become mechanisms; what they say beyond mechanics is noted, never dropped."""

from dalembert.io.read import SUFFIXES, UnmappedWarning, kind_of, read_mjcf, read_robot, read_sdf, read_urdf

__all__ = ["SUFFIXES", "UnmappedWarning", "kind_of", "read_mjcf", "read_robot", "read_sdf", "read_urdf"]
