"""Machines in the tools of others: environments of gymnasium, functions of NumPy, JAX and CasADi."""

from dalembert.exchange.callables import make_callable
from dalembert.exchange.environment import environment

__all__ = ["environment", "make_callable"]
