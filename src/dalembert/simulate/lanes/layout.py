"""The memory that Python and the compiled lanes share, beside a block of `loop.layout` for each lane."""

from __future__ import annotations

# Addresses of the blocks of the lanes; of the queue; functions of vectors (0 is none).
(BLOCKS, QUEUE, RATES, GUARD) = range(4)
# Arrays of vectors, a number of each lane side by side: what the functions take, and their working memory.
(CLOCK, PARAMETER, KEPT, SCRATCH, GUARD_SCRATCH, GUARD_VALUE) = range(4, 10)
# How many parameters there are, and how many numbers they are digested to.
(PARAMETERS, CONSTANTS) = range(10, 12)
# The step: states, slopes, dense output.
(Y, Y_NEW, Y_TRY, SLOPE, COEFFICIENT) = range(12, 17)
# Of each lane: time, length and end of its step, sums of its error, how far the state goes in it, part of its step.
(TIME, LENGTH, END, FIRST, SECOND, WAY, PART) = range(17, 24)
# Whole numbers of each lane: its trajectory (-1 is none), and whether its step was taken (all bits).
(TRAJECTORY, TAKEN) = range(24, 26)
# The address of the loop of one, which begins trajectories and looks for their events; where it tells.
(LOOP, TOLD) = range(26, 28)
INTEGERS = 28

# The queue, which threads share: the next trajectory, how many there are, how many are done.
(NEXT, COUNT, FINISHED) = range(3)
