"""Constraints: the rows that a condition gives, and the one solver."""

from dalembert.constraints.resolve import Resolved, resolve
from dalembert.constraints.rows import Own, Rows, rows_of
