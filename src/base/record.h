/*
 * The record: the text that a collector emits, and the only thing that analysis reads. doc/record.md describes it.
 * Reader and writer need no libc and no allocation; both work line by line.
 *
 * The words of version 2: kbench-record, the header words bench per bound method param clock env expect note module
 * fault, the data words o b q c p e eb k, and fail, end. The CRC covers exactly their lines (CR stripped, each with
 * one newline, `end` itself excluded); every other line is foreign, so a console may print between ours. Version 1, which
 * is still read, has s for p, and no contention probes.
 */
#ifndef KB_BASE_RECORD_H
#define KB_BASE_RECORD_H

#include "types.h"
#include "base/text.h"

#define KB_RECORD_VERSION 2         /* that is written; 1 is read, too */
#define KB_RECORD_LINE_MAX 4096         /* bytes of one line, newline included */

/* What disturbed a sample. Names in kb_flag_names, same order. */
enum kb_flag {
	KB_FLAG_WARMUP = 1 << 0, KB_FLAG_IRQ = 1 << 1, KB_FLAG_SWITCH = 1 << 2, KB_FLAG_MIGRATED = 1 << 3,
	KB_FLAG_FAULT = 1 << 4, KB_FLAG_STEAL = 1 << 5, KB_FLAG_GAP = 1 << 6, KB_FLAG_BACKWARDS = 1 << 7,
	KB_FLAG_REFUTED = 1 << 8        /* by the benchmark's own check; the field `refuted` has its words */
};
#define KB_FLAGS 9
extern const char *const kb_flag_names[KB_FLAGS]; /* warmup irq ctxsw migrated fault steal gap backwards refuted */

enum kb_role { KB_ROLE_OP = 'o', KB_ROLE_BASE = 'b', KB_ROLE_SINGLE = 'q', KB_ROLE_CLOCK = 'c' };

/* Ticks of the contention probes before and after a sample; 0: there was none. */
struct kb_around { uint64_t before, after; };

/* Of an operation that marked points (kb_part): the ticks up to one, and the contention probe at it, which is in no part; 0: there was
   none, which is so at the end of the last part, whose probe is that after the sample. */
struct kb_part { uint64_t ticks, probe; };
#define KB_PARTS_MAX 192        /* of a sample: so many fit into a line */

/* One sample. */
struct kb_obs {
	enum kb_role role;
	uint64_t n;             /* operations; 0 for an empty clock pair */
	uint64_t ticks;
	uint64_t t;             /* ticks from the process's first sample to the start of this one */
	uint64_t block;
	unsigned cpu;
	unsigned flags;
	struct kb_around around;
	/* Further key=value fields, as they stand in the line. Reading: from the first unknown one to the end of the line. */
	struct kb_span extra;
	unsigned part_count;                    /* 0: nothing divides it */
	const struct kb_part *parts;            /* writing */
	struct kb_span part_text;               /* reading: what kb_record_part takes */
	uint64_t twin;          /* ticks of a sample of the same n on the reference next to it; 0: there is none, or it was disturbed */
};

/* Covariates of a chase's samples, from which the result learns where loads are served from: ticks of the next load of the ring alone, of
   the same when no cache has the line, and when the first one has it. */
#define KB_LOAD_RING "ticks.load"
#define KB_LOAD_MEMORY "ticks.flushed"
#define KB_LOAD_FIRST "ticks.again"

/* A clock probe: n dependent additions. */
struct kb_probe_line { char name[16]; uint64_t n, ticks, block; struct kb_around around; };

/* Takes the next part off an observation's text. False: it has no more, or what follows is none. */
bool kb_record_part(struct kb_span *text, struct kb_part *part);

#define KB_RECORD_COUNTER_MAX 64        /* bytes of a counter's name with its null byte */

struct kb_evidence {
	char counter[KB_RECORD_COUNTER_MAX];
	char who[8];            /* self peer all */
	bool base;              /* an `eb` line */
	uint64_t count, operations, samples;
};

/* ---- writing ---------------------------------------------------------------------------------- */

/* Where bytes go. Returns 0 or -errno; after an error the writer stays silent and keeps it. */
struct kb_sink {
	int (*write)(void *context, const char *bytes, size_t count);
	void *context;
};

/* What `end` counts. */
struct kb_record_counts { uint64_t observations, bases, singles, evidence; };

struct kb_record_writer {
	struct kb_sink sink;
	uint32_t crc;
	struct kb_record_counts counts;
	int error;
};

void kb_record_begin(struct kb_record_writer *, struct kb_sink sink);

/* Any header or extension line: word, a blank, then `rest` as it is. No newline inside (they become blanks). */
void kb_record_line(struct kb_record_writer *, const char *word, const char *rest);
void kb_record_obs(struct kb_record_writer *, const struct kb_obs *);
void kb_record_probe(struct kb_record_writer *, const struct kb_probe_line *);
void kb_record_evidence(struct kb_record_writer *, const struct kb_evidence *);

/* Where an error is due and the text says it all: the record has errno=0, which as -errno would be no failure. Above all
   numbers of Linux. */
#define KB_NO_ERRNO 4096

/* note CODE "why", by the names of base/verdict.h. need_unmet before a fail line makes the result `skipped`: the machine lacks something. */
void kb_record_note(struct kb_record_writer *, const char *code, const char *why);

/* fail stage=op errno=5 "short read" */
void kb_record_fail(struct kb_record_writer *, const char *stage, int error, const char *detail);

/* `end` with counts and CRC. Returns the writer's error. */
int kb_record_end(struct kb_record_writer *);

/* ---- reading ---------------------------------------------------------------------------------- */

enum kb_line_kind {
	KB_LINE_NONE,           /* no more lines */
	KB_LINE_FOREIGN,        /* a first word that the record's version does not have: a console log, a later addition. Skipped, counted */
	KB_LINE_BEGIN, KB_LINE_HEADER, KB_LINE_OBS, KB_LINE_PROBE, KB_LINE_EVIDENCE, KB_LINE_BLOCK, KB_LINE_FAIL, KB_LINE_END
};

struct kb_line {
	enum kb_line_kind kind;
	struct kb_span word, rest;      /* HEADER: first word and what follows it */
	struct kb_obs obs;
	struct kb_probe_line probe;
	struct kb_evidence evidence;
	struct { uint64_t index; struct kb_span rest; } block;                  /* `k 7 steal=0 irq=3` */
	struct { char stage[16]; int error; char detail[256]; } fail;
};

enum kb_record_state {
	KB_RECORD_OPEN,         /* no `end` seen: cut off, or still growing */
	KB_RECORD_WHOLE,        /* `end` seen, counts and CRC agree */
	KB_RECORD_FAILED,       /* a `fail` line stands instead of the end */
	KB_RECORD_GARBLED,      /* counts or CRC disagree, or a line of ours is malformed */
	KB_RECORD_VERSION_UNKNOWN,
	KB_RECORD_NOT_A_RECORD  /* no `kbench-record` line */
};

struct kb_record_reader {
	struct kb_span rest;
	enum kb_record_state state;
	bool begun;
	unsigned version;
	uint32_t crc;
	uint64_t line, foreign;                         /* line: number of the last line read, from 1 */
	struct kb_record_counts counts;
};

/* The text stays the caller's and must outlive the reader. Any bytes are safe. */
void kb_record_open(struct kb_record_reader *, const char *text, size_t length);

/* Reads one line. Returns its kind; KB_LINE_NONE at the end of text, after `end`, or once the state is an error. */
enum kb_line_kind kb_record_next(struct kb_record_reader *, struct kb_line *line);

/* For writer and reader, who must agree: the kind of line that a first word makes, KB_LINE_FOREIGN for any word that this version does not
   have, and the count of such a line. A word that one of both did not know would be in one CRC and not in the other. */
enum kb_line_kind kb_record_word_kind(struct kb_span word, unsigned version);
void kb_record_count(struct kb_record_counts *, struct kb_span word);

/* What the record turned out to be; `words` for people. Call after KB_LINE_NONE. */
const char *kb_record_state_words(enum kb_record_state);

/* Header fields: value of key= in a `key=value ...` rest, unquoted into buffer; -1 if absent or too long. */
int kb_record_field(struct kb_span rest, const char *key, char *buffer, size_t room);
bool kb_record_field_u64(struct kb_span rest, const char *key, uint64_t *value);

#endif
