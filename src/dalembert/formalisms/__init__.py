"""One module for each formalism: same input, same output, so that they can be compared.

>>> from dalembert.formalisms import derive
>>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
>>> m = Mechanism("pendulum")
>>> link = m.join(earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), revolute("x"), name="pivot")
>>> m.gravity = [0, 0, "-g"]
>>> derive(Layout.of(m), "kane").accelerations
(-(g*m*l*sin(pivot.th))/(m*l**2),)
"""

from dalembert.formalisms.equations import Equations
from dalembert.formalisms.registry import FORMALISMS, derive, formalism_names
