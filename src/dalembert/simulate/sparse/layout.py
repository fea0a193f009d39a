"""The block of integers that a sparse machine is: sizes, addresses of tables, and offsets in its working memory."""

from __future__ import annotations

# Sizes; addresses of the functions that give the numbers of a state, and the rates of its coordinates.
(SPEEDS, ROWS, COORDINATES, OWN, QUATERNIONS, NUMBERS, KINEMATICS) = range(7)
# Fronts: how many they are and the address of their fields; addresses of lists that these point into.
(FRONTS_COUNT, FRONTS, COLUMNS, OPEN, RUNS) = range(7, 12)
# Addresses: which row a place is (-1 for a speed); places of speeds and rows.
(WHO, SPEED_PLACE, ROW_PLACE) = range(12, 15)
# The elimination among rows alone.
(G_START, G_ROW, G_ROW_START, G_ROW_COLUMN, G_ROW_POSITION) = range(15, 20)
# The block for the rows that counted when it was made (0 for none) and which they are; evaluations at which others
# counted, after how many of them such a block is made, and who makes it.
(FEWER, FEWER_KEPT, MISSED, PATIENCE, MAKE_FEWER) = range(20, 25)
# Tables: where they begin among the numbers, how many they are, and addresses that say where they belong.
(BLOCKS, BLOCKS_COUNT, BLOCK_TARGET) = range(25, 28)
(MATRIX, MATRIX_START, MATRIX_SPEED, MATRIX_TARGET) = range(28, 32)
# The same by speeds: which entries of the matrix, and in which rows they are.
(TOUCHED_START, TOUCHED, TOUCHED_ROW) = range(32, 35)
(MADE, MADE_START, MADE_SPEED, SEEN, SEEN_START, SEEN_SPEED) = range(35, 41)
(RIGHT, SCALES, GAMMA, CONDITIONS, GAP, OFFSET, REACH, DRIFT) = range(41, 49)
# Addresses: rounding of rows, the coordinate whose rate is a speed (-1 for none), the places of quaternions.
(ROUNDING, OWN_PLACE, GROUPS) = range(49, 52)
# Sizes of parts of the working memory.
(BLOCKS_SIZE, FORMS_SIZE, MOTIONS_SIZE) = range(52, 55)
# Offsets in the working memory: numbers; rows that count; right sides; states; blocks, forms and motions of nodes.
(W_NUMBERS, W_COLUMN, W_G_FACTOR, W_G_DIAGONAL, W_NOISE, W_KEPT) = range(55, 61)
(W_ASKED, W_FOUND, W_LEFT, W_SHIFT, W_STATE, W_MOVED, W_STILL, W_RESULT) = range(61, 69)
(W_BLOCKS, W_FORMS, W_MOTIONS, W_MOMENTA, W_PRODUCT, W_BORDER) = range(69, 75)
INTEGERS = 75

# Of a front: sizes of its node's motion, its parent's, its speeds; what is open, how much of it goes.
(F_SIZE, F_PARENT_SIZE, F_COUNT, F_OPENED, F_GONE, F_STILL, F_PARENT) = range(7)
# Offsets: of lists, and how many runs there are; of the node's blocks; of its form and its matrix; of its motion.
(F_COLUMNS, F_OPEN, F_RUNS, F_RUN_COUNT) = range(7, 11)
(F_BY_PARENT, F_BY_SPEEDS, F_INERTIA, F_FORM, F_MATRIX, F_MOTION) = range(11, 17)
FIELDS = 17

# What the kernel is asked for.
(RATES, PROJECT, COUNT) = range(3)
