"""Analytical mechanics by hand-sized formulas: one system, every mechanics as a view of it."""

# one system, its parts and its views
from ._equality import Verdict, equal, is_zero, proportional
from ._names import Names
from ._normal import tidy
from .action_angle import ActionAngle, action_angle, numeric_action
from .bodies import ElectromagneticField, Particle, RigidBody, Rotor, euler_rotation

# canonical transformations and brackets
from .brachistochrone import Brachistochrone, brachistochrone, cycloid_check, descent_time
from .brackets import Closure, bracket_matrix, lagrange_bracket, poisson_bracket, poisson_closure, rank_of
from .canonical import CanonicalMap, Canonicity
from .claims import Report, check, check_derivation, first_difference
from .compare import Comparison
from .dalembert import DAlembert
from .dimensions import Mismatch, check_dimensions
from .galilei import GalileiAlgebra, free_lagrangian, galilei_algebra
from .gauge import Equivalence, Similarity, equivalence, gauge_function, is_null, similarity, strip_gauge
from .generating import Generated, convert, generate, generator_of
from .geometry import Chart, PointChange, change_coordinates
from .hamilton import EnergyVerdict, Hamilton
from .hamilton_jacobi import CompleteIntegral, HamiltonJacobi
from .infinitesimal import (
    Design,
    Infinitesimal,
    design_map,
    generator_of_family,
    infinitesimal,
    is_invariance,
    standard_map,
)
from .inverse import FoundLagrangian, Helmholtz, helmholtz, lagrangian_for
from .lagrange import Lagrange, euler_lagrange
from .legendre import Legendre, legendre
from .newton import AngularMomentum, Newton, angular_momentum
from .noether import Noether, finite_invariance, invariance_family, noether, symmetry_of
from .oscillations import NormalModes, Period, normal_modes, numeric_modes, period
from .pfaff import Constraint, Frobenius, classify, frobenius
from .phase import (
    Trajectory,
    action_fronts,
    flow,
    flow_determinant,
    integrate,
    phase_portrait,
    potential_landscape,
)
from .quadrature import antiderivative
from .search import independent, search_first_integrals, search_symmetries
from .separation import LeviCivita, levi_civita
from .statics import Diagnosis, Nature, VirtualWork, nature_of_equilibrium, potential_of
from .steps import Step, Steps, latex
from .system import System
from .variational import Functional, Stationary, action_along, maupertuis, stationary
from .waves import Fronts, StationaryWave, are_orthogonal, de_broglie, fronts, stationary_wave

__all__ = [name for name in dir() if not name.startswith("_")]
