/*
 * The emulator's table, its one device, and memory. See emu.h.
 */
#include "gpu/emu_table.h"

#include "base/alloc.h"
#include "base/checked.h"
#include "base/fault.h"
#include "base/macro.h"
#include "base/sync.h"

#include <stdio.h>
#include <string.h>

enum { ZONE = 256, ALIGN = 256, UNTOUCHED = 0xff, CONTEXTS_MAX = 16, LATE_MAX = 64 };

/* A block of device memory: this record, a red zone, the bytes, another. */
typedef struct block {
    struct block *next;
    unsigned char *data;
    size_t bytes;
} block;

static sb_mutex lock = SB_MUTEX_INIT;
static block *blocks;
static sb_emu_counts counts;
static int captures;
static char primary; /* its address is the context */
static _Thread_local sb_cu_ptr context[CONTEXTS_MAX];
static _Thread_local int contexts;
static _Thread_local char error[SB_EMU_ERROR];

const sb_driver *
sb_emu_driver(void)
{
    static const sb_driver table = {
        .arch = "emu",
        .can_compile = true,
#define CU(member, symbol, parameters) .member = sb_emu_##member,
#define RTC(member, symbol, parameters) .member = sb_emu_##member,
#include "gpu/driver.def"
#undef CU
#undef RTC
    };

    return &table;
}

char *
sb_emu_error(void)
{
    return error;
}

/* ---- counters --------------------------------------------------------------------------- */

bool
sb_emu_note(sb_emu_event e)
{
    bool fine = e == SB_EMU_LAUNCH || e == SB_EMU_COMPILE || e == SB_EMU_CAPTURE_END;

    sb_mutex_lock(&lock);
    fine |= captures == 0;
    if (fine) {
        counts.allocs += e == SB_EMU_ALLOC;
        counts.waits += e == SB_EMU_WAIT;
        counts.copies += e == SB_EMU_COPY;
        counts.compiles += e == SB_EMU_COMPILE;
        counts.loads += e == SB_EMU_LOAD;
        counts.launches += e == SB_EMU_LAUNCH;
        captures += (e == SB_EMU_CAPTURE) - (e == SB_EMU_CAPTURE_END);
    }
    sb_mutex_unlock(&lock);
    return fine;
}

sb_emu_counts
sb_emu_count(void)
{
    sb_emu_counts c;

    sb_mutex_lock(&lock);
    c = counts;
    for (const block *b = blocks; b; b = b->next)
        c.blocks++;
    sb_mutex_unlock(&lock);
    return c;
}

/* ---- the device and its context ----------------------------------------------------------- */

int
sb_emu_init(unsigned flags)
{
    return flags ? SB_CU_INVALID_VALUE : 0;
}

int
sb_emu_driver_version(int *version)
{
    *version = 12000;
    return 0;
}

int
sb_emu_device_count(int *count)
{
    *count = 1;
    return 0;
}

int
sb_emu_device_get(int *device, int ordinal)
{
    *device = 0;
    return ordinal ? SB_CU_INVALID_VALUE : 0;
}

int
sb_emu_device_name(char *name, int size, int device)
{
    (void)device;
    (void)snprintf(name, (size_t)size, "emulated GPU");
    return 0;
}

int
sb_emu_device_attribute(int *value, int attribute, int device)
{
    (void)device;
    *value = attribute == SB_CU_CC_MAJOR   ? 9
             : attribute == SB_CU_SM_COUNT ? 4
             : attribute == SB_CU_L2_BYTES ? 1 << 20
                                           : 0;
    return 0;
}

static void
hold_primary(int change)
{
    sb_mutex_lock(&lock);
    counts.contexts += change;
    sb_mutex_unlock(&lock);
}

int
sb_emu_primary_retain(sb_cu_ptr *out, int device)
{
    (void)device;
    hold_primary(1);
    *out = &primary;
    return 0;
}

int
sb_emu_primary_release(int device)
{
    (void)device;
    hold_primary(-1);
    return 0;
}

int
sb_emu_context_current(sb_cu_ptr *out)
{
    *out = contexts ? context[contexts - 1] : NULL;
    return 0;
}

int
sb_emu_context_device(int *device)
{
    *device = 0;
    return contexts ? 0 : SB_CU_INVALID_VALUE;
}

int
sb_emu_context_push(sb_cu_ptr c)
{
    if (contexts == CONTEXTS_MAX)
        return SB_CU_OUT_OF_MEMORY;
    context[contexts++] = c;
    return 0;
}

int
sb_emu_context_pop(sb_cu_ptr *out)
{
    if (!contexts)
        return SB_CU_INVALID_VALUE;
    *out = context[--contexts];
    return 0;
}

int
sb_emu_error_text(int code, const char **text)
{
    static const struct {
        int code;
        const char *text;
    } row[] = {{SB_CU_INVALID_VALUE, "invalid argument"},
               {SB_CU_OUT_OF_MEMORY, "out of memory"},
               {SB_CU_NO_DEVICE, "no CUDA-capable device is detected"},
               {SB_CU_INVALID_IMAGE, "device kernel image is invalid"},
               {SB_CU_NOT_FOUND, "named symbol not found"},
               {SB_CU_CAPTURE_UNSUPPORTED,
                "operation not permitted when stream is capturing"}};

    *text = code == SB_CU_LAUNCH_FAILED ? error : NULL;
    for (int q = 0; q < SB_COUNT(row); q++)
        if (row[q].code == code)
            *text = row[q].text;
    return *text ? 0 : SB_CU_INVALID_VALUE;
}

/* ---- memory ------------------------------------------------------------------------------- */

/* Offset from the data of the first byte of either zone that was written, 0 if none. */
static long long
damage(const block *b)
{
    if (SB_FAULT(GPU_ZONE))
        return 0;
    for (int q = 1; q <= ZONE; q++) {
        if (b->data[-q] != UNTOUCHED)
            return -q;
        if (b->data[b->bytes + (size_t)q - 1] != UNTOUCHED)
            return (long long)b->bytes + q - 1;
    }
    return 0;
}

static bool
intact(const block *b)
{
    const long long at = damage(b);

    if (at)
        (void)snprintf(error, sizeof error,
                       "a block of %zu bytes was written past its ends, at byte %lld",
                       b->bytes, at);
    return !at;
}

bool
sb_emu_intact(void)
{
    bool fine = true;

    sb_mutex_lock(&lock);
    for (const block *b = blocks; b && fine; b = b->next)
        fine = intact(b);
    sb_mutex_unlock(&lock);
    return fine;
}

int
sb_emu_alloc(sb_cu_mem *out, size_t bytes)
{
    const size_t more = sizeof(block) + 2 * ZONE + ALIGN;
    block *b;

    if (bytes == 0)
        return SB_CU_INVALID_VALUE;
    if (!sb_emu_note(SB_EMU_ALLOC))
        return SB_CU_CAPTURE_UNSUPPORTED;
    b = bytes > SIZE_MAX - more ? NULL : sb_alloc(bytes + more);
    if (!b)
        return SB_CU_OUT_OF_MEMORY;
    b->bytes = bytes;
    b->data = (unsigned char *)(((uintptr_t)(b + 1) + ZONE + ALIGN - 1) &
                                ~(uintptr_t)(ALIGN - 1));
    memset(b->data - ZONE, UNTOUCHED, bytes + 2 * ZONE);
    sb_mutex_lock(&lock);
    b->next = blocks;
    blocks = b;
    sb_mutex_unlock(&lock);
    *out = (uintptr_t)b->data;
    return 0;
}

int
sb_emu_free(sb_cu_mem memory)
{
    block *found;
    bool fine;

    if (!memory)
        return 0;
    if (!sb_emu_note(SB_EMU_FREE))
        return SB_CU_CAPTURE_UNSUPPORTED;
    sb_emu_settle();
    sb_mutex_lock(&lock);
    block **at = &blocks;
    while (*at && (uintptr_t)(*at)->data != memory)
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    sb_mutex_unlock(&lock);
    if (!found)
        return SB_CU_INVALID_VALUE;
    fine = intact(found);
    sb_free(found);
    return fine ? 0 : SB_CU_LAUNCH_FAILED;
}

int
sb_emu_place(void *value, int attribute, sb_cu_mem pointer)
{
    int place = SB_CU_MEMORY_UNIFIED;

    sb_mutex_lock(&lock);
    for (const block *b = blocks; b; b = b->next)
        if (pointer >= (uintptr_t)b->data && pointer <= (uintptr_t)b->data + b->bytes)
            place = SB_CU_MEMORY_DEVICE;
    sb_mutex_unlock(&lock);
    if (attribute == SB_CU_MEMORY_TYPE)
        *(int *)value = place;
    else if (attribute == SB_CU_IS_MANAGED)
        *(int *)value = place == SB_CU_MEMORY_UNIFIED;
    else
        return SB_CU_INVALID_VALUE;
    return 0;
}

/* ---- copies ------------------------------------------------------------------------------- */

/* Copies to the host that nobody has waited for: they are done when somebody does, or when
 * the next thing is asked of the device. Until then `to` holds no data. */
static struct late {
    void *to;
    const void *from;
    size_t bytes;
    sb_cu_ptr stream;
} late[LATE_MAX];
static int nlate; /* under the lock */

static void
settle(bool all, sb_cu_ptr stream)
{
    int left = 0;

    sb_mutex_lock(&lock);
    for (int q = 0; q < nlate; q++)
        if (all || late[q].stream == stream)
            memcpy(late[q].to, late[q].from, late[q].bytes);
        else
            late[left++] = late[q];
    nlate = left;
    sb_mutex_unlock(&lock);
}

void
sb_emu_settle(void)
{
    settle(true, NULL);
}

void
sb_emu_settle_stream(sb_cu_ptr stream)
{
    settle(false, stream);
}

int
sb_emu_download(void *to, sb_cu_mem from, size_t bytes, sb_cu_ptr stream)
{
    bool room;

    if (!sb_emu_note(SB_EMU_COPY))
        return SB_CU_CAPTURE_UNSUPPORTED;
    sb_mutex_lock(&lock);
    room = nlate < LATE_MAX;
    if (room) {
        late[nlate++] = (struct late){to, (const void *)(uintptr_t)from, bytes, stream};
        memset(to, UNTOUCHED, bytes);
    }
    sb_mutex_unlock(&lock);
    if (room)
        return 0;
    sb_emu_settle();
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

int
sb_emu_upload(sb_cu_mem to, const void *from, size_t bytes, sb_cu_ptr stream)
{
    (void)stream;
    if (!sb_emu_note(SB_EMU_COPY))
        return SB_CU_CAPTURE_UNSUPPORTED;
    sb_emu_settle();
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

int
sb_emu_fill(sb_cu_mem to, unsigned char byte, size_t bytes, sb_cu_ptr stream)
{
    (void)stream;
    if (!sb_emu_note(SB_EMU_COPY))
        return SB_CU_CAPTURE_UNSUPPORTED;
    sb_emu_settle();
    memset((void *)(uintptr_t)to, byte, bytes);
    return 0;
}
