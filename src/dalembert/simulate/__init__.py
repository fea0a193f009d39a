"""Motion in time: native integration with error control, events that act, dense output, ensembles."""

# the core, for any native right-hand side
# simulation and its result
from dalembert.simulate.contact.moreau_jean import MoreauJean
from dalembert.simulate.contact.schatzman_paoli import SchatzmanPaoli
from dalembert.simulate.loop.dense import DenseOutput
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.problem import Ensemble, NativeEvents, NativeGuards, Problem, Solution
from dalembert.simulate.methods.table import METHODS, find_method, integrate, integrate_many
from dalembert.simulate.motion.arcs import Arc, Course, Jump
from dalembert.simulate.motion.error import MotionError
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.motion.quality import Quality, QualityWarning
from dalembert.simulate.runs.enclosure import Enclosure, enclose
from dalembert.simulate.runs.inverse import InverseDynamics, inverse_dynamics
from dalembert.simulate.runs.run import run
from dalembert.simulate.runs.run_many import run_many
from dalembert.simulate.runs.sensitivity import Sensitivities, sensitivities
from dalembert.simulate.runs.simulate import simulate
from dalembert.simulate.runs.variational import CompiledIntegrator, compile_integrator

# what moves
from dalembert.simulate.system.event import Event
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.system import Condition, Constrained, Picture, System
