/* Functions that are the same in both versions: FMI(name) is the name in one of them. */
EXPORT void FMI(FreeInstance)(void *c) { free(c); }
EXPORT Status FMI(Reset)(void *c)
{
    restart(c);
    return OK;
}
EXPORT Status FMI(ExitInitializationMode)(void *c) { return begin(c); }
NOTHING(FMI(Terminate), void *c)

static Status copied(void **to, const void *from)
{
    if (!*to) *to = malloc(sizeof(Numbers));
    if (!*to) return ERROR;
    memcpy(*to, from, sizeof(Numbers));
    return OK;
}
EXPORT Status FMI_STATE(Get)(void *c, void **state) { return copied(state, &((Instance *)c)->now); }
EXPORT Status FMI_STATE(Set)(void *c, void *state)
{
    memcpy(&((Instance *)c)->now, state, sizeof(Numbers));
    return OK;
}
EXPORT Status FMI_STATE(Free)(void *c, void **state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return OK;
}
EXPORT Status FMI_STATE_SIZE(void *c, void *state, size_t *size)
{
    (void)c, (void)state;
    *size = sizeof(Numbers);
    return OK;
}
EXPORT Status FMI_STATE(Serialize)(void *c, void *state, uint8_t bytes[], size_t size)
{
    void *to = bytes;
    (void)c;
    return size < sizeof(Numbers) ? ERROR : copied(&to, state);
}
EXPORT Status FMI_STATE_BACK(void *c, const uint8_t bytes[], size_t size, void **state)
{
    (void)c;
    return size < sizeof(Numbers) ? ERROR : copied(state, bytes);
}

NOTHING(FMI(EnterEventMode), void *c)
NOTHING(FMI(EnterContinuousTimeMode), void *c)
EXPORT Status FMI(CompletedIntegratorStep)(void *c, Boolean keep, Boolean *event, Boolean *terminate)
{
    (void)keep;
    *event = ((Instance *)c)->moved = stepped(c);
    *terminate = 0;
    return passed(c);
}
EXPORT Status FMI(SetTime)(void *c, double time)
{
    ((Instance *)c)->now.time = time;
    return OK;
}
EXPORT Status FMI(SetContinuousStates)(void *c, const double x[], size_t n)
{
    if (n != STATES) return ERROR;
    memcpy(((Instance *)c)->now.y, x, n * sizeof(double));
    return OK;
}
EXPORT Status FMI(GetContinuousStates)(void *c, double x[], size_t n)
{
    if (n != STATES) return ERROR;
    memcpy(x, ((Instance *)c)->now.y, n * sizeof(double));
    return OK;
}
EXPORT Status FMI_SLOPES(void *c, double slope[], size_t n)
{
    Instance *i = c;
    if (n != STATES) return ERROR;
    fmu_rhs(&i->now.time, i->now.y, i->now.given, slope);
    return is_finite(slope, n) ? OK : DISCARD;
}
NOTHING(FMI(GetEventIndicators), void *c, double value[], size_t n)
EXPORT Status FMI(GetNominalsOfContinuousStates)(void *c, double value[], size_t n)
{
    (void)c;
    for (size_t k = 0; k < n; k++) value[k] = 1.0;
    return OK;
}
