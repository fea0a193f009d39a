/* Dormand and Prince's method of order 5 with an error estimate of order 4. */
#ifndef INTEGRATOR_H
#define INTEGRATOR_H

typedef void (*right_side)(const double t[], const double y[], const double p[], double slope[]);

/* How many conditions of the loops count. Fewer at a singular posture, where branches meet: `lost` is set the first time, with its `instant`. Begin with all zero. */
typedef struct {
    double most, since, instant;
    int lost;
} hold;

/* Brings y back to where its loops are closed by repeated Newton steps, `times` at most, until they change nothing.
   `corrected` gives the state after a step, then how many conditions count. work holds 9*n + 1 doubles.
   Returns the last change, as a share of each state's size (at least its unit, what a radian or the machine's length is): of a state that does not close, it stays large or a NaN. */
double settle(right_side corrected, int n, double t, double y[], const double p[], const double unit[], int times,
              hold *held, double work[]);

/* Closes the loops of a start: states that are told (not zero) are kept, the others move as little as they must.
   Returns 0; 1 where the loops do not close from there; 2 where the told states do not fit the loops: y is then the nearest state that does. */
int close_loops(right_side corrected, int n, double t, double y[], const double p[], const double unit[],
                const unsigned char told[], hold *held, double work[]);

/* Carries the coordinates (the first ones of y) of a start from one time to another, on the assembly that they are on: loops that time
   moves have several at every instant. Speeds stay as they are. Returns 0, or 1 where the assembly cannot be followed; y is then as it was. */
int follow(right_side corrected, int n, int coordinates, double from, double to, double y[], const double p[],
           const double unit[], double work[]);

/* Advances y from *t to t_end, settled after every step unless `corrected` is null; *h is the step to try first and afterwards the one to try next.
   Tolerances: rtol of each state, and atol of its unit. Returns 0, or 1 when the step became too small. */
int integrate(right_side f, right_side corrected, int n, double *t, double t_end, double y[], const double p[],
              const double unit[], double rtol, double atol, double *h, hold *held, double work[]);

#endif
