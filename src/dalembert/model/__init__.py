"""The machine that people hold: the description with every verb, gathered from all rooms.

Each module adds the verbs of one question to those before it: `described` (what is described), `placed` (where things
are), `forced` (by which efforts), `measured` (how it answers changes), `pictured` (how it looks), `exported` (where it
goes), `mechanism` (equations, analysis, code, motion). `opening` makes it from files.
"""

from dalembert.model.mechanism import Mechanism
from dalembert.model.opening import json_schema, load, loads, read_mjcf, read_sdf, read_urdf

__all__ = ["Mechanism", "json_schema", "load", "loads", "read_mjcf", "read_sdf", "read_urdf"]
