#include "integrator.h"

#include <math.h>

static const double node[7] = {0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0};
static const double weight[7][6] = {
    {0.0},
    {0.2},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
static const double error_weight[7] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                       -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};

double settle(right_side corrected, int n, double t, double y[], const double p[], const double unit[], int times,
              double work[])
{
    double change = 0.0;
    for (int k = 0; k < times; k++) {
        corrected(&t, y, p, work);
        change = 0.0;
        for (int i = 0; i < n; i++) {
            double moved = fabs(work[i] - y[i]) / (unit[i] + fabs(y[i]));
            if (moved > change || isnan(moved)) change = moved; /* a NaN stays */
            y[i] = work[i];
        }
        if (change <= 1e-14) break;
    }
    return change;
}

int integrate(right_side f, right_side corrected, int n, double *t, double t_end, double y[], const double p[],
              const double unit[], double rtol, double atol, double *h, double work[])
{
    double *trial = work + 7 * n;
    double *scale = work + 8 * n;
    int fresh = 1;
    while (*t < t_end) {
        double step = *h, error = 0.0, factor, stage_time;
        int last = *t + step >= t_end;
        if (last) step = t_end - *t;
        if (*t + 0.1 * step == *t) return 1;
        if (fresh) f(t, y, p, work);
        fresh = 0;
        for (int i = 0; i < n; i++) scale[i] = fabs(y[i]);
        for (int s = 1; s < 7; s++) {
            for (int i = 0; i < n; i++) {
                double sum = 0.0;
                for (int k = 0; k < s; k++) sum += weight[s][k] * work[k * n + i];
                trial[i] = y[i] + step * sum;
            }
            stage_time = *t + node[s] * step;
            f(&stage_time, trial, p, work + s * n);
        }
        for (int i = 0; i < n; i++) {
            double sum = 0.0, size = atol * unit[i] + rtol * fmax(scale[i], fabs(trial[i]));
            for (int k = 0; k < 7; k++) sum += error_weight[k] * work[k * n + i];
            error += (step * sum / size) * (step * sum / size);
        }
        error = n > 0 ? sqrt(error / n) : 0.0;
        factor = error > 0.0 ? fmin(5.0, fmax(0.2, 0.9 * pow(error, -0.2))) : 5.0;
        if (error <= 1.0) { /* a comparison with a NaN is false, so that a NaN shortens the step */
            *t = last ? t_end : *t + step;
            for (int i = 0; i < n; i++) {
                y[i] = trial[i];
                work[i] = work[6 * n + i]; /* the last slope is the first of the next step */
            }
            if (!last || factor < 1.0) *h = step * factor;
            if (corrected) {
                settle(corrected, n, *t, y, p, unit, 8, work);
                fresh = 1;
            }
        } else {
            *h = step * (error > 1.0 ? factor : 0.2);
        }
    }
    return 0;
}
