/* Rows of the table as JSON, one a line, and as a short line on stderr. */
#ifndef SPBLAS_BENCH_REPORT_H
#define SPBLAS_BENCH_REPORT_H

#include "limits.h"
#include "peer.h"

typedef struct report_peer {
    const char *name;
    bool ours;
    char status[16]; /* ok, wrong, failed, does not apply */
    char text[256];  /* the plan, or why it failed */
    double best, q1, median, q3, analysis, predicted; /* seconds */
    double error;  /* against the bound; above 1 is wrong */
    bool noisy;    /* too few clean samples: all were used */
    int64_t clean; /* samples during which no core was lost */
} report_peer;

/* Competitors of a row at most. */
enum { REPORT_PEERS = 48 };

typedef struct report_row {
    const char *matrix;
    const bench_problem *pb;
    report_peer peer[REPORT_PEERS];
    int peers;
} report_row;

typedef struct report report;

/* NULL path: stdout. NULL on failure, having complained. */
report *report_open(const char *path, int threads);
void report_version(report *r, const char *peer, const char *(*version)(void));
void report_add(report *r, const report_row *row, const bench_limits *limits);
/* limits may be NULL. */
void report_close(report *r, const bench_limits *limits);

#endif
