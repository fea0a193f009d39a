/* Dormand and Prince's method of order 5 with an error estimate of order 4. */
#ifndef INTEGRATOR_H
#define INTEGRATOR_H

typedef void (*right_side)(const double t[], const double y[], const double p[], double slope[]);

/* Advances y from *t to t_end; *h is the step to try first and afterwards the one to try next.
   work holds 9*n doubles. Returns 0, or 1 when the step became too small. */
int integrate(right_side f, int n, double *t, double t_end, double y[], const double p[], double rtol, double atol,
              double *h, double work[]);

#endif
