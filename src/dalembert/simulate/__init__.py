"""Motion in time: native integration with error control, events that act, dense output, ensembles."""

# the core, for any native right-hand side
from dalembert.simulate._dense import DenseOutput

# simulation
from dalembert.simulate._run import run
from dalembert.simulate._run_many import run_many
from dalembert.simulate._simulate import simulate
from dalembert.simulate.arcs import Arc, Course, Jump
from dalembert.simulate.contract import Method
from dalembert.simulate.event import Event
from dalembert.simulate.from_mechanism import system_of
from dalembert.simulate.methods import METHODS, find_method, integrate, integrate_many
from dalembert.simulate.moreau_jean import MoreauJean
from dalembert.simulate.motion import Motion
from dalembert.simulate.problem import Ensemble, NativeEvents, NativeGuards, Problem, Solution
from dalembert.simulate.quality import Quality, QualityWarning

# systems
from dalembert.simulate.system import Condition, Constrained, Picture, System
