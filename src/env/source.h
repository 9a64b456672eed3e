/*
 * Where facts come from. Every file is read below one root, so that a test can build a machine out of files; what no
 * file tells (CPUID, system calls) stands in kb_answers. Nothing here writes, and a missing file is no error: the
 * caller gets false and says "unknown".
 */
#ifndef KB_ENV_SOURCE_H
#define KB_ENV_SOURCE_H

#include "types.h"

struct kb_fact_source {
	const char *root;       /* put before every path; "" is the machine itself */
};

#define KB_SOURCE_LINE 1024     /* bytes that hold any line we ask for but a kernel command line */
#define KB_SOURCE_NAME 64
#define KB_SOURCE_NAMES 1024    /* most entries taken from one directory; a policy per CPU on large machines */

/* The start of a file, at most room - 1 bytes, terminated. False if it cannot be read. */
bool kb_source_text(const struct kb_fact_source *, const char *path, char *buffer, size_t room);

/* Its first line without the blanks around it; may be "". */
bool kb_source_line(const struct kb_fact_source *, const char *path, char *buffer, size_t room);

/* Its first line as a decimal number; false on anything else. */
bool kb_source_number(const struct kb_fact_source *, const char *path, int64_t *value);

/* The word that the kernel brackets in a file of choices: "always [madvise] never". */
bool kb_source_choice(const struct kb_fact_source *, const char *path, char *buffer, size_t room);

/* Entries of a directory that begin with `prefix`, sorted. The caller frees *names. 0 if there are none or no directory. */
size_t kb_source_names(const struct kb_fact_source *, const char *path, const char *prefix, char (**names)[KB_SOURCE_NAME]);

/* "name : value" in the text of /proc/cpuinfo or /proc/meminfo: the first such line's value, without blanks. */
bool kb_source_field(const char *text, const char *name, char *buffer, size_t room);

enum kb_answer { KB_ANSWER_NO, KB_ANSWER_YES, KB_ANSWER_UNKNOWN, KB_ANSWER_FORBIDDEN };

/* What is asked of the processor and the kernel rather than read. */
struct kb_answers {
	char machine[65];               /* uname: x86_64 */
	unsigned uid;
	bool fixed_layout;              /* personality(ADDR_NO_RANDOMIZE), as setarch -R sets it */
	enum kb_answer hypervisor;      /* what the processor says */
	char signature[13];             /* and how the hypervisor calls itself */
	enum kb_answer pmu;             /* a hardware cycle counter of this thread opened and counted */
	int pmu_error;                  /* errno of opening it; 0: it opened, or nobody asked */
	const char *event_names;        /* the library that knows names of events; NULL: nobody asked */
	enum kb_answer perf_software;   /* a software event that counts inside the kernel opened */
};

void kb_answers_ask(struct kb_answers *);

/* Only the two fields about the hypervisor. */
void kb_answers_ask_hypervisor(struct kb_answers *);

/* "none", "unknown", or a name (kvm, xen, vmware ...), from answers, firmware tables and device tree. */
void kb_hypervisor_name(const struct kb_fact_source *, const struct kb_answers *, char *name, size_t room);

#endif
