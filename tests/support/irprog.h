/*
 * Programs in the IR's text for tests: the three operations over several formats and
 * stages, and a runner that binds arguments by name.
 */
#ifndef SB_TEST_IRPROG_H
#define SB_TEST_IRPROG_H

#include "compiler/compiler.h"

/* name and text; the last entry has name NULL. All of them verify. */
typedef struct ir_sample {
    const char *name, *text;
} ir_sample;
extern const ir_sample ir_samples[];
/* Text of the sample called so; fails the test when there is none. */
const char *ir_sample_text(const char *name);

/* An arena, an ir and its diag. */
typedef struct ir_lab {
    sb_arena arena;
    sb_ir ir;
    sb_diag diag;
} ir_lab;
void ir_lab_init(ir_lab *lab);
void ir_lab_free(ir_lab *lab);
/* Parses; fails the test with the message otherwise. Verifies too if asked. */
const sb_prog *ir_lab_parse(ir_lab *lab, const char *text, bool verify);
/* Printed text in the lab's arena. */
const char *ir_lab_print(ir_lab *lab, const sb_prog *p);

/* A parameter (data NULL) or a buffer, by name; the last entry has name NULL. */
typedef struct ir_bind {
    const char *name;
    double value;
    void *data;
    int64_t count;
} ir_bind;
#define IR_PARAM(name, value)          \
    {                                  \
        name, (double)(value), NULL, 0 \
    }
#define IR_ARRAY(name, array, count) \
    {                                \
        name, 0.0, array, count      \
    }
/* Runs the interpreter; every parameter and buffer of p must be bound. */
sb_status ir_run(ir_lab *lab, const sb_prog *p, const ir_bind *bind);

#endif
