/* Dormand and Prince's method of order 5 with an error estimate of order 4. */
#ifndef INTEGRATOR_H
#define INTEGRATOR_H

typedef void (*right_side)(const double t[], const double y[], const double p[], double slope[]);

/* Brings y back to where its loops are closed by repeated Newton steps, `times` at most, until they change nothing.
   Returns the last change, as a share of each state's size (at least its unit, what a radian or the machine's length is): of a state that does not close, it stays large or a NaN. */
double settle(right_side corrected, int n, double t, double y[], const double p[], const double unit[], int times,
              double work[]);

/* Advances y from *t to t_end, settled after every step unless `corrected` is null; *h is the step to try first and afterwards the one to try next.
   Tolerances: rtol of each state, and atol of its unit. work holds 9*n doubles. Returns 0, or 1 when the step became too small. */
int integrate(right_side f, right_side corrected, int n, double *t, double t_end, double y[], const double p[],
              const double unit[], double rtol, double atol, double *h, double work[]);

#endif
