/*
 * What the root server of seL4 hands over of the kernel's own tools: its log as raw bytes, and the shares of the CPU. The bytes
 * are decoded here; numbers are ticks of the record's clock, insn where that counts instructions.
 */
#ifndef KB_TRACE_SEL4_LOG_H
#define KB_TRACE_SEL4_LOG_H

#include "types.h"
#include "stats/stats.h"

#define KB_SEL4_ENTRY_BYTES 24u
#define KB_SEL4_POINT_BYTES 16u
#define KB_SEL4_PATHS 8
extern const char *const kb_sel4_path_names[KB_SEL4_PATHS]; /* why the kernel was entered: "system call" ... */
enum { KB_SEL4_UNKNOWN_CALL = 2, KB_SEL4_CALL = 6 };

/* A kernel entry. */
struct kb_sel4_entry {
	uint64_t start;
	uint32_t duration;
	unsigned path;
	unsigned call, capability, invocation;  /* of a system call: number, type of the capability, label of the message */
	bool fastpath;
	unsigned core;                          /* of the other paths: core, and interrupt or what the kernel had to say */
	int32_t word;
};

/* Any bytes give an entry. */
struct kb_sel4_entry kb_sel4_entry_decode(const unsigned char bytes[KB_SEL4_ENTRY_BYTES]);

/* Entries of one kind and number. */
struct kb_sel4_row {
	struct kb_sel4_entry of;        /* the first of them */
	size_t count;
	double total, min, max;
	struct kb_interval median;      /* with its 95 % CI */
};

/* Of whom: the two threads of a test, the one that starts them, idle. Ticks. */
#define KB_SEL4_USERS 4
extern const char *const kb_sel4_user_names[KB_SEL4_USERS];
struct kb_sel4_shares { uint64_t tests, use[KB_SEL4_USERS], kernel, total; };

struct kb_sel4_log {
	char bench[64], clock[24];
	bool entries, points, shares_known;     /* what is there: a log of one kind or the other; shares */
	uint64_t index, room, operations, tests;   /* index: what the kernel counted */
	bool last;                              /* it is of the last test of a plan, before each of which it is emptied */
	char calls[16][16];                     /* names of system calls; empty: unknown */
	unsigned char *bytes;
	size_t length, bytes_room;
	struct kb_sel4_shares shares;
};

/* Of the first record of a console. 0; -ENOENT: nothing of seL4 in it; -EINVAL: damaged, error has the reason; -ENOMEM. To be freed in
   any case. */
int kb_sel4_log_read(struct kb_sel4_log *, const char *text, size_t length, char error[160]);
void kb_sel4_log_free(struct kb_sel4_log *);

/* Whole entries that are there; and how many the kernel had no room for, as far as its index tells: of entries it stops there. */
size_t kb_sel4_log_count(const struct kb_sel4_log *);
uint64_t kb_sel4_log_lost(const struct kb_sel4_log *);
bool kb_sel4_log_full(const struct kb_sel4_log *);

/* By kind and number, the largest total first; entry 0 is the call that emptied the log, and in no row. The caller's to free.
   NULL: no memory. */
struct kb_sel4_row *kb_sel4_log_rows(const struct kb_sel4_log *, size_t *count);

/* What its number means, its path aside: "Send cap 6 fast"; of an interrupt "5". */
void kb_sel4_row_name(const struct kb_sel4_log *, const struct kb_sel4_row *row, char *text, size_t room);

/* Of all shares; above 100 the counters are wrong, and none of them is to be believed. */
double kb_sel4_shares_percent(const struct kb_sel4_shares *);
bool kb_sel4_shares_credible(const struct kb_sel4_shares *);

/* A log of trace points as one of kbench_trace.h's, for kb_trace_read(): the pairs of `inner` lie in those of `outer` with nothing
   else, and tell what a pair costs. The caller's to free; NULL: error has the reason. */
char *kb_sel4_points_text(const struct kb_sel4_log *, unsigned outer, unsigned inner, size_t *length, char error[160]);

#endif
