/*
 * @TITLE@
 * Reads the numbers of input.txt (or of the file named first), writes the motion to output.csv (or the file named second).
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "integrator.h"
#include "model.h"

enum { SETTINGS = 5, STATES = @STATES@, COORDINATES = @COORDINATES@, PARAMETERS = @PARAMETERS@, ALL = SETTINGS + STATES + PARAMETERS };

static const char *names[] = {
    "t_start", "t_end", "t_step", "rtol", "atol", /* settings */
@NAMES@
};
static right_side to_closed = @CORRECTED@; /* null for a tree */
static const double unit[] = {
@UNITS@
}; /* of each state: a radian, the size of the machine, either in a second */
static const double written[] = {
@WRITTEN@
}; /* the start of the program as it was made: what is another one now is kept, the rest moves to close the loops */
static const double begun = @BEGUN@; /* the time of that start */
static const int driven = @DRIVEN@;  /* time moves the loops: a start at another time is followed there from that one */
static hold held;
static double values[ALL + 1];
static int known[ALL + 1];

static char *trimmed(char *text)
{
    char *end = text + strlen(text);
    while (isspace((unsigned char)*text)) text++;
    while (end > text && isspace((unsigned char)end[-1])) *--end = '\0';
    return text;
}

/* Where a comment begins: at a # that is no part of a name. */
static char *comment_in(char *line)
{
    for (char *c = line; *c; c++)
        if (*c == '#' && (c == line || isspace((unsigned char)c[-1]))) return c;
    return NULL;
}

static int read_input(const char *path)
{
    char line[1024];
    int number = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "cannot read %s\n", path);
        return 1;
    }
    while (fgets(line, sizeof line, file)) {
        char *equals, *name, *end, *comment = comment_in(line);
        int k;
        number++;
        if (comment) *comment = '\0';
        name = trimmed(line);
        if (!*name) continue;
        equals = strchr(name, '=');
        if (equals) *equals = '\0';
        name = trimmed(name);
        for (k = 0; k < ALL && strcmp(names[k], name) != 0; k++) {}
        if (k < ALL && equals) {
            char *text = trimmed(equals + 1);
            values[k] = strtod(text, &end);
            known[k] = end != text && *end == '\0' && isfinite(values[k]);
        }
        if (k == ALL || !known[k]) {
            fprintf(stderr, "%s:%d: expected 'name = number' with a known name, found '%s'\n", path, number, name);
            fclose(file);
            return 1;
        }
    }
    fclose(file);
    for (int k = 0; k < ALL; k++) {
        if (!known[k]) {
            fprintf(stderr, "%s: no value for %s\n", path, names[k]);
            return 1;
        }
    }
    return 0;
}

static void write_row(FILE *file, double t, const double y[], const double p[])
{
    double both[2];
    energy(&t, y, y + COORDINATES, p, both);
    fprintf(file, "%.17g", t);
    for (int i = 0; i < STATES; i++) fprintf(file, ",%.17g", y[i]);
    fprintf(file, ",%.17g,%.17g\n", both[0], both[1]);
}

/* Closes the loops of the start and says what had to move. */
static int close_start(double t, double y[], const double p[], double work[], const char *input)
{
    double first[STATES + 1];
    unsigned char told[STATES + 1];
    int trouble;
    if (!to_closed) return 0;
    memcpy(first, y, STATES * sizeof(double));
    for (int i = 0; i < STATES; i++) told[i] = y[i] != written[i];
    if (driven && t != begun) {
        double there[STATES + 1];
        memcpy(there, written, STATES * sizeof(double));
        if (follow(to_closed, STATES, COORDINATES, begun, t, there, p, unit, work))
            fprintf(stderr, "%s: the assembly at t = %.9g could not be followed to t = %.9g: it may be another one\n", input, begun, t);
        for (int i = 0; i < STATES; i++)
            if (!told[i]) y[i] = there[i];
    }
    trouble = close_loops(to_closed, STATES, t, y, p, unit, told, &held, work);
    if (trouble == 1) fprintf(stderr, "%s: the loops do not close at this start: give one that is nearly closed\n", input);
    if (trouble == 2) {
        fprintf(stderr, "%s: these start values do not fit the loops:", input);
        for (int i = 0; i < STATES; i++)
            if (told[i]) fprintf(stderr, " %s = %.9g (nearest %.9g)", names[SETTINGS + i], first[i], y[i]);
        fprintf(stderr, ". Give fewer of them, then the rest follows\n");
    }
    for (int i = 0; i < STATES && !trouble; i++) {
        if (fabs(y[i] - first[i]) > 1e-6 * (unit[i] + fabs(first[i])))
            fprintf(stderr, "%s: %s moved from %.9g to %.9g to close the loops\n", input, names[SETTINGS + i], first[i],
                    y[i]);
    }
    return trouble;
}

int main(int count, char *arguments[])
{
    const char *input = count > 1 ? arguments[1] : "input.txt";
    const char *output = count > 2 ? arguments[2] : "output.csv";
    double *y = values + SETTINGS, *p = values + SETTINGS + STATES, *work;
    double t, h;
    FILE *file;
    if (read_input(input)) return 2;
    if (values[1] < values[0]) {
        fprintf(stderr, "%s: t_end is before t_start\n", input);
        return 2;
    }
    if (!(values[2] > 0.0)) {
        fprintf(stderr, "%s: t_step must be positive\n", input);
        return 2;
    }
    file = fopen(output, "w");
    work = malloc((9 * STATES + 1) * sizeof *work);
    if (!file || !work) {
        fprintf(stderr, "cannot write %s\n", output);
        return 1;
    }
    fprintf(file, "t");
    for (int i = 0; i < STATES; i++) fprintf(file, ",%s", names[SETTINGS + i]);
    fprintf(file, ",kinetic,potential\n");
    t = values[0];
    h = values[2] < 1e-3 ? values[2] : 1e-3;
    if (close_start(t, y, p, work, input)) return 2;
    write_row(file, t, y, p);
    for (long k = 1; t < values[1]; k++) {
        double next = values[0] + (double)k * values[2];
        if (next + 1e-6 * values[2] > values[1]) next = values[1]; /* no row for what rounding leaves of the span */
        if (integrate(rhs, to_closed, STATES, &t, next, y, p, unit, values[3], values[4], &h, &held, work)) {
            fprintf(stderr, "the step became too small at t = %.17g: the motion is singular there\n", t);
            fclose(file);
            return 1;
        }
        write_row(file, t, y, p);
    }
    if (held.lost)
        fprintf(stderr, "at t = %.9g the motion passes a singular posture, where its loops do not tell branches apart: "
                "if it passes slowly, its energy and its branch may be lost from there on. Look at the energy in %s, "
                "or start beside that posture\n", held.instant, output);
    free(work);
    return fclose(file) ? 1 : 0;
}
