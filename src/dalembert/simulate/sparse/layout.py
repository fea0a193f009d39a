"""The block of integers that a sparse machine is: sizes, addresses of tables, and offsets in its working memory."""

from __future__ import annotations

# Sizes; addresses of the functions that give the numbers of a state, and the rates of its coordinates.
(SPEEDS, ROWS, COORDINATES, OWN, QUATERNIONS, NUMBERS, KINEMATICS) = range(7)
# Addresses: the elimination of the whole; which row a place is (-1 for a speed); places of speeds and rows.
(START, ROW, ROW_START, ROW_COLUMN, ROW_POSITION, WHO, SPEED_PLACE, ROW_PLACE) = range(7, 15)
# The same among rows alone.
(G_START, G_ROW, G_ROW_START, G_ROW_COLUMN, G_ROW_POSITION) = range(15, 20)
# Tables: where they begin among the numbers, how many they are, and addresses that say where they belong.
(MASS, MASS_COUNT, MASS_I, MASS_J, MASS_TARGET) = range(20, 25)
(MATRIX, MATRIX_START, MATRIX_SPEED, MATRIX_TARGET) = range(25, 29)
(MADE, MADE_START, MADE_SPEED, SEEN, SEEN_START, SEEN_SPEED) = range(29, 35)
(RIGHT, SCALES, GAMMA, CONDITIONS, GAP, OFFSET, REACH, DRIFT) = range(35, 43)
# Addresses: rounding of rows, the coordinate whose rate is a speed (-1 for none), the places of quaternions.
(ROUNDING, OWN_PLACE, GROUPS) = range(43, 46)
# Offsets in the working memory: numbers; factors of the whole and among rows; rows that count; right sides; states.
(W_NUMBERS, W_FACTOR, W_DIAGONAL, W_COLUMN, W_G_FACTOR, W_G_DIAGONAL, W_NOISE, W_UNIT, W_KEPT) = range(46, 55)
(W_ASKED, W_FOUND, W_LEFT, W_SHIFT, W_STATE, W_MOVED, W_STILL, W_RESULT) = range(55, 63)
INTEGERS = 63

# What the kernel is asked for.
(RATES, PROJECT, COUNT) = range(3)
