"""Motion in time: native integration with error control, events, dense output, ensembles."""

from dalembert.simulate._dense import DenseOutput
from dalembert.simulate._integrate import NativeEvents, NativeGuards, Solution, integrate
from dalembert.simulate.methods import METHODS, Method, find_method
