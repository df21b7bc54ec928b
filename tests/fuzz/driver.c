/*
 * Main of every fuzz target without a fuzzing engine: runs the corpus files given as
 * arguments, then `runs` seeded inputs: fresh bytes, corpus files with bytes changed, and
 * corpus files with words changed: dropped, repeated, or replaced by stretches of words
 * from other files, so that nested forms of the grammar meet. FUZZ_RUNS and FUZZ_SEED in the environment replace the defaults. With clang's
 * -fsanitize=fuzzer the targets are used without this file.
 */
#include <stdbool.h>
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

static bool
is_letter(uint8_t c)
{
    return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* End of the word at `at`: letters and digits, or blanks, or one other character. */
static size_t
word_end(const input *in, size_t at)
{
    const uint8_t c = in->data[at++];

    if (is_letter(c))
        while (at < in->size && is_letter(in->data[at]))
            at++;
    else if (c == ' ' || c == '\n')
        while (at < in->size && (in->data[at] == ' ' || in->data[at] == '\n'))
            at++;
    return at;
}

/* Start of some word of the file. */
static size_t
some_word(const input *in)
{
    const size_t stop = draw() % in->size;
    size_t at = 0;

    for (size_t next = word_end(in, 0); next <= stop; next = word_end(in, next))
        at = next;
    return at;
}

static size_t
copy_words(uint8_t *to, size_t room, const input *from, size_t at, uint64_t words)
{
    size_t end = at;

    while (end < from->size && words-- > 0)
        end = word_end(from, end);
    end = end - at < room ? end : at + room;
    memcpy(to, from->data + at, end - at);
    return end - at;
}

static void
run_spliced(const input *corpus, size_t n)
{
    static uint8_t data[2][LONGEST];
    input in = corpus[draw() % n];
    const uint64_t changes = 1 + draw() % 3;

    for (uint64_t c = 0; c < changes && in.size > 0; c++) {
        const input *other = draw() % 2 ? &in : &corpus[draw() % n];
        uint8_t *out = data[c % 2];
        const size_t at = some_word(&in);
        size_t after = at, size = at;

        for (uint64_t gone = draw() % 4; gone > 0 && after < in.size; gone--)
            after = word_end(&in, after);
        memcpy(out, in.data, at);
        if (other->size > 0)
            size += copy_words(out + size, LONGEST - size, other, some_word(other),
                               draw() % 12);
        size += copy_words(out + size, LONGEST - size, &in, after, UINT64_MAX);
        in.data = out;
        in.size = size;
    }
    run_one(in.data, in.size);
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
        if (n == 0 || k % 4 == 0)
            run_fresh();
        else if (k % 4 == 1)
            run_mutant(&corpus[draw() % n]);
        else
            run_spliced(corpus, n);
    }
    for (size_t i = 0; i < n; i++)
        free(corpus[i].data);
    printf("%zu corpus files and %llu seeded inputs\n", n, (unsigned long long)runs);
    return 0;
}
