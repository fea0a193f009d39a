"""The memory that Python and the compiled loop share: one block of integers holds options, counters and addresses."""

from __future__ import annotations

# What to integrate: sizes, addresses of compiled functions (0 is none; BOUNDS of events on pieces of a step), switches.
(N, RHS, EVENT, GUARD, PROJECT, EVENTS, GUARDS, QUATERNIONS, KEEP, BOUNDS) = range(10)
# The method: how many slopes serve the step, how many in all; whether the error needs the slope at the end.
(STAGES, SLOPES, EARLY, DENSE_ROWS, WEIGHTS) = range(10, 15)
# Room for results, and how much of it is used.
(STEP_ROOM, EVENT_ROOM, GRID_SIZE, STORED, EVENTED, NEXT) = range(15, 21)
# What has happened.
(NFEV, ACCEPTED, REJECTED, INFO, SHRUNK, STOP) = range(21, 27)
# Addresses of arrays: the trajectory, tolerances, the method's table.
(REAL, Y, P, RTOL, ATOL, DIRECTION, REMAINING, QUATERNION) = range(27, 35)
(START, COLUMN, VALUE, NODE, ERROR, DENSE, WEIGHT) = range(35, 42)
# Scratch; slope 0, old events and old guards are carried from step to step.
(SLOPE, Y_NEW, Y_TRY, COEFFICIENT, TIME) = range(42, 47)
(OLD_EVENT, NEW_EVENT, ROOT, OLD_GUARD, NEW_GUARD, GUARD_SCALE) = range(47, 53)
# Results: accepted steps (STEP_H is the step that ends at a point), the asked times, events.
(STEP_T, STEP_H, STEP_Y, GRID_T, GRID_Y, EVENT_T, EVENT_INDEX, EVENT_Y) = range(53, 61)
# Numbers that depend on the parameters alone, when the right-hand side wants them; 0 is none.
KEPT = 61
# Many trajectories: where each one's start, parameters and results are; SETUP digests parameters into KEPT.
(MANY_Y, MANY_P, MANY_P_STRIDE, MANY_GRID, MANY_TERMINAL, SETUP) = range(62, 68)
(MANY_STATUS, MANY_NFEV, MANY_T_LAST, MANY_Y_LAST) = range(68, 72)
# A linearly implicit method: couplings of its stages, weights of the explicit time derivative, compiled Jacobian (0 is
# none), its values followed by the time derivative, the matrix in factors, its row exchanges; is the Jacobian new?
(IMPLICIT, COUPLING, DRIFT, JACOBIAN, MATRIX, FACTORED, PIVOT, STALE) = range(72, 80)
# Scratch of the search for events: powers of the dense output, box of states on a piece, bounds on it, samples, ends of
# pieces; was an event too quick to be followed?
(MONOMIAL, BOX, BOUND, SAMPLE, ENDS, UNRESOLVED) = range(80, 86)
# Where the attempts began that are looked at for progress (MARK_T and WAY of the reals are their time and way).
MARK = 86
# Radau's collocation: its complex matrices as real ones in factors, row exchanges, scratch of Newton's rounds.
(PAIR, PAIR_PIVOT, NEWTON) = range(87, 90)
# Steps that are much shorter than the motion asks for, and others in a row; is the motion stiff?
(BOUND_STEPS, FREE_STEPS) = range(90, 92)
# Of each of many trajectories: the shortest of its steps, as a share of its longest.
MANY_SHORTEST = 92
# Taylor's method: its order (0 is none), how many doubles a number has, the coefficients and their memory, their sum.
(ORDER, PARTS, SERIES, SERIES_ROOM, SUM) = range(93, 98)
# Of many trajectories: instants at which steps end, the end of the span last, and where those of each begin; or 0.
(MANY_CORNERS, MANY_CORNERS_BEGIN) = range(98, 100)
# The numbers of a collocation: see `methods.radau`, which writes them.
COLLOCATION = 100
# An implicit step between its nodes: instants at which its dense output is compared with the rates, and scratch.
(BETWEEN, LACK) = range(101, 103)
# Taylor's method: what compares the series with the equations at several instants of a step at once; 0 is none.
LOOK = 103
# Of many trajectories: which piece between corners this one is on, and its last.
(PIECE, LAST_PIECE) = range(104, 106)
# The watch of stiffness: times and states before the last steps (0 if nobody asks), how many of them are known, and how
# many short steps make it doubtful that an explicit method is the right one.
(BEHIND, KNOWN, PATIENCE) = range(106, 109)
INTEGERS = 109

# Entries of the array of reals.
(T, T_END, T_START, STEP, MAX_STEP, LAST_ERROR, EXPONENT, ALPHA, BETA, CHOSEN_STEP, GAMMA) = range(11)
# LAST_STEP is that of the last step, STEP_END the end of one that lanes have made.
(MARK_T, WAY, LAST_STEP, SHORTEST, LONGEST, STEP_END) = range(11, 17)
REALS = 17

# What a chunk ends with.
(CONTINUE, DONE, TERMINAL, COLLAPSE, SINGULAR, BAD_EVENT, STOPPED, STUCK, MEMORY, STIFF) = range(10)

EPS = 2.220446049250313e-16
SAFETY, SMALLEST_FACTOR, LARGEST_FACTOR = 0.9, 0.2, 10.0
GUARD_FLOOR = 1e-13
AFTER = 1e-3
"""Of a piece between two corners of the rates, the first step: what begins there may be quick, whatever was before."""
STIFF_STEPS, FREE_IN_A_ROW, FORETOLD = 15, 6, 100.0
"""So many steps, with fewer others in a row between them, whose end a cubic through the four states before foretells to
within so many tolerances, are shorter than the motion asks for: a step that the motion itself sets turns it by about a
radian, which the cubic misses by millions of tolerances, and what stability leaves of fast rates is a few of them."""
ROUND, WATCHED = 64, 24
"""Of so many steps so many, the last ones, are looked at: the look is not free, and what is stiff takes thousands."""
STUCK_STEPS, STUCK_WAY, STUCK_REST = 500_000, 50.0, 1e9
"""So many attempts in a row that move, each on average, no state by more than so many times its tolerance, at a pace
that would take so many for the rest of the span, are chattering, not motion: a smooth motion goes further in a step."""
