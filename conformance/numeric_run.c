/*
 * The cases, in this process or dealt out to several, and what became of them.
 *
 *   conformance_numeric [--all] [--jobs N] [--seconds S] [--verbose]
 *
 * --all: every case is to be supported. --jobs: so many processes side by side, each with a
 * handle of its own. --seconds: no longer than that; what was not reached, and what each
 * process was at, is said, and the answer is 1. --verbose: each case on stderr as it ends,
 * with its seconds. On stdout what is wrong and one line of counts; 77 without a GPU.
 */
#include "numeric.h"

#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

cusparseHandle_t handle;

/* NEIGHBOURS: cases in a row that one process runs, because they need the same kernels.
 * GRACE: seconds until a process that does not come back from a case is ended. */
enum { JOBS_MAX = 64, NEIGHBOURS = 4, GRACE = 3, NO_GPU = 77, LINE = 240 };

/* What a process has done, seen by the one that waits for it. */
typedef struct {
    _Atomic int checked, wrong, unsupported, cases;
    double since; /* of the case at hand */
    char doing[LINE];
    bool over;
} progress;

static struct {
    int jobs;
    double seconds; /* 0: no limit */
    bool all, verbose;
} options;

static progress own, *mine = &own; /* shared between processes where there are jobs */
static int job, jobs = 1;          /* jobs 0: cases are counted, none is run */
static int next;                   /* of cases so far in this pointer mode */
static bool counting;
static double deadline;

static double
now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- cases ---------------------------------------------------------------------------- */

static void
case_end(void)
{
    if (!mine->doing[0])
        return;
    mine->cases++;
    if (options.verbose) {
        char line[LINE + 40];
        const int n = snprintf(line, sizeof line, "%9.4f s  %s\n", now() - mine->since,
                               mine->doing);

        if (write(STDERR_FILENO, line, (size_t)n) < 0)
            mine->doing[0] = '\0';
    }
    mine->doing[0] = '\0';
}

bool
case_begin(const char *format, ...)
{
    const int at = next++;
    va_list args;

    case_end();
    if (counting)
        mine->cases++;
    if (counting || at / NEIGHBOURS % jobs != job || (deadline > 0 && now() > deadline))
        return false;
    mine->since = now();
    va_start(args, format);
    (void)vsnprintf(mine->doing, sizeof mine->doing, format, args);
    va_end(args);
    seed((uint64_t)at);
    return true;
}

static void
all_cases(void)
{
    static void (*const groups[])(void) = {numeric_products, numeric_batches,
                                           numeric_solves,   numeric_spgemm,
                                           numeric_vectors,  numeric_conversions};

    for (int mode = 0; mode < 2; mode++) {
        next = 0;
        if (!counting)
            (void)cusparseSetPointerMode(handle, (cusparsePointerMode_t)mode);
        for (int g = 0; g < (int)(sizeof groups / sizeof *groups); g++)
            groups[g]();
        case_end();
    }
}

/* Cases that there are, of all processes together. */
static int
count_cases(void)
{
    progress of_all = {0};

    counting = true;
    mine = &of_all;
    all_cases();
    counting = false;
    mine = &own;
    return of_all.cases;
}

/* ---- verdicts -------------------------------------------------------------------------- */

bool
worked(const char *call, cusparseStatus_t status)
{
    if (status == CUSPARSE_STATUS_SUCCESS)
        return true;
    if (status == CUSPARSE_STATUS_NOT_SUPPORTED) {
        mine->unsupported++;
        return false;
    }
    (void)printf("%s: %s: %s\n", mine->doing, call, cusparseGetErrorName(status));
    mine->wrong++;
    return false;
}

void
verdict(const char *routine, bool right, const char *format, ...)
{
    char text[LINE];
    va_list args;

    mine->checked++;
    if (right)
        return;
    mine->wrong++;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    (void)printf("%s: wrong result, %s\n", routine, text);
}

/* ---- processes ------------------------------------------------------------------------- */

/* This process's cases. */
static int
work(void)
{
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* lines of several processes stay whole */
    memory_open(getenv("CONFORM_CUDART"));
    if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS) {
        if (job == 0)
            (void)printf("no handle: the library wants a GPU\n");
        return NO_GPU;
    }
    all_cases();
    need(cusparseDestroy(handle) == CUSPARSE_STATUS_SUCCESS, "cusparseDestroy");
    return 0;
}

static void
begin(progress *all, pid_t *child, int q)
{
    child[q] = fork();
    need(child[q] >= 0, "fork");
    if (child[q] != 0)
        return;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* who ends the first ends all */
    mine = &all[q];
    job = q;
    exit(work());
}

/* A process ended: 0, NO_GPU, or 1 and what it was at. */
static int
ended(const progress *p, int status)
{
    if (WIFEXITED(status) &&
        (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == NO_GPU))
        return WEXITSTATUS(status);
    (void)printf("%s %d of a process after %.1f s in: %s\n",
                 WIFSIGNALED(status) ? "signal" : "exit",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                 now() - p->since, p->doing[0] ? p->doing : "no case");
    return 1;
}

/* Until all have ended, or are ended because they do not come back. Whoever does not even end
 * then waits inside a driver. */
static int
wait_for_all(progress *all, const pid_t *child)
{
    const struct timespec moment = {0, 10 * 1000 * 1000};
    int left = options.jobs, status, worst = 0;

    while (left > 0) {
        for (int q = 0; q < options.jobs; q++) {
            if (all[q].over)
                continue;
            if (deadline > 0 && now() > deadline + GRACE)
                (void)kill(child[q], SIGKILL);
            if (deadline > 0 && now() > deadline + 2 * GRACE)
                status = SIGKILL;
            else if (waitpid(child[q], &status, WNOHANG) != child[q])
                continue;
            all[q].over = true;
            left--;
            status = ended(&all[q], status);
            worst = status == 1 || worst == 0 ? status : worst;
        }
        (void)nanosleep(&moment, NULL);
    }
    return worst;
}

static int
share_out(void)
{
    pid_t child[JOBS_MAX];
    progress *all = mmap(NULL, JOBS_MAX * sizeof *all, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int worst;

    need(all != MAP_FAILED, "memory");
    jobs = options.jobs;
    for (int q = 0; q < jobs; q++)
        begin(all, child, q);
    worst = wait_for_all(all, child);
    for (int q = 0; q < jobs; q++) {
        own.checked += all[q].checked;
        own.wrong += all[q].wrong;
        own.unsupported += all[q].unsupported;
        own.cases += all[q].cases;
    }
    return worst;
}

static bool
read_options(int argc, char **argv)
{
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--all") == 0)
            options.all = true;
        else if (strcmp(argv[k], "--verbose") == 0)
            options.verbose = true;
        else if (strcmp(argv[k], "--jobs") == 0 && k + 1 < argc)
            options.jobs = atoi(argv[++k]);
        else if (strcmp(argv[k], "--seconds") == 0 && k + 1 < argc)
            options.seconds = atof(argv[++k]);
        else
            return false;
    }
    if (options.seconds > 0 && options.jobs == 0)
        options.jobs = 1;
    return options.jobs >= 0 && options.jobs <= JOBS_MAX;
}

int
main(int argc, char **argv)
{
    const double begun = now();
    int status, left;

    if (!read_options(argc, argv)) {
        (void)fprintf(stderr, "usage: conformance_numeric [--all] [--jobs N] "
                              "[--seconds S] [--verbose]\n");
        return 2;
    }
    left = count_cases();
    deadline = options.seconds > 0 ? begun + options.seconds : 0;
    status = options.jobs > 0 ? share_out() : work();
    if (status == NO_GPU)
        return status;
    left -= own.cases;
    (void)printf("%d results right, %d wrong, %d cases not supported\n",
                 own.checked - own.wrong, own.wrong, own.unsupported);
    if (left > 0)
        (void)printf("%d cases left out\n", left);
    (void)fprintf(stderr, "%d cases in %.1f s\n", own.cases, now() - begun);
    return status || own.wrong || left > 0 || (options.all && own.unsupported);
}
