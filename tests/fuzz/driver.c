/*
 * Main of every fuzz target without a fuzzing engine: runs the corpus files given as
 * arguments, then `runs` seeded inputs, half of them fresh bytes and half mutants of the
 * corpus. FUZZ_RUNS and FUZZ_SEED in the environment replace the defaults. With clang's
 * -fsanitize=fuzzer the targets are used without this file.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LONGEST = 4096, CORPUS = 256 };

typedef struct input {
    uint8_t *data;
    size_t size;
} input;

static uint64_t state;

static uint64_t
draw(void)
{
    uint64_t z = (state += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static input
read_input(const char *path)
{
    input in = {malloc(LONGEST), 0};
    FILE *f = fopen(path, "rb");

    if (!f || !in.data) {
        fprintf(stderr, "fuzz: cannot read %s\n", path);
        exit(2);
    }
    in.size = fread(in.data, 1, LONGEST, f);
    fclose(f);
    return in;
}

/* Exactly as long as the input, so that a sanitizer sees the first byte past it. */
static void
run_one(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);

    if (!copy)
        exit(2);
    if (size)
        memcpy(copy, data, size);
    (void)LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void
run_fresh(void)
{
    uint8_t data[256];
    const size_t size = draw() % sizeof data;
    const uint64_t mask = draw() % 3 ? 0xff : 0x07; /* small numbers reach further */

    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)(draw() & mask);
    run_one(data, size);
}

static void
run_mutant(const input *from)
{
    static uint8_t data[LONGEST];
    size_t size = from->size;
    const uint64_t changes = 1 + draw() % 4;

    if (size)
        memcpy(data, from->data, size);
    for (uint64_t c = 0; c < changes && size > 0; c++) {
        const size_t at = draw() % size;

        if (draw() % 8 == 0)
            size = at;
        else
            data[at] = (uint8_t)(draw() % 2 ? draw() : data[at] ^ 1u << draw() % 8);
    }
    run_one(data, size);
}

static uint64_t
setting(const char *name, uint64_t otherwise)
{
    const char *s = getenv(name);

    return s ? strtoull(s, NULL, 10) : otherwise;
}

int
main(int argc, char **argv)
{
    static input corpus[CORPUS];
    const uint64_t runs = setting("FUZZ_RUNS", 20000), seed = setting("FUZZ_SEED", 1);
    size_t n = 0;

    for (int i = 1; i < argc && n < CORPUS; i++)
        corpus[n++] = read_input(argv[i]);
    for (size_t i = 0; i < n; i++)
        run_one(corpus[i].data, corpus[i].size);
    for (uint64_t k = 0; k < runs; k++) {
        state = seed * 1000003 + k;
        if (n > 0 && k % 2)
            run_mutant(&corpus[draw() % n]);
        else
            run_fresh();
    }
    for (size_t i = 0; i < n; i++)
        free(corpus[i].data);
    printf("%zu corpus files and %llu seeded inputs\n", n, (unsigned long long)runs);
    return 0;
}
