#include "integrator.h"

#include <math.h>
#include <stdlib.h>

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
              hold *held, double work[])
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
    if (held->most > 0.0 && work[n] != held->most && !held->lost) {
        held->lost = 1;
        held->instant = work[n] < held->most ? t : held->since; /* a start may be singular itself */
    }
    if (work[n] > held->most) {
        held->most = work[n];
        held->since = t;
    }
    return change;
}

/* x of A x = b, A symmetric and positive, m by m, both overwritten (Cholesky). */
static void solve(int m, double A[], double b[])
{
    for (int j = 0; j < m; j++) {
        for (int k = 0; k < j; k++)
            for (int i = j; i < m; i++) A[i * m + j] -= A[i * m + k] * A[j * m + k];
        double root = sqrt(A[j * m + j]);
        for (int i = j; i < m; i++) A[i * m + j] /= root;
        for (int k = 0; k < j; k++) b[j] -= A[j * m + k] * b[k];
        b[j] /= root;
    }
    for (int j = m - 1; j >= 0; j--) {
        for (int k = j + 1; k < m; k++) b[j] -= A[k * m + j] * b[k];
        b[j] /= A[j * m + j];
    }
}

/* What is left of a Newton step, in units; returns the largest of it. */
static double left(right_side corrected, int n, double t, const double y[], const double p[], const double unit[],
                   double r[], double work[])
{
    double largest = 0.0;
    corrected(&t, y, p, work);
    for (int i = 0; i < n; i++) {
        r[i] = (work[i] - y[i]) / unit[i];
        if (fabs(r[i]) > largest || isnan(r[i])) largest = fabs(r[i]);
    }
    return largest;
}

/* Moves the states that are not told, as little as they must, until the loops are closed: Gauss and Newton, with slopes
   by differences. Returns what is left. room holds n*n + m*m + 2*n + m doubles, m the number of states to move. */
static double close_keeping(right_side corrected, int n, double t, double y[], const double p[], const double unit[],
                            const unsigned char told[], int m, double room[], double work[])
{
    double *slope = room, *A = slope + n * n, *r = A + m * m, *moved = r + n, *step = moved + n, rest = 0.0;
    for (int turn = 0; turn < 40; turn++) {
        double size = 0.0;
        int j = 0;
        rest = left(corrected, n, t, y, p, unit, r, work);
        if (!(rest > 1e-13)) break;
        for (int i = 0; i < n; i++) {
            double here = y[i];
            if (told[i]) continue;
            y[i] += 1e-7 * unit[i];
            left(corrected, n, t, y, p, unit, moved, work);
            y[i] = here;
            for (int k = 0; k < n; k++) slope[j * n + k] = (moved[k] - r[k]) / 1e-7;
            j++;
        }
        for (int a = 0; a < m; a++) {
            step[a] = 0.0;
            for (int k = 0; k < n; k++) step[a] -= slope[a * n + k] * r[k];
            for (int b = 0; b <= a; b++) {
                double sum = 0.0;
                for (int k = 0; k < n; k++) sum += slope[a * n + k] * slope[b * n + k];
                A[a * m + b] = A[b * m + a] = sum;
            }
            size += A[a * m + a];
        }
        for (int a = 0; a < m; a++) A[a * m + a] += 1e-10 * size; /* of what the loops leave free, nothing moves */
        solve(m, A, step);
        j = 0;
        for (int i = 0; i < n; i++)
            if (!told[i]) y[i] += unit[i] * step[j++];
    }
    return rest;
}

int close_loops(right_side corrected, int n, double t, double y[], const double p[], const double unit[],
                const unsigned char told[], hold *held, double work[])
{
    int m = 0, trouble = 0;
    for (int i = 0; i < n; i++) m += !told[i];
    if (m < n) {
        double *room = malloc((size_t)(n * n + m * m + 3 * n + m + 1) * sizeof *room);
        double *first = room ? room + n * n + m * m + 2 * n + m : NULL;
        if (!room) return 1;
        for (int i = 0; i < n; i++) first[i] = y[i];
        trouble = !(close_keeping(corrected, n, t, y, p, unit, told, m, room, work) <= 1e-10) ? 2 : 0;
        for (int i = 0; i < n && trouble; i++) y[i] = first[i];
        free(room);
    }
    if (!(settle(corrected, n, t, y, p, unit, 50, held, work) <= 1e-8)) return 1;
    return trouble;
}

/* A posture may differ by `surprise` units from what the two before it foretell; branches that are nearer to each other
   are told apart by shorter steps, down to a small share of the way. */
int follow(right_side corrected, int n, int coordinates, double from, double to, double y[], const double p[],
           const double unit[], double work[])
{
    const double most = 0.05, shortest = 3e-4 * fabs(to - from);
    double *found = work + 2 * n, *here = work + 3 * n, *rate = work + 4 * n, t = from, step = 0.0;
    for (int i = 0; i < n; i++) {
        here[i] = y[i];
        rate[i] = 0.0;
    }
    while (1) {
        double surprise = 0.0, rest, until = t + step;
        hold passed = {0.0, 0.0, 0.0, 0};
        if (t != from || step != 0.0) { /* the start itself is closed first */
            if (fabs(step) >= fabs(to - t)) until = to;
            step = until - t;
        }
        for (int i = 0; i < n; i++) found[i] = i < coordinates ? here[i] + rate[i] * step : y[i];
        rest = settle(corrected, n, until, found, p, unit, 50, &passed, work);
        for (int i = 0; i < coordinates && step != 0.0; i++)
            surprise = fmax(surprise, fabs(found[i] - here[i] - rate[i] * step) / unit[i]);
        if (rest <= 1e-8 && surprise < most) {
            for (int i = 0; i < coordinates; i++) {
                if (step != 0.0) rate[i] = (found[i] - here[i]) / step;
                here[i] = found[i];
            }
            t = until;
            if (t == to) break;
            step = step == 0.0 ? (to - from) / 32.0 : surprise < most / 8.0 ? 2.0 * step : step;
        } else if (step == 0.0 || fabs(step) < shortest) {
            return 1;
        } else {
            step /= 2.0;
        }
    }
    for (int i = 0; i < coordinates; i++) y[i] = here[i];
    return 0;
}

int integrate(right_side f, right_side corrected, int n, double *t, double t_end, double y[], const double p[],
              const double unit[], double rtol, double atol, double *h, hold *held, double work[])
{
    double *trial = work + 7 * n;
    double *scale = work + 8 * n;
    int fresh = 1;
    while (*t < t_end) {
        double step = *h, error = 0.0, factor, stage_time;
        int last = *t + step >= t_end;
        if (last) step = t_end - *t;
        if (!last && *t + 0.1 * step == *t) return 1; /* the last step is as short as what is asked for */
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
                settle(corrected, n, *t, y, p, unit, 8, held, work);
                fresh = 1;
            }
        } else {
            *h = step * (error > 1.0 ? factor : 0.2);
        }
    }
    return 0;
}
