/* What both versions of the interface share: the memory of an instance, its values by reference, its steps. */
#ifndef INSTANCE_H
#define INSTANCE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu_model.h"
#include "integrator.h"

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;

#define NOTHING(name, ...) \
    EXPORT Status name(__VA_ARGS__) { return OK; }
#define REFUSED(name, ...) \
    EXPORT Status name(__VA_ARGS__) { return ERROR; }

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
    hold held;
    int said; /* that it has passed a singular posture */
    void *environment;
    void *logger;
    double work[9 * STATES + 1];
    double slope[STATES + 1];
    double output[OUTPUTS + 1];
} Instance;

static void restart(Instance *c)
{
    c->moved = c->said = 0;
    memset(c->told, 0, sizeof c->told);
    memset(&c->held, 0, sizeof c->held);
    c->now.time = 0.0;
    c->now.step = 1e-3;
    memcpy(c->now.y, start_states, STATES * sizeof(double));
    memcpy(c->now.given, start_parameters, PARAMETERS * sizeof(double));
    memcpy(c->now.given + PARAMETERS, start_inputs, INPUTS * sizeof(double));
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

/* How the interface of each version logs. */
static void tell(Instance *c, Status status, const char *sentence);

/* Closes the loops from the start values; what was set from outside is kept. Says what came of it. */
static Status begin(Instance *c)
{
    double before[STATES + 1], far = 0.0;
    int trouble;
    if (!to_closed) return OK;
    memcpy(before, c->now.y, STATES * sizeof(double));
    if (DRIVEN && c->now.time != 0.0) { /* start values are those at t = 0 */
        double there[STATES + 1];
        memcpy(there, start_states, STATES * sizeof(double));
        if (follow(to_closed, STATES, COORDINATES, 0.0, c->now.time, there, c->now.given, unit_states, c->work))
            tell(c, WARNING, "the assembly at t = 0 could not be followed to the start: it may be another one");
        for (int i = 0; i < STATES; i++)
            if (!c->told[i]) c->now.y[i] = there[i];
    }
    trouble = close_loops(to_closed, STATES, c->now.time, c->now.y, c->now.given, unit_states, c->told, &c->held, c->work);
    if (trouble) {
        tell(c, ERROR, trouble == 1 ? "the loops do not close from these start values"
             : "the start values that were set do not fit the loops: set all coordinates and speeds together");
        return ERROR;
    }
    for (int i = 0; i < STATES; i++) far = fmax(far, fabs(c->now.y[i] - before[i]) / (unit_states[i] + fabs(before[i])));
    if (far > DRIFT) tell(c, WARNING, "the start was moved to where the loops close");
    return OK;
}

/* The status of a step that was made: once a warning, where it has passed a singular posture. */
static Status passed(Instance *c)
{
    char sentence[300];
    if (!c->held.lost || c->said) return OK;
    c->said = 1;
    snprintf(sentence, sizeof sentence,
             "at t = %.9g the motion passes a singular posture, where its loops do not tell branches apart: if it "
             "passes slowly, its energy and its branch may be lost from there on", c->held.instant);
    tell(c, WARNING, sentence);
    return WARNING;
}

/* After a step of someone else's integrator: 1 where the state was brought back to closed loops. */
static int stepped(Instance *c)
{
    double before[STATES + 1], far = 0.0;
    if (!to_closed) return 0;
    memcpy(before, c->now.y, STATES * sizeof(double));
    settle(to_closed, STATES, c->now.time, c->now.y, c->now.given, unit_states, 8, &c->held, c->work);
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
                           TOLERANCE, TOLERANCE, &c->now.step, &c->held, c->work);
    c->now.time = until;
    return failed || !is_finite(c->now.y, STATES);
}

#endif
