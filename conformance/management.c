/* Versions, words, the log's switches, matrix descriptions and state objects. */
#include "conform.h"

#include <stdio.h>

static void
words(void)
{
    const cusparseStatus_t st = (cusparseStatus_t)PICK(
        "status", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -1, 1000, INT32_MAX);

    conform_row("cusparseGetErrorName", 0, "%s", cusparseGetErrorName(st));
    conform_row("cusparseGetErrorString", 0, "%s", cusparseGetErrorString(st));
}

static void
version(void)
{
    const libraryPropertyType which = (libraryPropertyType)PICK("type", 0, 1, 2, 3, -1);
    int value = -7, *const to = conform_out("value", &value);
    int status = CALL(cusparseGetProperty(which, to));

    conform_row("cusparseGetProperty", status, "%d", value);
    status = CALL(cusparseGetVersion(NULL, to));
    conform_row("cusparseGetVersion", status, "%d", value);
}

static void
description(void)
{
    const bool there = PICK("descr", 1, 0) == 1;
    cusparseMatDescr_t made = NULL, d;
    int status = CALL(cusparseCreateMatDescr(conform_out("out", &made)));
    const int type = (int)PICK("type", 0, 1, 2, 3, 4, -1);
    const int fill = (int)PICK("fill", 0, 1, 2, -1);
    const int diag = (int)PICK("diag", 0, 1, 2, -1);
    const int base = (int)PICK("base", 0, 1, 2, -1);

    d = there ? made : NULL;
    conform_row("cusparseCreateMatDescr", status, "%d %d %d %d",
                (int)cusparseGetMatType(d), (int)cusparseGetMatFillMode(d),
                (int)cusparseGetMatDiagType(d), (int)cusparseGetMatIndexBase(d));
    status = CALL(cusparseSetMatType(d, (cusparseMatrixType_t)type));
    conform_row("cusparseSetMatType", status, "%d", (int)cusparseGetMatType(d));
    status = CALL(cusparseSetMatFillMode(d, (cusparseFillMode_t)fill));
    conform_row("cusparseSetMatFillMode", status, "%d", (int)cusparseGetMatFillMode(d));
    status = CALL(cusparseSetMatDiagType(d, (cusparseDiagType_t)diag));
    conform_row("cusparseSetMatDiagType", status, "%d", (int)cusparseGetMatDiagType(d));
    status = CALL(cusparseSetMatIndexBase(d, (cusparseIndexBase_t)base));
    conform_row("cusparseSetMatIndexBase", status, "%d",
                (int)cusparseGetMatIndexBase(d));
    status = CALL(cusparseDestroyMatDescr(d));
    conform_status("cusparseDestroyMatDescr", status);
    if (!there)
        (void)cusparseDestroyMatDescr(made);
}

/* One kind of state object: made, ended, and both without a place. */
#define STATE(create, destroy, type)                                                   \
    do {                                                                               \
        type made = NULL;                                                              \
        int status = CALL(create(conform_out(#create, &made)));                        \
                                                                                       \
        conform_row(#create, status, "%s", conform_pointer(made));                     \
        status =                                                                       \
            status == CUSPARSE_STATUS_SUCCESS ? CALL(destroy(made)) : CONFORM_SKIPPED; \
        conform_status(#destroy, status);                                              \
        status = CALL(destroy(NULL));                                                  \
        conform_row(#destroy, status, "NULL");                                         \
    } while (0)

static void
states(void)
{
    STATE(cusparseCreateCsric02Info, cusparseDestroyCsric02Info, csric02Info_t);
    STATE(cusparseCreateBsric02Info, cusparseDestroyBsric02Info, bsric02Info_t);
    STATE(cusparseCreateCsrilu02Info, cusparseDestroyCsrilu02Info, csrilu02Info_t);
    STATE(cusparseCreateBsrilu02Info, cusparseDestroyBsrilu02Info, bsrilu02Info_t);
    STATE(cusparseCreateBsrsv2Info, cusparseDestroyBsrsv2Info, bsrsv2Info_t);
    STATE(cusparseCreateBsrsm2Info, cusparseDestroyBsrsm2Info, bsrsm2Info_t);
    STATE(cusparseCreateCsru2csrInfo, cusparseDestroyCsru2csrInfo, csru2csrInfo_t);
    STATE(cusparseCreateColorInfo, cusparseDestroyColorInfo, cusparseColorInfo_t);
    STATE(cusparseCreatePruneInfo, cusparseDestroyPruneInfo, pruneInfo_t);
    STATE(cusparseSpSV_createDescr, cusparseSpSV_destroyDescr, cusparseSpSVDescr_t);
    STATE(cusparseSpSM_createDescr, cusparseSpSM_destroyDescr, cusparseSpSMDescr_t);
    STATE(cusparseSpGEMM_createDescr, cusparseSpGEMM_destroyDescr,
          cusparseSpGEMMDescr_t);
}

static void
products(void)
{
    cusparseSpGEMMDescr_t descr = NULL;
    int64_t count = -7, *const to = conform_out("count", &count);
    const bool there = PICK("descr", 1, 0) == 1;
    int status;

    (void)cusparseSpGEMM_createDescr(&descr);
    status = CALL(cusparseSpGEMM_getNumProducts(there ? descr : NULL, to));
    conform_row("cusparseSpGEMM_getNumProducts", status, "%lld", (long long)count);
    (void)cusparseSpGEMM_destroyDescr(descr);
}

/* Only statuses: the log stays off. */
static void
log_switches(void)
{
    const int level = (int)PICK("level", 0, -1, -100);
    FILE *const file = conform_out("file", stderr);
    int status = CALL(cusparseLoggerSetLevel(level));

    conform_status("cusparseLoggerSetLevel", status);
    status = CALL(cusparseLoggerSetFile(file));
    conform_status("cusparseLoggerSetFile", status);
    status = CALL(cusparseLoggerSetFile(stderr));
    conform_status("cusparseLoggerSetFile", status);
    status = CALL(cusparseLoggerSetCallback(NULL));
    conform_status("cusparseLoggerSetCallback", status);
    status = CALL(cusparseLoggerOpenFile("/nonexistent/folder/log"));
    conform_status("cusparseLoggerOpenFile", status);
    status = CALL(cusparseLoggerOpenFile(NULL));
    conform_row("cusparseLoggerOpenFile", status, "NULL");
    status = CALL(cusparseLoggerSetFile(stderr));
    conform_status("cusparseLoggerSetFile", status);
}

static void
masks(void)
{
    int status = CALL(cusparseLoggerSetMask((int)PICK("mask", 0, 1, 31, -1, 1 << 20)));

    conform_status("cusparseLoggerSetMask", status);
    status = CALL(cusparseLoggerSetMask(0));
    conform_row("cusparseLoggerSetMask", status, "0");
    status = CALL(cusparseLoggerSetLevel((int)PICK("level", 1, 2, 3, 4, 5, 6, 100)));
    conform_status("cusparseLoggerSetLevel", status);
    status = CALL(cusparseLoggerSetLevel(0));
    conform_row("cusparseLoggerSetLevel", status, "0");
}

void
conform_management(void)
{
    conform_explore(words);
    conform_explore(version);
    conform_explore(description);
    conform_explore(states);
    conform_explore(products);
    conform_explore(log_switches);
    conform_explore(masks);
}
