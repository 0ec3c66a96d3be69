/* What the peers in C and C++ have in common: timing, and a main function over a table of cases.
 *
 *     PROGRAM [--list] [--only NAME,...] [--threads N] [--seconds S] [--divide N]
 *
 * A case sets median, best (seconds) and check, by BENCH; a line is printed for each: NAME, median and minimum of
 * one launch, checksum.  Cases of go run ./bench/quant have an Nth of their size.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

static double times[20000], median, best, check, budget = 1.5;
static int least = 7, divisor = 1;
static int compare(const void *a, const void *b) { return (*(double *)a > *(double *)b) - (*(double *)a < *(double *)b); }

/* The launch once, for the checksum; then for the budget, at least 7 and at most 20000 times. */
#define BENCH(checksum, ...) do { \
        double end_ = INFINITY; \
        int n_ = -1; \
        for (; n_ < least || (now() < end_ && n_ < 20000); n_++) { \
            double a_ = now(); \
            __VA_ARGS__; \
            if (n_ < 0) check = (checksum), end_ = now() + budget; \
            else times[n_] = now() - a_; \
        } \
        qsort(times, n_, sizeof *times, compare); \
        median = times[n_ / 2], best = times[0]; \
    } while (0)
#define SUM(n, term) ({ double s_ = 0; for (long i = 0, end_ = (n); i < end_; i++) s_ += (term); s_; })

/* A case of the table; the argument is handed to its function. */
typedef struct { const char *name; void (*run)(int argument); int argument; } bench_case;

static int run_cases(const bench_case *cases, int count, void (*set_threads)(int), int argc, char **argv) {
    char only[4096] = "", name[64];
    int list = 0;
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--threads") && i + 1 < argc) set_threads(atoi(argv[++i]));
        else if (!strcmp(argv[i], "--seconds") && i + 1 < argc) budget = atof(argv[++i]), least = 3;
        else if (!strcmp(argv[i], "--divide") && i + 1 < argc) divisor = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--only") && i + 1 < argc) snprintf(only, sizeof only, ",%s,", argv[++i]);
        else if (!strcmp(argv[i], "--list")) list = 1;
    for (int c = 0; c < count; c++) {
        snprintf(name, sizeof name, ",%s,", cases[c].name);
        if (*only && !strstr(only, name)) continue;
        if (list) {
            puts(cases[c].name);
            continue;
        }
        cases[c].run(cases[c].argument);
        printf("%-18s %12.3f us  min %12.3f  check %.9g\n", cases[c].name, median * 1e6, best * 1e6, check);
        fflush(stdout);
    }
    return 0;
}
