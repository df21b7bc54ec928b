/* The tool `spblas`: one table of subcommands. */
#include "tool.h"

#include <stdio.h>
#include <string.h>

typedef struct command {
    const char *name, *help;
    int (*run)(int argc, char **argv);
} command;

static const command commands[] = {
    {"run", "analyse a matrix, compute, verify and time", tool_run},
    {"inspect", "statistics, plan and a picture of a matrix", tool_inspect},
    {"convert", "convert a matrix between formats, show arrays, time, check",
     tool_convert},
    {"gen", "make a matrix of a known kind", tool_gen},
    {"tune", "fit the planner's cost model to this machine, or report on it",
     tool_tune},
};

static void
usage(FILE *to)
{
    size_t k;

    fputs("usage: spblas COMMAND ...   (spblas COMMAND --help for its options)\n", to);
    for (k = 0; k < sizeof commands / sizeof *commands; k++)
        fprintf(to, "  %-8s %s\n", commands[k].name, commands[k].help);
    fputs("exit: 0 fine, 1 a result was wrong, 2 a mistake in the call or the input\n",
          to);
}

int
main(int argc, char **argv)
{
    size_t k;

    if (argc < 2) {
        usage(stderr);
        return TOOL_USAGE;
    }
    for (k = 0; k < sizeof commands / sizeof *commands; k++)
        if (strcmp(argv[1], commands[k].name) == 0)
            return commands[k].run(argc - 1, argv + 1);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return TOOL_OK;
    }
    tool_complain("unknown command '%s'", argv[1]);
    usage(stderr);
    return TOOL_USAGE;
}
