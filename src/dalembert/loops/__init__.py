"""Closed loops: closure, assembly, the truth about mobility, parametrisation, dynamics.

>>> from dalembert import loops
>>> from dalembert.mechanism import Mechanism, earth, revolute
>>> m = Mechanism("pendulum")
>>> link = m.join(earth, m.body("rod"), revolute("x"), name="pivot")
>>> loops.mobility(m).dof
1
"""

import sys

from dalembert import limits

# errors that assembly raises
from dalembert.errors import ModelError

# closed configurations
from dalembert.loops.assembly import Closing, assemble, assembly_modes, project

# the branch of a singular closure
from dalembert.loops.branch import branch_relations, forced_relations, on_branch

# branches through a posture, pieces of the configuration space, special postures
from dalembert.loops.branches import BranchesThrough, BranchThrough, branches_through

# indeterminate lengths, by cases
from dalembert.loops.cases import Case, Cases, mobility_cases
from dalembert.loops.components import Component, components_at, configuration_components

# curves and pictures
from dalembert.loops.curve import Curve, trace_curve

# loops and their subgroups
from dalembert.loops.cycles import Loop, independent_loops

# equations of closure
from dalembert.loops.equations import LinkClosure, closure_equations, maximal_closure

# rank off the closure
from dalembert.loops.genericrank import generic_rank, rank_by, rank_off
from dalembert.loops.groebner import components, groebner_basis, ideal_dimension, split_dimension
from dalembert.loops.hilbert import Hilbert, hilbert_polynomial

# the closure ideal, straight from a mechanism
from dalembert.loops.ideal import ClosureIdeal, closure_ideal

# the mechanism as turns and slides
from dalembert.loops.linkage import Linkage, build_linkage

# the verdict
from dalembert.loops.mobility import mobility
from dalembert.loops.parametrise import Parametrisation, closed_form, parametrise
from dalembert.loops.pictures import draw_curve, draw_mechanism
from dalembert.loops.polynomials import PolynomialClosure, polynomial_closure
from dalembert.loops.postures import SpecialPosture, special_postures

# parameters from a kernel, by formal integration
from dalembert.loops.recover import Parameter, Recovery, recover_parameters

# regular mechanisms, rank loop by loop
from dalembert.loops.regular import Growth, Regularity, rank_growth, regularity

# what a designer can do about redundancy
from dalembert.loops.release import Proposal, Releases, proposals, releasable
from dalembert.loops.singular_locus import singular_locus
from dalembert.loops.syzygies import first_syzygies, resolution_rank
from dalembert.loops.verdict import Branch, Mobility, Redundant

limits.guard(
    sys.modules[__name__], "Give numbers for lengths, or ask for a cheaper proof.", seconds=600.0, classes=False
)
