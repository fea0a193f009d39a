"""Motion in time: native integration with error control, events, dense output, ensembles."""

# the core, for any native right-hand side
from dalembert.simulate._dense import DenseOutput
from dalembert.simulate._integrate import NativeEvents, NativeGuards, Solution, integrate

# simulation
from dalembert.simulate._run import run
from dalembert.simulate._run_many import run_many
from dalembert.simulate.ensemble import Ensemble, integrate_many
from dalembert.simulate.event import Event
from dalembert.simulate.mechanism import simulate, system_of
from dalembert.simulate.methods import METHODS, Method, find_method
from dalembert.simulate.motion import Motion

# systems
from dalembert.simulate.system import Condition, Picture, System
