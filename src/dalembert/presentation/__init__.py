"""Equations on paper: words of a mechanism, statements in them, and their text, LaTeX and MathML.

A level is closed: every name that its lines use is defined in it. What a formalism states stands beside its derivation,
in `formalisms`; here is what the statements are made of.
"""

from dalembert.presentation.breaking import COLUMN, PAGE
from dalembert.presentation.lines import LEVELS, Line, Statement, definition, equation, plain
from dalembert.presentation.notation import Notation
from dalembert.presentation.statements import Statements
from dalembert.presentation.vocabulary import NOTHING, Vocabulary
