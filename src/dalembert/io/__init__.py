"""Robot files in and out: URDF, MJCF and SDF become mechanisms; what one side says and the other cannot is told."""

from dalembert.io.read import SUFFIXES, UnmappedWarning, kind_of, read_mjcf, read_robot, read_sdf, read_urdf

__all__ = ["SUFFIXES", "UnmappedWarning", "kind_of", "read_mjcf", "read_robot", "read_sdf", "read_urdf"]
