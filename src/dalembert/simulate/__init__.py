"""Motion in time: native integration with error control, events, dense output, ensembles."""

# systems
# the core, for any native right-hand side
from dalembert.simulate._dense import DenseOutput
from dalembert.simulate._integrate import NativeEvents, NativeGuards, Solution, integrate

# simulation
from dalembert.simulate._run import run
from dalembert.simulate.event import Event
from dalembert.simulate.mechanism import system_of
from dalembert.simulate.methods import METHODS, Method, find_method
from dalembert.simulate.motion import Motion
from dalembert.simulate.system import Condition, Picture, System
