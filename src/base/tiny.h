/*
 * Growth constants, in one place so that the "tiny" preset (SB_TINY) can shrink them:
 * there every growth path runs on the smallest input.
 */
#ifndef SB_BASE_TINY_H
#define SB_BASE_TINY_H

#ifdef SB_TINY
#define SB_ARENA_CHUNK 64 /* bytes of one arena chunk, header included */
#define SB_STRBUF_FIRST 7 /* bytes of a string buffer's first block */
#define SB_TABLE_FIRST 2  /* slots of a new hash table or list */
#define SB_ALLOC_FRESH ((size_t)16 << 10)
#define SB_NATIVE_LONG_ROW 12 /* columns from which on a row of SpGEMM is a block's */
#define SB_REF_CHUNK 20       /* entries that a reference kernel has at a time */
#else
#define SB_ARENA_CHUNK 65536
#define SB_STRBUF_FIRST 120
#define SB_TABLE_FIRST 64
#define SB_ALLOC_FRESH ((size_t)32 << 20) /* malloc maps such blocks anew anyway */
#define SB_NATIVE_LONG_ROW 1024
#define SB_REF_CHUNK 256
#endif

#endif
