/*
 * kbench_yamba.h - what the C text of a translated Yamba program stands on: fragments of machine code, the steps of a
 * composer, the tables that describe a program, and the calls that make it a benchmark. It needs no other header of
 * KBench, so that a program can be compiled and used alone.
 */
#ifndef KBENCH_YAMBA_H
#define KBENCH_YAMBA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct kb_bits;                 /* the code that is being composed */
struct kb_run;                  /* of kbench.h */

/* ---- numbers ------------------------------------------------------------------------------------- */

/* An integer of C with its sign: 64 bits hold both -1 and 2^64 - 1, and a hole must tell them apart. */
struct kb_value { uint64_t bits; bool negative; };

static inline struct kb_value kb_value_signed(int64_t number)
{
	return (struct kb_value){ (uint64_t)number, number < 0 };
}

static inline struct kb_value kb_value_unsigned(uint64_t number)
{
	return (struct kb_value){ number, false };
}

static inline struct kb_value kb_value_pointer(const volatile void *address)
{
	return (struct kb_value){ (uintptr_t)address, false };
}

/* Of any integer or pointer expression, which is evaluated once; a floating one does not compile. */
#define KB_VALUE(x) _Generic((x), \
	char: kb_value_signed, signed char: kb_value_signed, short: kb_value_signed, int: kb_value_signed, \
	long: kb_value_signed, long long: kb_value_signed, _Bool: kb_value_unsigned, \
	unsigned char: kb_value_unsigned, unsigned short: kb_value_unsigned, unsigned: kb_value_unsigned, \
	unsigned long: kb_value_unsigned, unsigned long long: kb_value_unsigned, \
	default: kb_value_pointer)(x)

static inline bool kb_value_between(struct kb_value value, int64_t min, uint64_t max)
{
	if (!value.negative)
		return value.bits <= max && (min <= 0 || value.bits >= (uint64_t)min);
	return (int64_t)value.bits < 0 && (int64_t)value.bits >= min;
}

/* ---- fragments ----------------------------------------------------------------------------------- */

/* Where a relocation of the assembler left a place in a fragment. */
struct kb_hole {
	int64_t addend;
	uint32_t offset;                /* in the fragment */
	uint32_t value;                 /* which of the fragment's values; of a label hole: which of its labels */
	uint32_t line;
	uint16_t relocation;            /* index in the target's table: an address in another object is no constant */
	bool paired;                    /* a low part whose high part checks the number */
	uint8_t bytes;                  /* that the number takes, least significant first; 0: it takes another form */
	int64_t min;                    /* of the number, where it has bytes */
	uint64_t max;
};

/* Where a register's number is in a fragment: each bit in which it differs from the base turns the same bits of the code round. */
#define KB_REGISTER_BITS 5
#define KB_REGISTER_BYTES 16
struct kb_register_hole {
	uint32_t offset;                /* in the fragment */
	uint32_t value;                 /* which of the fragment's values */
	uint32_t line;
	uint32_t allowed;               /* a bit for each number that can be chosen */
	uint8_t base;                   /* the number that the fragment has */
	uint8_t bytes;                  /* that may differ */
	uint8_t masks[KB_REGISTER_BITS][KB_REGISTER_BYTES];
};

/* A label of the composed function that the fragment uses or defines. */
struct kb_label {
	const char *name;               /* without the @ */
	uint32_t offset, line;
	bool defined;                   /* here, at the offset */
};

struct kb_fragment {
	const char *class, *member;     /* where it is written, for messages and listings */
	const char *file;
	uint32_t line;
	uint32_t count;                 /* bytes, in memory order */
	const uint8_t *bytes;
	const struct kb_hole *holes;
	const struct kb_label *labels;
	const struct kb_register_hole *registers;
	uint32_t hole_count, label_count, register_count;
};

/* A Yamba function, or an unroll: what a composer enters with a value for each name. An unroll has no member. */
struct kb_scope {
	const char *class, *member;
	const char *const *names;
	uint32_t name_count;
};

/* Where literal bytes, casts and alignments are written. */
struct kb_bits_place { const char *class, *member, *file; uint32_t line; };

/* ---- the steps of a composer --------------------------------------------------------------------- */

/* The first error sticks and every later step does nothing, so that a composer checks nothing between its steps. */

/* Around what a Yamba function, or one turn of an unroll, appends. One value for each name of the scope. False after an error:
   the composer ends then, which might call others for ever before it did by itself. */
bool kb_bits_enter(struct kb_bits *, const struct kb_scope *, const struct kb_value *values);
void kb_bits_leave(struct kb_bits *);

/* The first member of struct kb_bits. Where nobody wants to know who wrote which byte, entering is counting. */
struct kb_bits_head {
	uint64_t steps;                 /* that can be taken without a call; 0: the call decides */
	uint8_t *at;
	size_t used, room;              /* bytes of it */
};

static inline bool kb_bits_step(struct kb_bits *bits)
{
	struct kb_bits_head *head = (struct kb_bits_head *)(void *)bits;

	return head->steps && head->steps--;
}

/* Leaving is for those who take notes. */
static inline void kb_bits_step_back(struct kb_bits *bits)
{
	if (!((const struct kb_bits_head *)(void *)bits)->steps)
		kb_bits_leave(bits);
}

/* A fragment with its holes filled: one value for each number that its holes name. */
void kb_bits_append(struct kb_bits *, const struct kb_fragment *, const struct kb_value *values);

/* The same for a fragment without labels and registers whose holes all have bytes, where the compiler sees it: a copy of known length, and numbers
   within known limits. Everything else is what the call is for. */
static inline void kb_bits_put(struct kb_bits *bits, const struct kb_fragment *fragment, const struct kb_value *values)
{
	struct kb_bits_head *head = (struct kb_bits_head *)(void *)bits;
	bool fits = head->steps && head->room - head->used >= fragment->count;
	uint8_t *at = head->at + head->used;

	for (uint32_t i = 0; i < fragment->hole_count; i++)
		fits &= kb_value_between(values[fragment->holes[i].value], fragment->holes[i].min, fragment->holes[i].max);
	if (!fits) {
		kb_bits_append(bits, fragment, values);
		return;
	}
	__builtin_memcpy(at, fragment->bytes, fragment->count);
	for (uint32_t i = 0; i < fragment->hole_count; i++)
		__builtin_memcpy(at + fragment->holes[i].offset, &values[fragment->holes[i].value].bits, fragment->holes[i].bytes);
	head->used += fragment->count;
}

/* A Yamba function that is nothing but fragments without numbers: as data, for a table of instructions has thousands, and each function
   takes the compiler milliseconds. */
struct kb_plain { struct kb_scope scope; const struct kb_fragment *const *fragments; };         /* NULL at the end */

void kb_bits_plain(struct kb_bits *, const struct kb_plain *);

/* A bitstring as an argument: what composes it, or what it is. */
struct kb_bitstring { void (*compose)(struct kb_bits *); const struct kb_plain *plain; };

void kb_bits_value(struct kb_bits *, const struct kb_bitstring *);

/* Literal bytes: 0x8B83 is 8B, then 83. */
void kb_bits_bytes(struct kb_bits *, const struct kb_bits_place *, const uint8_t *bytes, size_t count);

/* le8 .. le64, be16 .. be64. A value that fits neither as signed nor as unsigned is Y301. */
void kb_bits_le(struct kb_bits *, const struct kb_bits_place *, unsigned width_bits, struct kb_value);
void kb_bits_be(struct kb_bits *, const struct kb_bits_place *, unsigned width_bits, struct kb_value);

/* Nops up to the next multiple of n, a power of two, counted from the start of the composed function. */
void kb_bits_align(struct kb_bits *, const struct kb_bits_place *, struct kb_value n);

/* ---- a program ----------------------------------------------------------------------------------- */

enum kb_yamba_type { KB_YAMBA_SIGNED, KB_YAMBA_UNSIGNED, KB_YAMBA_REAL, KB_YAMBA_TEXT, KB_YAMBA_BOOLEAN, KB_YAMBA_BITSTRING };

/* Of an enumeration. */
struct kb_yamba_constant { const char *name; long long value; };

struct kb_yamba_param {
	const char *name, *summary;
	const char *class_name, *file;  /* where it is declared */
	uint32_t line;
	enum kb_yamba_type type;
	uint8_t bytes;                  /* of the object: 1 2 4 8; KB_YAMBA_REAL 4 8; KB_YAMBA_TEXT: a `char *` */
	bool set;                       /* it has a value */
	void *at;
	const struct kb_yamba_constant *constants;      /* end with a NULL name; or NULL */
};

/* One member of the structure of arguments of an entry. Without its table `show` cannot compose the entry. */
struct kb_yamba_argument { const char *name; size_t offset, bytes; enum kb_yamba_type type; };

#define KB_YAMBA_TYPE_OF(x) _Generic((x), \
	char: KB_YAMBA_SIGNED, signed char: KB_YAMBA_SIGNED, short: KB_YAMBA_SIGNED, int: KB_YAMBA_SIGNED, \
	long: KB_YAMBA_SIGNED, long long: KB_YAMBA_SIGNED, float: KB_YAMBA_REAL, double: KB_YAMBA_REAL, \
	char *: KB_YAMBA_TEXT, const char *: KB_YAMBA_TEXT, _Bool: KB_YAMBA_BOOLEAN, \
	const struct kb_bitstring *: KB_YAMBA_BITSTRING, default: KB_YAMBA_UNSIGNED)

/* { KB_YAMBA_ARGUMENT(struct y_args_f, m), { 0 } } */
#define KB_YAMBA_ARGUMENT(of, member) \
	{ #member, offsetof(of, member), sizeof(((of *)0)->member), KB_YAMBA_TYPE_OF(((of *)0)->member) }

/*
 * What an entry was composed to, by a hash of the arguments: places of one word for the function and one for each of the
 * arguments, of which at most half are taken. A larger table takes the place of a full one, and the old one stays, for a thread may be
 * looking at it.
 */
struct kb_yamba_table {
	struct kb_yamba_table *older;
	uint32_t shift;                 /* of a hash, to a place */
	uint32_t mask, used;            /* of places */
	uint64_t at[];
};

/* In the place of a function that was forgotten. */
#define KB_YAMBA_FORGOTTEN 1

struct kb_yamba_entry {
	const char *class_name, *name;
	void (*compose)(struct kb_bits *, const void *arguments);
	struct kb_yamba_table *table;   /* as readers see it; NULL at first, and while look-ups are watched */
	struct kb_yamba_table *all;     /* of the run time */
	const struct kb_yamba_argument *arguments;      /* end with a NULL name; NULL: not told */
	size_t bytes;                   /* of the structure of arguments */
	const char *signature;          /* of what is composed, as written: "void c_function(byte_t **first_page)" */
};

/* Of a class that the program imports: what the machine must have. */
struct kb_yamba_need {
	const char *class_name;
	const char *(*lacking)(void);   /* NULL where it is there, else what is not; itself NULL: see processors */
	const char *processors;         /* one of which it is: "VENDOR FAMILY MODEL MODEL, ...", or "IMPLEMENTER PART, ..." */
};

/* One that can be an argument. */
struct kb_yamba_bitstring { const char *name; const struct kb_bitstring *value; };

struct kb_yamba_program {
	const char *name, *platform, *summary, *file;
	const struct kb_yamba_bitstring *bitstrings;    /* end with a NULL name; or NULL */
	const struct kb_yamba_need *needs;      /* end with a NULL class_name; or NULL */
	struct kb_yamba_param *params;          /* end with a NULL name; or NULL */
	struct kb_yamba_entry **entries;        /* end with NULL */
	void (*setup)(void), (*teardown)(void), (*before)(void), (*after)(void);        /* each NULL: not defined */
	void (*benchmark)(void), (*benchmark_dummy)(void);
	uint64_t (*operations)(void);
	const char *(*check)(void);
	void *kept;                             /* of the run time: what params held when they were frozen */
};

/*
 * The composed function: what is there already (arguments are compared byte by byte, so clear the structure first), else
 * composed, checked and mapped. Never NULL: an error goes to the handler, which does not return. Threads take turns.
 */
void *kb_yamba_compose(struct kb_yamba_program *, struct kb_yamba_entry *, const void *arguments, size_t bytes);

/* An argument as the words that it takes in the structure of them. */
static inline void kb_yamba_words(uint64_t *words, const void *argument, size_t bytes)
{
	size_t whole = bytes / sizeof *words;
	const char *rest = (const char *)argument + whole * sizeof *words;
	uint32_t half;
	uint16_t quarter;

	if (whole)
		__builtin_memcpy(words, argument, whole * sizeof *words);
	if (bytes % sizeof *words == sizeof half) {
		__builtin_memcpy(&half, rest, sizeof half);
		words[whole] = half;
	} else if (bytes % sizeof *words == sizeof quarter) {
		__builtin_memcpy(&quarter, rest, sizeof quarter);
		words[whole] = quarter;
	} else if (bytes % sizeof *words) {
		words[whole] = 0;
		__builtin_memcpy(&words[whole], rest, bytes % sizeof *words);
	}
}

static inline uint64_t kb_yamba_hash(const uint64_t *words, size_t count)
{
	uint64_t hash = 0;

	/* Of an odd number near 2^64 divided by the golden ratio the upper bits are spread evenly (Knuth 6.4). */
	for (size_t i = 0; i < count; i++)
		hash = ((hash >> 32) ^ hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
	return hash;
}

/*
 * What kb_yamba_compose returns, without a call where it is there already: some instructions, no lock and no write, so that any
 * number of threads look up at the same time.
 */
static inline void *kb_yamba_function(struct kb_yamba_program *program, struct kb_yamba_entry *entry, const uint64_t *words,
	size_t count)
{
	const struct kb_yamba_table *table = __atomic_load_n(&entry->table, __ATOMIC_ACQUIRE);
	uint64_t place = table ? kb_yamba_hash(words, count) >> table->shift : 0, function;
	const uint64_t *at;

	for (; table; place = (place + 1) & table->mask) {
		size_t same = 0;

		at = &table->at[place * (count + 1)];
		function = __atomic_load_n(at, __ATOMIC_ACQUIRE);
		if (!function)
			break;
		while (same < count && at[same + 1] == words[same])
			same++;
		if (same == count && function != KB_YAMBA_FORGOTTEN)
			return (void *)(uintptr_t)function;
	}
	return kb_yamba_compose(program, entry, words, count * sizeof *words);
}

/*
 * "num_pages=4K" for a param, or one of the settings yamba.max_code, yamba.align, yamba.offset (bytes). 0, or with one line
 * in error: -ENOENT, no param of that name; -EINVAL, not a value of its type (both Y162); -EBUSY, after kb_yamba_freeze.
 */
int kb_yamba_set(struct kb_yamba_program *, const char *setting, char *error, size_t room);

/* When setup() is done, or at the first composition: from now on a param keeps its value. A param without one is Y160. */
void kb_yamba_freeze(struct kb_yamba_program *);

/* Takes "pf.yamba:106: error Y301: ...", behind a line break perhaps where that was; must not return, for the composed
   function does not exist. Without a handler the text goes to standard error and the process ends with 2. */
void kb_yamba_on_error(void (*handler)(const char *text));

/* ---- for the C text of programs ------------------------------------------------------------------ */

/* Unmaps a composed function, which no thread may be in; one of another program, or none, is left alone. */
void kb_yamba_forget(void *function);

/* Bytes of a composed function; 0 for what is none. */
size_t kb_yamba_code_size(void *function);

/* Class, member, values and place of each fragment with its bytes. -ENOENT for what is no composed function, -EBUSY from
   within a composer. */
int kb_yamba_list(FILE *, void *function);

/* A number that goes with the current observation: from before(), check() or after(). Outside KBench it does nothing. */
void kb_yamba_record(const char *name, double value);

/* Those that follow are there only in a program that KBench's collector runs: elsewhere their addresses are NULL. The library
   class linux asks, and does without. */

/* Writes a setting, a file of /proc or /sys, which gets back what it holds now when the process ends, however it ends. 0 or
   -errno; -EPIPE: nobody would put it back, and nothing was changed. */
__attribute__((weak)) int kb_yamba_setting(const char *path, const char *value);

/* The directory for files of the run, which goes with all in it. */
__attribute__((weak)) const char *kb_yamba_directory(void);

/* In setup: what one operation makes a counter count, majflt, minflt, nvcsw or nivcsw, give or take; it is checked, and samples
   that do so are not taken for disturbed. Twice at most. */
__attribute__((weak)) void kb_yamba_expect(const char *counter, double per_operation, double tolerance);

/* In setup: the process ends here, in one line why. lacking: the machine has not what it takes, which is no failure. */
__attribute__((weak, noreturn)) void kb_yamba_give_up(bool lacking, const char *why);

/* In setup: what limits this row, where a param decides it: "kernel", "latency", "issue" or "memory", as bound[] of a class. */
__attribute__((weak)) void kb_yamba_bound(const char *bound);

/* ---- a program as a benchmark: what the functions of its descriptor call ------------------------- */

/* Takes the params of the run, calls setup() and sets the granule, operations(). Text params that say "default" stay. */
int kb_yamba_setup(struct kb_run *, struct kb_yamba_program *);

/* n / operations() calls of benchmark(), or of benchmark_dummy(); without one the loop is empty, so every program can have
   a base, which then costs what op does around its calls. */
int kb_yamba_op(struct kb_run *, struct kb_yamba_program *, uint64_t n);
int kb_yamba_base(struct kb_run *, struct kb_yamba_program *, uint64_t n);

int kb_yamba_before(struct kb_run *, struct kb_yamba_program *, uint64_t n);
int kb_yamba_after(struct kb_run *, struct kb_yamba_program *, uint64_t n);
int kb_yamba_check(struct kb_run *, struct kb_yamba_program *, uint64_t n);
void kb_yamba_teardown(struct kb_run *, struct kb_yamba_program *);

#endif
