/*
 * What the functions about descriptors, matrix descriptions, the log, versions and words
 * answer to ordinary and bad arguments. Needs neither handle nor GPU.
 */
#include "conform.h"

#include <dlfcn.h>
#include <stdio.h>

int
main(void)
{
    Dl_info info;

    if (dladdr((void *)(size_t)&cusparseCreate, &info))
        (void)fprintf(stderr, "library: %s\n", info.dli_fname);
    conform_vectors();
    conform_dense();
    conform_create();
    conform_getters();
    conform_setters();
    conform_management();
    conform_nulls();
    return 0;
}
