/* Functional Mock-up Interface 3.0: model exchange and co-simulation. */
#include <stdbool.h>

#include "instance.h"

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL } Status;
typedef void (*Logger)(void *, Status, const char *, const char *);

#define NOTHING(name, ...) \
    EXPORT Status name(__VA_ARGS__) { return OK; }
#define REFUSED(name, ...) \
    EXPORT Status name(__VA_ARGS__) { return ERROR; }
#define VALUES(kind, type)                                                                                    \
    REFUSED(fmi3Get##kind, void *c, const uint32_t r[], size_t n, type value[], size_t m)                     \
    REFUSED(fmi3Set##kind, void *c, const uint32_t r[], size_t n, const type value[], size_t m)

EXPORT const char *fmi3GetVersion(void) { return "3.0"; }

static void *instantiate(const char *token, void *environment, Logger logger)
{
    Instance *c;
    if (!token || strcmp(token, GUID) != 0) {
        if (logger) logger(environment, ERROR, "error", "the instantiation token is not that of this model");
        return NULL;
    }
    c = calloc(1, sizeof *c);
    if (c) restart(c);
    if (c) memcpy(&c->logger, &logger, sizeof logger);
    if (c) c->environment = environment;
    return c;
}
EXPORT void *fmi3InstantiateModelExchange(const char *name, const char *token, const char *resources, bool visible,
                                          bool logging, void *environment, Logger logger)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    return instantiate(token, environment, logger);
}
EXPORT void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible,
                                         bool logging, bool events, bool early, const uint32_t intermediate[], size_t n,
                                         void *environment, Logger logger, void *update)
{
    (void)name, (void)resources, (void)visible, (void)logging, (void)events, (void)early, (void)intermediate, (void)n;
    (void)update;
    return instantiate(token, environment, logger);
}
EXPORT void *fmi3InstantiateScheduledExecution(const char *name, const char *token, const char *resources, bool visible,
                                               bool logging, void *environment, Logger logger, void *clock, void *lock,
                                               void *unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)logger;
    (void)clock, (void)lock, (void)unlock;
    return NULL;
}
EXPORT void fmi3FreeInstance(void *c) { free(c); }
EXPORT Status fmi3EnterInitializationMode(void *c, bool tolerant, double tolerance, double start, bool ends, double stop)
{
    (void)tolerant, (void)tolerance, (void)ends, (void)stop;
    ((Instance *)c)->now.time = start;
    return OK;
}
EXPORT Status fmi3Reset(void *c)
{
    restart(c);
    return OK;
}
NOTHING(fmi3SetDebugLogging, void *c, bool on, size_t n, const char *const categories[])
EXPORT Status fmi3ExitInitializationMode(void *c)
{
    int kept;
    const char *sentence = begin(c, &kept);
    Logger logger;
    memcpy(&logger, &((Instance *)c)->logger, sizeof logger);
    if (sentence && logger)
        logger(((Instance *)c)->environment, kept ? WARNING : ERROR, kept ? "warning" : "error", sentence);
    return kept ? OK : ERROR;
}
NOTHING(fmi3EnterEventMode, void *c)
NOTHING(fmi3Terminate, void *c)
NOTHING(fmi3EnterConfigurationMode, void *c)
NOTHING(fmi3ExitConfigurationMode, void *c)

EXPORT Status fmi3GetFloat64(void *c, const uint32_t r[], size_t n, double value[], size_t m)
{
    return m != n || get_values(c, r, n, value) ? ERROR : OK;
}
EXPORT Status fmi3SetFloat64(void *c, const uint32_t r[], size_t n, const double value[], size_t m)
{
    return m != n || set_values(c, r, n, value) ? ERROR : OK;
}
VALUES(Float32, float)
VALUES(Int8, int8_t)
VALUES(UInt8, uint8_t)
VALUES(Int16, int16_t)
VALUES(UInt16, uint16_t)
VALUES(Int32, int32_t)
VALUES(UInt32, uint32_t)
VALUES(Int64, int64_t)
VALUES(UInt64, uint64_t)
VALUES(Boolean, bool)
VALUES(String, char *)
REFUSED(fmi3GetBinary, void *c, const uint32_t r[], size_t n, size_t size[], const uint8_t *value[], size_t m)
REFUSED(fmi3SetBinary, void *c, const uint32_t r[], size_t n, const size_t size[], const uint8_t *const value[], size_t m)
REFUSED(fmi3GetClock, void *c, const uint32_t r[], size_t n, bool value[])
REFUSED(fmi3SetClock, void *c, const uint32_t r[], size_t n, const bool value[])
REFUSED(fmi3GetNumberOfVariableDependencies, void *c, uint32_t r, size_t *n)
REFUSED(fmi3GetVariableDependencies, void *c, uint32_t r, size_t a[], uint32_t b[], size_t d[], int e[], size_t n)

EXPORT Status fmi3GetFMUState(void *c, void **state)
{
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return ERROR;
    memcpy(*state, &((Instance *)c)->now, sizeof(Numbers));
    return OK;
}
EXPORT Status fmi3SetFMUState(void *c, void *state)
{
    memcpy(&((Instance *)c)->now, state, sizeof(Numbers));
    return OK;
}
EXPORT Status fmi3FreeFMUState(void *c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}
EXPORT Status fmi3SerializedFMUStateSize(void *c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(Numbers);
    return OK;
}
EXPORT Status fmi3SerializeFMUState(void *c, void *state, uint8_t bytes[], size_t size)
{
    (void)c;
    if (size < sizeof(Numbers)) return ERROR;
    memcpy(bytes, state, sizeof(Numbers));
    return OK;
}
EXPORT Status fmi3DeserializeFMUState(void *c, const uint8_t bytes[], size_t size, void **state)
{
    (void)c;
    if (size < sizeof(Numbers)) return ERROR;
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return ERROR;
    memcpy(*state, bytes, sizeof(Numbers));
    return OK;
}
REFUSED(fmi3GetDirectionalDerivative, void *c, const uint32_t of[], size_t n, const uint32_t by[], size_t m,
        const double seed[], size_t s, double value[], size_t v)
REFUSED(fmi3GetAdjointDerivative, void *c, const uint32_t of[], size_t n, const uint32_t by[], size_t m,
        const double seed[], size_t s, double value[], size_t v)
REFUSED(fmi3GetIntervalDecimal, void *c, const uint32_t r[], size_t n, double value[], int q[])
REFUSED(fmi3GetIntervalFraction, void *c, const uint32_t r[], size_t n, uint64_t a[], uint64_t b[], int q[])
REFUSED(fmi3GetShiftDecimal, void *c, const uint32_t r[], size_t n, double value[])
REFUSED(fmi3GetShiftFraction, void *c, const uint32_t r[], size_t n, uint64_t a[], uint64_t b[])
REFUSED(fmi3SetIntervalDecimal, void *c, const uint32_t r[], size_t n, const double value[])
REFUSED(fmi3SetIntervalFraction, void *c, const uint32_t r[], size_t n, const uint64_t a[], const uint64_t b[])
REFUSED(fmi3SetShiftDecimal, void *c, const uint32_t r[], size_t n, const double value[])
REFUSED(fmi3SetShiftFraction, void *c, const uint32_t r[], size_t n, const uint64_t a[], const uint64_t b[])
NOTHING(fmi3EvaluateDiscreteStates, void *c)
EXPORT Status fmi3UpdateDiscreteStates(void *c, bool *again, bool *terminate, bool *nominals, bool *states, bool *timed,
                                       double *next)
{
    (void)next;
    *again = *terminate = *nominals = *timed = false;
    *states = ((Instance *)c)->moved;
    ((Instance *)c)->moved = 0;
    return OK;
}

/* model exchange */
NOTHING(fmi3EnterContinuousTimeMode, void *c)
EXPORT Status fmi3CompletedIntegratorStep(void *c, bool keep, bool *event, bool *terminate)
{
    (void)keep;
    *event = ((Instance *)c)->moved = stepped(c);
    *terminate = false;
    return OK;
}
EXPORT Status fmi3SetTime(void *c, double time)
{
    ((Instance *)c)->now.time = time;
    return OK;
}
EXPORT Status fmi3SetContinuousStates(void *c, const double x[], size_t n)
{
    if (n != STATES) return ERROR;
    memcpy(((Instance *)c)->now.y, x, n * sizeof(double));
    return OK;
}
EXPORT Status fmi3GetContinuousStates(void *c, double x[], size_t n)
{
    if (n != STATES) return ERROR;
    memcpy(x, ((Instance *)c)->now.y, n * sizeof(double));
    return OK;
}
EXPORT Status fmi3GetContinuousStateDerivatives(void *c, double slope[], size_t n)
{
    Instance *i = c;
    if (n != STATES) return ERROR;
    fmu_rhs(&i->now.time, i->now.y, i->now.given, slope);
    return is_finite(slope, n) ? OK : DISCARD;
}
NOTHING(fmi3GetEventIndicators, void *c, double value[], size_t n)
EXPORT Status fmi3GetNominalsOfContinuousStates(void *c, double value[], size_t n)
{
    (void)c;
    for (size_t k = 0; k < n; k++) value[k] = 1.0;
    return OK;
}
EXPORT Status fmi3GetNumberOfEventIndicators(void *c, size_t *n)
{
    (void)c;
    *n = 0;
    return OK;
}
EXPORT Status fmi3GetNumberOfContinuousStates(void *c, size_t *n)
{
    (void)c;
    *n = STATES;
    return OK;
}

/* co-simulation */
NOTHING(fmi3EnterStepMode, void *c)
REFUSED(fmi3GetOutputDerivatives, void *c, const uint32_t r[], size_t n, const int32_t order[], double value[], size_t m)
EXPORT Status fmi3DoStep(void *c, double time, double step, bool keep, bool *event, bool *terminate, bool *early,
                         double *reached)
{
    int failed;
    (void)keep;
    ((Instance *)c)->now.time = time;
    failed = advance(c, time + step);
    *event = *terminate = *early = false;
    *reached = ((Instance *)c)->now.time;
    return failed ? ERROR : OK;
}
REFUSED(fmi3ActivateModelPartition, void *c, uint32_t r, double time)
