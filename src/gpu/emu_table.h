/*
 * Inside the emulator: its functions, by the table of the driver's, and what they share.
 */
#ifndef SB_GPU_EMU_TABLE_H
#define SB_GPU_EMU_TABLE_H

#include "gpu/emu.h"

#define CU(member, symbol, parameters) int sb_emu_##member parameters;
#define RTC(member, symbol, parameters) int sb_emu_##member parameters;
#include "gpu/driver.def"
#undef CU
#undef RTC

/* What is counted, and streams capturing; all under the emulator's lock. */
typedef enum sb_emu_event {
    SB_EMU_ALLOC,
    SB_EMU_FREE,
    SB_EMU_WAIT,
    SB_EMU_COPY,
    SB_EMU_COMPILE,
    SB_EMU_LOAD,
    SB_EMU_LAUNCH,
    SB_EMU_CAPTURE,
    SB_EMU_CAPTURE_END
} sb_emu_event;

/* Counts it. False: not while a stream captures. */
bool sb_emu_note(sb_emu_event e);

/* The sentence behind this thread's last SB_CU_LAUNCH_FAILED; SB_EMU_ERROR bytes. */
char *sb_emu_error(void);

/* Does the copies to the host that nobody has waited for; of one stream. */
void sb_emu_settle(void);
void sb_emu_settle_stream(sb_cu_ptr stream);

/* Looks at the red zones of all blocks; false: one is damaged, and sb_emu_error tells. */
bool sb_emu_intact(void);

#endif
