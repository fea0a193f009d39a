/* Functional Mock-up Interface 3.0: model exchange and co-simulation. */
#include <stdbool.h>

#include "instance.h"

typedef bool Boolean;
typedef void (*Logger)(void *, Status, const char *, const char *);

#define FMI(name) fmi3##name
#define FMI_STATE(verb) fmi3##verb##FMUState
#define FMI_STATE_SIZE fmi3SerializedFMUStateSize
#define FMI_STATE_BACK fmi3DeserializeFMUState
#define FMI_SLOPES fmi3GetContinuousStateDerivatives
#include "shared.h"

#define VALUES(kind, type)                                                                                    \
    REFUSED(fmi3Get##kind, void *c, const uint32_t r[], size_t n, type value[], size_t m)                     \
    REFUSED(fmi3Set##kind, void *c, const uint32_t r[], size_t n, const type value[], size_t m)

static void tell(Instance *c, Status status, const char *sentence)
{
    Logger logger;
    memcpy(&logger, &c->logger, sizeof logger);
    if (logger) logger(c->environment, status, status == ERROR ? "error" : "warning", sentence);
}

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
EXPORT Status fmi3EnterInitializationMode(void *c, bool tolerant, double tolerance, double start, bool ends, double stop)
{
    (void)tolerant, (void)tolerance, (void)ends, (void)stop;
    ((Instance *)c)->now.time = start;
    return OK;
}
NOTHING(fmi3SetDebugLogging, void *c, bool on, size_t n, const char *const categories[])
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
    return failed ? ERROR : passed(c);
}
REFUSED(fmi3ActivateModelPartition, void *c, uint32_t r, double time)
