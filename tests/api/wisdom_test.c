/*
 * Wisdom by its public functions: bad arguments, text there and back, and what one
 * process measured found by the next through SPBLAS_WISDOM.
 */
#include "call.h"
#include "gen.h"
#include "objects.h"
#include "problems.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static const char again[] = "measured before on this structure (wisdom)";
static char folder[64], path[100], lock_path[110];

static int
make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/wisdom.XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    (void)snprintf(path, sizeof path, "%s/file", folder);
    (void)snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    return 0;
}

static int
remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    (void)unlink(lock_path);
    return rmdir(folder);
}

/* In a process of its own, as nothing was read yet: 1 where the analysis measured, 2
 * where it took wisdom, 3 where there is nothing to choose from, 0 for a failure. */
static int
analysed(spblasEffort_t effort)
{
    sb_problem pb = {.op = SB_OP_SPMM, .compute = SB_F32, .alpha = {1, 0}, .batch = 1};
    char text[4000];
    size_t size = sizeof text;
    int said = 0;
    call c;

    pb.a = gen_matrix(&(gen_spec){.family = GEN_UNIFORM,
                                  .rows = 60,
                                  .cols = 60,
                                  .density = 0.1,
                                  .ptr_type = SB_I32,
                                  .idx_type = SB_I32,
                                  .val_type = SB_F32});
    pb.b = gen_dense(&(gen_dense_spec){.rows = 60, .cols = 32, .type = SB_F32});
    pb.c = gen_dense(&(gen_dense_spec){.rows = 60, .cols = 32, .type = SB_F32});
    if (call_begin(&c, &pb) == SPBLAS_STATUS_SUCCESS &&
        spblasSpMatSetAttribute(c.a, SPBLAS_SPMAT_EFFORT, &effort, sizeof effort) ==
            SPBLAS_STATUS_SUCCESS &&
        call_analyse(&c) == SPBLAS_STATUS_SUCCESS &&
        spblasSpMatGetPlanExplanation(c.a, 0, text, &size) == SPBLAS_STATUS_SUCCESS)
        said = strstr(text, again)                       ? 2
               : strstr(text, "fastest of the measured") ? 1
               : strstr(text, "reference kernel")        ? 3
                                                         : 0;
    call_end(&c);
    problem_free(&pb);
    return said;
}

/* In the folder, with this for SPBLAS_WISDOM. */
static int
in_process_by(const char *wisdom, spblasEffort_t effort)
{
    const pid_t child = fork();
    int how = 0;

    assert_true(child >= 0);
    if (child == 0)
        _exit(chdir(folder) || setenv("SPBLAS_WISDOM", wisdom, 1) ||
                      setenv("SPBLAS_JIT", "off", 1)
                  ? 0
                  : analysed(
                        effort)); /* an exhaustive search would compile for a minute */
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}

static int
in_process(spblasEffort_t effort)
{
    return in_process_by(path, effort);
}

/* First, before this process has threads of its own. */
static void
processes(void **state)
{
    const int first = in_process(SPBLAS_EFFORT_MEASURE);

    (void)state;
    if (first == 3)
        skip();
    assert_int_equal(first, 1);
    assert_int_equal(in_process(SPBLAS_EFFORT_MEASURE), 2);
    assert_int_equal(in_process(SPBLAS_EFFORT_ESTIMATE), 2);
    assert_int_equal(in_process(SPBLAS_EFFORT_EXHAUSTIVE), 1);
    assert_int_equal(in_process(SPBLAS_EFFORT_EXHAUSTIVE), 2);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(in_process(SPBLAS_EFFORT_MEASURE), 1);
    /* "off" is no file's name, so nothing is found again, nor left in the folder */
    assert_int_equal(in_process_by("off", SPBLAS_EFFORT_MEASURE), 1);
    assert_int_equal(in_process_by("off", SPBLAS_EFFORT_MEASURE), 1);
}

static void
arguments(void **state)
{
    size_t size = 3;
    char text[3];

    (void)state;
    TRY(BAD, "size", spblasExportWisdom(text, NULL));
    TRY(SPBLAS_STATUS_INSUFFICIENT_RESOURCES, "text", spblasExportWisdom(text, &size));
    assert_true(size > 40);
    TRY(BAD, "text", spblasImportWisdom(NULL));
    TRY(BAD, "line 1", spblasImportWisdom(""));
    TRY(BAD, "line 1", spblasImportWisdom("spblas wisdom 2\n"));
    TRY(BAD, "cut off", spblasImportWisdom("spblas wisdom 2\n"));
    TRY(BAD, "path", spblasExportWisdomToFile(NULL));
    TRY(BAD, "path", spblasExportWisdomToFile(""));
    TRY(BAD, "path", spblasImportWisdomFromFile(NULL));
    TRY(SPBLAS_STATUS_EXECUTION_FAILED, "no file", spblasImportWisdomFromFile(path));
    TRY(SPBLAS_STATUS_EXECUTION_FAILED, "cannot open",
        spblasExportWisdomToFile("/nowhere/at/all"));
    objects_judge();
}

static void
there_and_back(void **state)
{
    char first[4000], second[4000];
    size_t size = sizeof first;

    (void)state;
    objects_ok(spblasForgetWisdom());
    if (analysed(SPBLAS_EFFORT_MEASURE) == 3)
        skip();
    objects_ok(spblasExportWisdom(first, &size));
    assert_int_equal(size, strlen(first) + 1);
    assert_non_null(strstr(first, " measure "));
    objects_ok(spblasExportWisdomToFile(path));
    objects_ok(spblasForgetWisdom());
    assert_int_equal(analysed(SPBLAS_EFFORT_ESTIMATE) == 2, false);
    objects_ok(spblasImportWisdom(first));
    assert_int_equal(analysed(SPBLAS_EFFORT_ESTIMATE), 2);
    objects_ok(spblasForgetWisdom());
    objects_ok(spblasImportWisdomFromFile(path));
    assert_int_equal(analysed(SPBLAS_EFFORT_MEASURE), 2);
    size = sizeof second;
    objects_ok(spblasExportWisdom(second, &size));
    assert_string_equal(first, second);
    objects_ok(spblasForgetWisdom());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(processes, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(arguments, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(there_and_back, make_folder, remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
