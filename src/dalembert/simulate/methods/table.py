"""The table of methods: explicit, implicit, series, symplectic, DAE, all under the contract of `contract.Method`."""

from __future__ import annotations

from difflib import get_close_matches

from dalembert.errors import SimulationError
from dalembert.simulate.contact.moreau_jean import MoreauJean
from dalembert.simulate.contact.schatzman_paoli import SchatzmanPaoli
from dalembert.simulate.methods import tableaux
from dalembert.simulate.methods.automatic import Automatic
from dalembert.simulate.methods.collocated_dae import CollocatedDae
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.dae import GeneralisedAlpha
from dalembert.simulate.methods.native import NativeMethod
from dalembert.simulate.methods.problem import Ensemble, Problem, Solution
from dalembert.simulate.methods.radau import radau_iia
from dalembert.simulate.methods.schemes import Scheme
from dalembert.simulate.methods.taylor import Taylor
from dalembert.simulate.methods.variational import Variational
from dalembert.simulate.methods.verner import VERNER_9


def _suzuki(weights: tuple[float, ...], order: int) -> tuple[float, ...]:
    """Five copies of a symmetric method of `order`, the middle one backwards: order + 2 (Suzuki 1990)."""
    side = 1.0 / (4.0 - 4.0 ** (1.0 / (order + 1)))
    pattern = (side, side, 1.0 - 4.0 * side, side, side)
    return tuple(outer * inner for outer in pattern for inner in weights)


def _symmetric(half: tuple[float, ...]) -> tuple[float, ...]:
    return (*half, 1.0 - 2.0 * sum(half), *reversed(half))


#: Yoshida, Phys. Lett. A 150 (1990) 262, solution A of order 6 and solution D of order 8.
_YOSHIDA_6 = _symmetric((0.784513610477560, 0.235573213359357, -1.17767998417887))
_YOSHIDA_8 = _symmetric(
    (
        0.914844246229740,
        0.253693336566229,
        -1.44485223686048,
        -0.158240635368243,
        1.93813913762276,
        -1.96061023297549,
        0.102799849391985,
    )
)

_NATIVE = (
    Scheme("DOP853", 8, 7, tableaux.DORMAND_PRINCE_8, damping=0.02),
    Scheme("VERNER98", 9, 8, VERNER_9, damping=0.02),
    Scheme("DOPRI5", 5, 4, tableaux.DORMAND_PRINCE_5, damping=0.04),
    Scheme("BS23", 3, 2, tableaux.BOGACKI_SHAMPINE, damping=0.04),
    Scheme("RODAS4", 4, 3, tableaux.RODAS_4),
    Scheme("RADAU5", 5, 3, radau_iia(3)),
    Scheme("RADAU9", 9, 5, radau_iia(5)),
    Scheme("symplectic2", 2, 2, weights=(1.0,)),
    Scheme("symplectic4", 4, 4, weights=_suzuki((1.0,), 2)),
    Scheme("symplectic6", 6, 6, weights=_YOSHIDA_6),
    Scheme("symplectic8", 8, 8, weights=_YOSHIDA_8),
)
_COMPILED = {scheme.name: NativeMethod(scheme) for scheme in _NATIVE}
METHODS: dict[str, Method] = {
    "auto": Automatic(
        _COMPILED["DOPRI5"],
        _COMPILED["DOP853"],
        _COMPILED["VERNER98"],
        stiff_loose=_COMPILED["RADAU5"],
        stiff=_COMPILED["RADAU9"],
    ),
    **_COMPILED,
}
METHODS |= {one.name: one for one in (Variational(1), Variational(2), Variational(3), Variational(4))}
METHODS |= {one.name: one for one in (Taylor(), Taylor(2))}
METHODS["DAE"] = GeneralisedAlpha()
METHODS |= {one.name: one for one in (CollocatedDae(3), CollocatedDae(5))}
METHODS["moreau"] = MoreauJean()
METHODS["schatzman-paoli"] = SchatzmanPaoli()
ALIASES = {
    "RK45": "DOPRI5",
    "RK23": "BS23",
    "VERN9": "VERNER98",
    "SYMPLECTIC": "symplectic4",
    "VERLET": "symplectic2",
    "VARIATIONAL": "variational4",
    "RATTLE": "variational2",
    "STIFF": "RADAU9",
    "RADAU": "RADAU5",
    "TAYLOR-DD": "taylor-double-double",
}
_KNOWN = {key.upper(): method for key, method in METHODS.items()}
_KNOWN |= {alias: METHODS[target] for alias, target in ALIASES.items()}
#: Stiff methods of SciPy, for which there is one here.
_STIFF = ("BDF", "LSODA")


def find_method(name: str | Method) -> Method:
    """The method of this name, whatever its case; SciPy's names are understood; a method is itself.

    >>> find_method("RK45").name
    'DOPRI5'
    """
    if isinstance(name, Method):
        return name
    method = _KNOWN.get(name.upper())
    if method is None:
        near = ["RADAU9"] if name.upper() in _STIFF else get_close_matches(name.upper(), _KNOWN, n=1)
        hint = f" Did you mean '{_KNOWN[near[0]].name}'?" if near else ""
        raise SimulationError(f"unknown method '{name}'.{hint} Methods: {', '.join(METHODS)}.")
    return method


def integrate(problem: Problem) -> Solution:
    """Solve a problem by its method, without a Python call a step where the method is native.

    A failure on the way is told in `status` and `message`. Ctrl-C ends the run and keeps what was computed
    (`status` 2); pressed twice it raises KeyboardInterrupt.

    >>> import math
    >>> from dalembert.simulate import Problem
    >>> motion = integrate(Problem(lambda t, y: -y, (0.0, 1.0), [1.0]))
    >>> bool(abs(motion.y[0, -1] - math.exp(-1)) < 1e-8)
    True
    """
    return find_method(problem.method).integrate(problem)


def integrate_many(problem: Problem, *, threads: int | None = None) -> Ensemble:
    """Solve a problem for many starts (rows of `y0`) and parameters (one row for all, or one each).

    `t_eval` None gives the end of the span only.

    >>> from dalembert.simulate import Problem
    >>> integrate_many(Problem(lambda t, y: -y, (0.0, 1.0), [[1.0], [2.0]])).y.shape
    (2, 1, 1)
    """
    return find_method(problem.method).integrate_many(problem, threads)
