/* Functional Mock-up Interface 2.0: model exchange and co-simulation. */
#include "instance.h"

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

#define FMI(name) fmi2##name
#define FMI_STATE(verb) fmi2##verb##FMUstate
#define FMI_STATE_SIZE fmi2SerializedFMUstateSize
#define FMI_STATE_BACK fmi2DeSerializeFMUstate
#define FMI_SLOPES fmi2GetDerivatives
#include "shared.h"

static void tell(Instance *c, Status status, const char *sentence)
{
    Logger logger;
    memcpy(&logger, &c->logger, sizeof logger);
    if (logger) logger(c->environment, "", status, status == ERROR ? "error" : "warning", "%s", sentence);
}

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
EXPORT Status fmi2SetupExperiment(void *c, Boolean tolerant, double tolerance, double start, Boolean ends, double stop)
{
    (void)tolerant, (void)tolerance, (void)ends, (void)stop;
    ((Instance *)c)->now.time = start;
    return OK;
}
NOTHING(fmi2SetDebugLogging, void *c, Boolean on, size_t n, const char *const categories[])
NOTHING(fmi2EnterInitializationMode, void *c)

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

REFUSED(fmi2GetDirectionalDerivative, void *c, const uint32_t of[], size_t n, const uint32_t by[], size_t m,
        const double seed[], double value[])

/* model exchange */
EXPORT Status fmi2NewDiscreteStates(void *c, EventInfo *info)
{
    memset(info, 0, sizeof *info);
    info->valuesOfContinuousStatesChanged = ((Instance *)c)->moved;
    ((Instance *)c)->moved = 0;
    return OK;
}

/* co-simulation */
EXPORT Status fmi2DoStep(void *c, double time, double step, Boolean keep)
{
    (void)keep;
    ((Instance *)c)->now.time = time;
    return advance(c, time + step) ? ERROR : passed(c);
}
REFUSED(fmi2CancelStep, void *c)
REFUSED(fmi2SetRealInputDerivatives, void *c, const uint32_t r[], size_t n, const int order[], const double value[])
REFUSED(fmi2GetRealOutputDerivatives, void *c, const uint32_t r[], size_t n, const int order[], double value[])
REFUSED(fmi2GetStatus, void *c, int kind, Status *value)
REFUSED(fmi2GetRealStatus, void *c, int kind, double *value)
REFUSED(fmi2GetIntegerStatus, void *c, int kind, int *value)
REFUSED(fmi2GetBooleanStatus, void *c, int kind, Boolean *value)
REFUSED(fmi2GetStringStatus, void *c, int kind, const char **value)
