"""LSD, the language of mechanisms: text -> Mechanism, and back.

>>> from dalembert import lsd
>>> m = lsd.loads("let b = body mass = 1 end ; join earth and b.frame with link(x) dof = [x,0,0] end as rail ;")
>>> m.links["rail"].coordinates
('rail.x',)
"""

# reading
from dalembert.lsd.check_program import CheckedProgram, check_program

# from text to mechanism
from dalembert.lsd.elaborate import elaborate

# the naming mechanism
from dalembert.lsd.naming import NamingTable, names
from dalembert.lsd.numbering import Numbering, number
from dalembert.lsd.parser import parse

# and back
from dalembert.lsd.printer import to_lsd
from dalembert.lsd.reading import check, load, loads
from dalembert.lsd.source import Diagnostic, Source
from dalembert.lsd.syntax import Program
