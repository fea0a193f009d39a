"""One module for each formalism: same input, same output, so that they can be compared.

>>> from dalembert.formalisms import derive
>>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
>>> m = Mechanism("pendulum")
>>> link = m.join(earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), revolute("x"), name="pivot")
>>> m.gravity = [0, 0, "-g"]
>>> derive(Layout.of(m), "kane").mass_matrix
Matrix([[l*m*l]])
"""

import sys

from dalembert import limits

# equations, integrals of motion
from dalembert.formalisms.balance import Balance, balance, conserved, hamiltonian, lagrangian

# choices
from dalembert.formalisms.charts import recharted, with_body_speeds
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.hamilton import Hamiltonian
from dalembert.formalisms.lagrange import Lagrangian
from dalembert.formalisms.reactions import Reaction, reactions
from dalembert.formalisms.registry import derive, formalism_names
from dalembert.formalisms.relative import seen_from
from dalembert.formalisms.speeds import with_speeds

limits.guard(sys.modules[__name__], "Ask for `recursive`, or give numbers for parameters.", seconds=600.0)
