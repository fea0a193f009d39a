/* Functional Mock-up Interface 2.0: model exchange and co-simulation. */
#include "instance.h"

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef int Boolean;
typedef struct {
    Boolean newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    Boolean valuesOfContinuousStatesChanged, nextEventTimeDefined;
    double nextEventTime;
} EventInfo;
typedef void (*Logger)(void *, const char *, Status, const char *, const char *, ...);
typedef struct {
    Logger logger;
    void *(*allocate)(size_t, size_t);
    void (*release)(void *);
    void (*finished)(void *, Status);
    void *environment;
} Callbacks;

#define NOTHING(name, ...) \
    EXPORT Status name(__VA_ARGS__) { return OK; }
#define REFUSED(name, ...) \
    EXPORT Status name(__VA_ARGS__) { return ERROR; }

EXPORT const char *fmi2GetTypesPlatform(void) { return "default"; }
EXPORT const char *fmi2GetVersion(void) { return "2.0"; }

EXPORT void *fmi2Instantiate(const char *name, int kind, const char *guid, const char *resources, const Callbacks *calls,
                             Boolean visible, Boolean logging)
{
    Instance *c;
    (void)name, (void)kind, (void)resources, (void)visible, (void)logging;
    if (!guid || strcmp(guid, GUID) != 0) {
        if (calls && calls->logger)
            calls->logger(calls->environment, name, ERROR, "error", "the GUID is not that of this model");
        return NULL;
    }
    c = calloc(1, sizeof *c);
    if (c) restart(c);
    if (c && calls) memcpy(&c->logger, &calls->logger, sizeof calls->logger); /* some callers drop the record */
    if (c && calls) c->environment = calls->environment;
    return c;
}
EXPORT void fmi2FreeInstance(void *c) { free(c); }
EXPORT Status fmi2SetupExperiment(void *c, Boolean tolerant, double tolerance, double start, Boolean ends, double stop)
{
    (void)tolerant, (void)tolerance, (void)ends, (void)stop;
    ((Instance *)c)->now.time = start;
    return OK;
}
EXPORT Status fmi2Reset(void *c)
{
    restart(c);
    return OK;
}
NOTHING(fmi2SetDebugLogging, void *c, Boolean on, size_t n, const char *const categories[])
NOTHING(fmi2EnterInitializationMode, void *c)
EXPORT Status fmi2ExitInitializationMode(void *c)
{
    int kept;
    const char *sentence = begin(c, &kept);
    Logger logger;
    memcpy(&logger, &((Instance *)c)->logger, sizeof logger);
    if (sentence && logger)
        logger(((Instance *)c)->environment, "", kept ? WARNING : ERROR, kept ? "warning" : "error", "%s", sentence);
    return kept ? OK : ERROR;
}
NOTHING(fmi2Terminate, void *c)

EXPORT Status fmi2GetReal(void *c, const uint32_t r[], size_t n, double value[])
{
    return get_values(c, r, n, value) ? ERROR : OK;
}
EXPORT Status fmi2SetReal(void *c, const uint32_t r[], size_t n, const double value[])
{
    return set_values(c, r, n, value) ? ERROR : OK;
}
REFUSED(fmi2GetInteger, void *c, const uint32_t r[], size_t n, int value[])
REFUSED(fmi2SetInteger, void *c, const uint32_t r[], size_t n, const int value[])
REFUSED(fmi2GetBoolean, void *c, const uint32_t r[], size_t n, Boolean value[])
REFUSED(fmi2SetBoolean, void *c, const uint32_t r[], size_t n, const Boolean value[])
REFUSED(fmi2GetString, void *c, const uint32_t r[], size_t n, const char *value[])
REFUSED(fmi2SetString, void *c, const uint32_t r[], size_t n, const char *const value[])

EXPORT Status fmi2GetFMUstate(void *c, void **state)
{
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return ERROR;
    memcpy(*state, &((Instance *)c)->now, sizeof(Numbers));
    return OK;
}
EXPORT Status fmi2SetFMUstate(void *c, void *state)
{
    memcpy(&((Instance *)c)->now, state, sizeof(Numbers));
    return OK;
}
EXPORT Status fmi2FreeFMUstate(void *c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}
EXPORT Status fmi2SerializedFMUstateSize(void *c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(Numbers);
    return OK;
}
EXPORT Status fmi2SerializeFMUstate(void *c, void *state, unsigned char bytes[], size_t size)
{
    (void)c;
    if (size < sizeof(Numbers)) return ERROR;
    memcpy(bytes, state, sizeof(Numbers));
    return OK;
}
EXPORT Status fmi2DeSerializeFMUstate(void *c, const unsigned char bytes[], size_t size, void **state)
{
    (void)c;
    if (size < sizeof(Numbers)) return ERROR;
    if (!*state) *state = malloc(sizeof(Numbers));
    if (!*state) return ERROR;
    memcpy(*state, bytes, sizeof(Numbers));
    return OK;
}
REFUSED(fmi2GetDirectionalDerivative, void *c, const uint32_t of[], size_t n, const uint32_t by[], size_t m,
        const double seed[], double value[])

/* model exchange */
NOTHING(fmi2EnterEventMode, void *c)
NOTHING(fmi2EnterContinuousTimeMode, void *c)
EXPORT Status fmi2NewDiscreteStates(void *c, EventInfo *info)
{
    memset(info, 0, sizeof *info);
    info->valuesOfContinuousStatesChanged = ((Instance *)c)->moved;
    ((Instance *)c)->moved = 0;
    return OK;
}
EXPORT Status fmi2CompletedIntegratorStep(void *c, Boolean keep, Boolean *event, Boolean *terminate)
{
    (void)keep;
    *event = ((Instance *)c)->moved = stepped(c);
    *terminate = 0;
    return OK;
}
EXPORT Status fmi2SetTime(void *c, double time)
{
    ((Instance *)c)->now.time = time;
    return OK;
}
EXPORT Status fmi2SetContinuousStates(void *c, const double x[], size_t n)
{
    if (n != STATES) return ERROR;
    memcpy(((Instance *)c)->now.y, x, n * sizeof(double));
    return OK;
}
EXPORT Status fmi2GetContinuousStates(void *c, double x[], size_t n)
{
    if (n != STATES) return ERROR;
    memcpy(x, ((Instance *)c)->now.y, n * sizeof(double));
    return OK;
}
EXPORT Status fmi2GetDerivatives(void *c, double slope[], size_t n)
{
    Instance *i = c;
    if (n != STATES) return ERROR;
    fmu_rhs(&i->now.time, i->now.y, i->now.given, slope);
    return is_finite(slope, n) ? OK : DISCARD;
}
NOTHING(fmi2GetEventIndicators, void *c, double value[], size_t n)
EXPORT Status fmi2GetNominalsOfContinuousStates(void *c, double value[], size_t n)
{
    (void)c;
    for (size_t k = 0; k < n; k++) value[k] = 1.0;
    return OK;
}

/* co-simulation */
EXPORT Status fmi2DoStep(void *c, double time, double step, Boolean keep)
{
    (void)keep;
    ((Instance *)c)->now.time = time;
    return advance(c, time + step) ? ERROR : OK;
}
REFUSED(fmi2CancelStep, void *c)
REFUSED(fmi2SetRealInputDerivatives, void *c, const uint32_t r[], size_t n, const int order[], const double value[])
REFUSED(fmi2GetRealOutputDerivatives, void *c, const uint32_t r[], size_t n, const int order[], double value[])
REFUSED(fmi2GetStatus, void *c, int kind, Status *value)
REFUSED(fmi2GetRealStatus, void *c, int kind, double *value)
REFUSED(fmi2GetIntegerStatus, void *c, int kind, int *value)
REFUSED(fmi2GetBooleanStatus, void *c, int kind, Boolean *value)
REFUSED(fmi2GetStringStatus, void *c, int kind, const char **value)
