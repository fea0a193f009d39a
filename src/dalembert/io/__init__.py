"""Robot files in and out: URDF, MJCF and SDF become mechanisms; what one side says and the other cannot is told."""

from dalembert.io.read import SUFFIXES, UnmappedWarning, kind_of, read_robot
from dalembert.io.reading import Reading

__all__ = ["SUFFIXES", "Reading", "UnmappedWarning", "kind_of", "read_robot"]
