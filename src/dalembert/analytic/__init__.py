"""Analytical mechanics by hand-sized formulas: one system, every mechanics as a view of it.

a system      System, Particle, Rotor, RigidBody, ElectromagneticField; its views are methods of System
claims        check, check_derivation, equal, is_zero, check_dimensions
parts at rest Structure of Load, Pin, Weld, Contact, Roller, Rope, Screw; internal_efforts
statics       equilibria, search_equilibria, nature_of_equilibrium, potential_of, classify, frobenius
Lagrange      euler_lagrange, gauge_function, equivalence, similarity, change_coordinates, Chart, normal_modes, period
reduction     routhian, relative_equilibria, partial_legendre, well, central_orbit, dirac_bergmann
fields        fields_of, uniform_potential, fictitious_forces, FieldDensity
chaos         lyapunov, poincare_section
Hamilton      legendre, poisson_bracket, lagrange_bracket, poisson_closure, phase_portrait, flow_determinant
canonical     CanonicalMap, generate, generator_of, convert, infinitesimal, standard_map, design_map
Jacobi        principal_function, levi_civita, staeckel, action_angle, fronts, moving_fronts, stationary_wave
variations    Functional, isoperimetric, second_variation, stationary, maupertuis, brachistochrone, action_along
symmetries    noether, symmetry_of, search_symmetries, search_first_integrals, galilei_algebra
perturbation  average_fast, birkhoff, lie_series, adiabatic, frequencies, variational_integrator
groups        momentum_map, LiePoisson, rigid_body, heavy_top, euler_poincare, lax_pair, find_lax_pair
beside them   ContactSystem, vakonomic
teaching      teach, mark, exercise
inverse       helmholtz, lagrangian_for
"""

import sys

from dalembert import limits
from dalembert.presentation.records import readable

from .canonical.brackets import (
    Closure,
    bracket_identity,
    bracket_matrix,
    lagrange_bracket,
    poisson_bracket,
    poisson_closure,
    rank_of,
)
from .canonical.dirac import Dirac, dirac_bergmann
from .canonical.generating import Generated, convert, generate, generator_of
from .canonical.infinitesimal import (
    Design,
    Infinitesimal,
    design_map,
    generator_of_family,
    infinitesimal,
    is_invariance,
    standard_map,
)
from .canonical.legendre import Legendre, legendre
from .canonical.maps import CanonicalMap, Canonicity
from .formulas._doors import explain_arguments
from .formulas._equality import Verdict, equal, is_zero, proportional
from .formulas._names import Names
from .formulas._normal import tidy
from .formulas.claims import Report, check, check_derivation, first_difference
from .formulas.definitions import formula, solve_for
from .formulas.dimensions import Mismatch, check_dimensions
from .formulas.quadrature import antiderivative
from .formulas.steps import Step, Steps, latex, mathml
from .jacobi.action_angle import ActionAngle, action_angle, numeric_action
from .jacobi.canonical_motion import CanonicalMotion, canonical_motion
from .jacobi.hamilton_jacobi import CompleteIntegral, HamiltonJacobi
from .jacobi.moving_fronts import MovingFronts, moving_fronts
from .jacobi.principal_function import PrincipalFunction, principal_function
from .jacobi.separation import LeviCivita, levi_civita
from .jacobi.staeckel import Staeckel, staeckel
from .jacobi.waves import Fronts, StationaryWave, are_orthogonal, de_broglie, fronts, stationary_wave
from .motions.chaos import Lyapunov, Section, lyapunov, poincare_section
from .motions.modes import NormalModes, normal_modes, numeric_modes
from .motions.motion import check_motion, closed_motion, path_of
from .motions.motion_in_a_well import Orbit, Region, Well, central_orbit, well
from .motions.period import Period, period
from .motions.phase import (
    Trajectory,
    action_fronts,
    flow,
    flow_determinant,
    integrate,
    phase_portrait,
    potential_landscape,
)
from .motions.variational_integrator import DiscreteMotion, VariationalIntegrator, variational_integrator
from .perturbation.adiabatic import AdiabaticRun, adiabatic
from .perturbation.averaging import Averaged, average_fast
from .perturbation.frequency_map import Frequencies, frequencies
from .perturbation.lie_series import lie_series
from .perturbation.normal_form import NormalForm, birkhoff
from .reduction.contact_system import ContactRates, ContactSystem
from .reduction.lax import LaxPair, find_lax_pair, lax_pair
from .reduction.lie_poisson import CasimirVerdict, LiePoisson, euler_poincare, heavy_top, rigid_body
from .reduction.momentum_map import MomentumMap, momentum_map
from .reduction.vakonomic import Vakonomic, vakonomic
from .statics.balance import Rest, Structure, Virtual
from .statics.cut import Efforts, internal_efforts
from .statics.equilibria import (
    Equilibria,
    Equilibrium,
    equilibria,
    numeric_equilibrium,
    search_equilibria,
)
from .statics.pfaff import Constraint, Frobenius, classify, frobenius
from .statics.rest_nature import effective_potential, rest_conditions
from .statics.structure import Contact, Load, Pin, Roller, Rope, Screw, Weld
from .statics.virtual_work import Diagnosis, Nature, VirtualWork, nature_of_equilibrium, potential_of
from .symmetries.galilei import GalileiAlgebra, free_lagrangian, galilei_algebra
from .symmetries.gauge import Equivalence, Similarity, equivalence, gauge_function, is_null, similarity, strip_gauge
from .symmetries.inverse import FoundLagrangian, Helmholtz, helmholtz, lagrangian_for
from .symmetries.noether import Noether, finite_invariance, invariance_family, noether, symmetry_of
from .symmetries.relative_equilibria import RelativeEquilibrium, relative_equilibria
from .symmetries.routh import Routhian, partial_legendre, routhian
from .symmetries.search import independent, search_first_integrals, search_symmetries
from .systems.bodies import ElectromagneticField, Particle, RigidBody, Rotor, euler_rotation
from .systems.compare import Comparison
from .systems.dalembert import DAlembert
from .systems.electromagnetic import Fields, fields_of, uniform_potential
from .systems.elimination import eliminate
from .systems.frames import FictitiousForces, fictitious_forces
from .systems.geometry import Chart, PointChange, change_coordinates
from .systems.hamilton import EnergyVerdict, Hamilton
from .systems.lagrange import Lagrange, euler_lagrange
from .systems.mass_properties import MassProperties, mass_properties
from .systems.newton import AngularMomentum, Newton, angular_momentum
from .systems.system import System
from .systems.work import Work, works
from .teaching.exercise import Exercise, exercise
from .teaching.lesson import teach
from .teaching.marking import MarkedLine, Marking, mark
from .variations.brachistochrone import Brachistochrone, brachistochrone, cycloid_check, descent_time
from .variations.envelope import envelope
from .variations.extremal import Extremal, extremal
from .variations.field_density import FieldDensity, NoetherCurrent, string_modes
from .variations.field_modes import FieldModes, field_modes
from .variations.second_variation import SecondVariation, isoperimetric, second_variation
from .variations.variational import Functional, Stationary, action_along, maupertuis, stationary
from .variations.world_line import WorldLine, world_line

__all__ = [
    "MovingFronts",
    "moving_fronts",
    "Staeckel",
    "staeckel",
    "path_of",
    "FieldModes",
    "field_modes",
    "DiscreteMotion",
    "VariationalIntegrator",
    "variational_integrator",
    "AdiabaticRun",
    "adiabatic",
    "Averaged",
    "average_fast",
    "Frequencies",
    "frequencies",
    "lie_series",
    "NormalForm",
    "birkhoff",
    "ContactRates",
    "ContactSystem",
    "LaxPair",
    "find_lax_pair",
    "lax_pair",
    "CasimirVerdict",
    "LiePoisson",
    "euler_poincare",
    "heavy_top",
    "rigid_body",
    "MomentumMap",
    "momentum_map",
    "Vakonomic",
    "vakonomic",
    "mathml",
    "Exercise",
    "exercise",
    "teach",
    "MarkedLine",
    "Marking",
    "mark",
    "Rest",
    "Structure",
    "Virtual",
    "Efforts",
    "internal_efforts",
    "Contact",
    "Load",
    "Pin",
    "Roller",
    "Rope",
    "Screw",
    "Weld",
    "MassProperties",
    "mass_properties",
    "Work",
    "works",
    "eliminate",
    "envelope",
    "WorldLine",
    "world_line",
    "Extremal",
    "extremal",
    "bracket_identity",
    "Lyapunov",
    "Section",
    "lyapunov",
    "poincare_section",
    "Dirac",
    "dirac_bergmann",
    "FieldDensity",
    "NoetherCurrent",
    "string_modes",
    "FictitiousForces",
    "fictitious_forces",
    "Orbit",
    "Region",
    "Well",
    "central_orbit",
    "well",
    "PrincipalFunction",
    "principal_function",
    "RelativeEquilibrium",
    "Routhian",
    "partial_legendre",
    "relative_equilibria",
    "routhian",
    "SecondVariation",
    "isoperimetric",
    "second_variation",
    "ActionAngle",
    "AngularMomentum",
    "Brachistochrone",
    "CanonicalMap",
    "CanonicalMotion",
    "Canonicity",
    "Chart",
    "Closure",
    "Comparison",
    "CompleteIntegral",
    "Constraint",
    "DAlembert",
    "Design",
    "Diagnosis",
    "ElectromagneticField",
    "EnergyVerdict",
    "Equilibria",
    "Equilibrium",
    "Equivalence",
    "Fields",
    "FoundLagrangian",
    "Frobenius",
    "Fronts",
    "Functional",
    "GalileiAlgebra",
    "Generated",
    "Hamilton",
    "HamiltonJacobi",
    "Helmholtz",
    "Infinitesimal",
    "Lagrange",
    "Legendre",
    "LeviCivita",
    "Mismatch",
    "Names",
    "Nature",
    "Newton",
    "Noether",
    "NormalModes",
    "Particle",
    "Period",
    "PointChange",
    "Report",
    "RigidBody",
    "Rotor",
    "Similarity",
    "Stationary",
    "StationaryWave",
    "Step",
    "Steps",
    "System",
    "Trajectory",
    "Verdict",
    "VirtualWork",
    "action_along",
    "action_angle",
    "action_fronts",
    "angular_momentum",
    "antiderivative",
    "are_orthogonal",
    "brachistochrone",
    "bracket_matrix",
    "canonical_motion",
    "change_coordinates",
    "check",
    "check_derivation",
    "check_dimensions",
    "check_motion",
    "classify",
    "convert",
    "cycloid_check",
    "de_broglie",
    "descent_time",
    "design_map",
    "closed_motion",
    "equal",
    "effective_potential",
    "equilibria",
    "numeric_equilibrium",
    "equivalence",
    "euler_lagrange",
    "euler_rotation",
    "finite_invariance",
    "fields_of",
    "first_difference",
    "formula",
    "flow",
    "flow_determinant",
    "free_lagrangian",
    "frobenius",
    "fronts",
    "galilei_algebra",
    "gauge_function",
    "generate",
    "generator_of",
    "generator_of_family",
    "helmholtz",
    "independent",
    "infinitesimal",
    "integrate",
    "invariance_family",
    "is_invariance",
    "is_null",
    "is_zero",
    "lagrange_bracket",
    "lagrangian_for",
    "latex",
    "legendre",
    "levi_civita",
    "maupertuis",
    "nature_of_equilibrium",
    "noether",
    "normal_modes",
    "numeric_action",
    "numeric_modes",
    "period",
    "phase_portrait",
    "poisson_bracket",
    "poisson_closure",
    "potential_landscape",
    "potential_of",
    "proportional",
    "rank_of",
    "rest_conditions",
    "search_equilibria",
    "search_first_integrals",
    "search_symmetries",
    "similarity",
    "solve_for",
    "standard_map",
    "stationary",
    "stationary_wave",
    "strip_gauge",
    "symmetry_of",
    "tidy",
    "uniform_potential",
]

readable(*(globals()[name] for name in __all__))
explain_arguments(sys.modules[__name__])
limits.guard(
    sys.modules[__name__], "Give the system fewer coordinates, numbers for parameters, or ask for one view at a time."
)
