"""The naming mechanism of the thesis: numbers for bodies, links and frames, a name for every quantity."""

from dalembert.lsd.naming.entries import Entry, Variable
from dalembert.lsd.naming.table import NamingTable, names
