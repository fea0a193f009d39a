/* What both versions of the interface share: the memory of an instance and its values by reference. */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fmu_model.h"
#include "integrator.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

enum {
    STATE = 1, /* reference 0 is time */
    SLOPE = STATE + STATES,
    PARAMETER = SLOPE + STATES,
    INPUT = PARAMETER + PARAMETERS,
    OUTPUT = INPUT + INPUTS,
    END = OUTPUT + OUTPUTS
};

typedef struct {
    double time;
    double step;
    double y[STATES + 1];
    double given[PARAMETERS + INPUTS + 1]; /* parameters, then inputs */
} Numbers;

typedef struct {
    Numbers now;
    int moved; /* the state was changed here, and the other side does not know yet */
    unsigned char told[STATES + 1]; /* which states were set from outside before the start */
    void *environment;
    void *logger;
    double work[9 * STATES + 1];
    double slope[STATES + 1];
    double output[OUTPUTS + 1];
} Instance;

static void restart(Instance *c)
{
    c->moved = 0;
    memset(c->told, 0, sizeof c->told);
    c->now.time = 0.0;
    c->now.step = 1e-3;
    memcpy(c->now.y, start_states, STATES * sizeof(double));
    memcpy(c->now.given, start_parameters, PARAMETERS * sizeof(double));
    for (int i = 0; i < INPUTS; i++) c->now.given[PARAMETERS + i] = 0.0;
}

/* The address of a value that may be set, or null. */
static double *place(Instance *c, uint32_t reference)
{
    if (reference == 0) return &c->now.time;
    if (reference >= STATE && reference < SLOPE) return &c->now.y[reference - STATE];
    if (reference >= PARAMETER && reference < OUTPUT) return &c->now.given[reference - PARAMETER];
    return NULL;
}

static int get_values(Instance *c, const uint32_t reference[], size_t count, double value[])
{
    int slopes = 0, outputs = 0;
    for (size_t k = 0; k < count; k++) {
        uint32_t r = reference[k];
        const double *found = place(c, r);
        if (r >= END) return 1;
        if (!found && r < PARAMETER) {
            if (!slopes) fmu_rhs(&c->now.time, c->now.y, c->now.given, c->slope);
            slopes = 1;
            found = &c->slope[r - SLOPE];
        } else if (!found) {
            if (!outputs) fmu_outputs(&c->now.time, c->now.y, c->now.given, c->output);
            outputs = 1;
            found = &c->output[r - OUTPUT];
        }
        value[k] = *found;
    }
    return 0;
}

static int set_values(Instance *c, const uint32_t reference[], size_t count, const double value[])
{
    for (size_t k = 0; k < count; k++) {
        double *found = place(c, reference[k]);
        if (!found || reference[k] == 0) return 1;
        *found = value[k];
        if (reference[k] < SLOPE) c->told[reference[k] - STATE] = 1;
    }
    return 0;
}

static int is_finite(const double value[], size_t count)
{
    for (size_t k = 0; k < count; k++) {
        if (!isfinite(value[k])) return 0;
    }
    return 1;
}

#if CLOSED
static right_side to_closed = fmu_corrected;
#else
static right_side to_closed = NULL; /* a tree */
#endif

/* Closes the loops from the start values, and says what came of it: nothing to say, or a sentence. What was set from
   outside is kept: put back and closed again, in turns. `kept` is 0 where the loops do not close, or move such a value
   by more than a person rounds (0.01 of its unit). */
static const char *begin(Instance *c, int *kept)
{
    double before[STATES + 1], far = 0.0, lost = 0.0;
    *kept = 1;
    if (!to_closed) return NULL;
    memcpy(before, c->now.y, STATES * sizeof(double));
    for (int turn = 0; turn < 500; turn++) {
        *kept = settle(to_closed, STATES, c->now.time, c->now.y, c->now.given, unit_states, 50, c->work) <= 1e-8;
        if (!*kept) return "the loops do not close from these start values";
        lost = 0.0;
        for (int i = 0; i < STATES; i++)
            if (c->told[i]) lost = fmax(lost, fabs(c->now.y[i] - before[i]) / (unit_states[i] + fabs(before[i])));
        if (lost < 1e-12 || turn == 499) break;
        for (int i = 0; i < STATES; i++)
            if (c->told[i]) c->now.y[i] = before[i];
    }
    *kept = lost <= 0.01;
    if (!*kept) return "the start values that were set do not fit the loops: set all coordinates and speeds together";
    for (int i = 0; i < STATES; i++) far = fmax(far, fabs(c->now.y[i] - before[i]) / (unit_states[i] + fabs(before[i])));
    return far > DRIFT ? "the start was moved to where the loops close" : NULL;
}

/* After a step of someone else's integrator: 1 where the state was brought back to closed loops. */
static int stepped(Instance *c)
{
    double before[STATES + 1], far = 0.0;
    if (!to_closed) return 0;
    memcpy(before, c->now.y, STATES * sizeof(double));
    settle(to_closed, STATES, c->now.time, c->now.y, c->now.given, unit_states, 8, c->work);
    for (int i = 0; i < STATES; i++) far = fmax(far, fabs(c->now.y[i] - before[i]) / (unit_states[i] + fabs(before[i])));
    if (far > DRIFT) return 1;
    memcpy(c->now.y, before, STATES * sizeof(double)); /* not worth an event */
    return 0;
}

static int advance(Instance *c, double until)
{
    int failed;
    if (!(until >= c->now.time) || !is_finite(&until, 1))
        return 1;
    failed = integrate(fmu_rhs, to_closed, STATES, &c->now.time, until, c->now.y, c->now.given, unit_states,
                           TOLERANCE, TOLERANCE, &c->now.step, c->work);
    c->now.time = until;
    return failed || !is_finite(c->now.y, STATES);
}

#endif
