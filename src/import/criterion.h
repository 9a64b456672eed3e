/* The files that criterion keeps, as one text: a line names each, and its content follows. Only for src/import. */
#ifndef KB_IMPORT_CRITERION_H
#define KB_IMPORT_CRITERION_H

#include <stdio.h>

#include "base/text.h"

#define KB_CRITERION_START "kbench-criterion-file "

enum kb_criterion_file { KB_CRITERION_BENCHMARK, KB_CRITERION_ESTIMATES, KB_CRITERION_SAMPLE, KB_CRITERION_FILES };
extern const char *const kb_criterion_names[KB_CRITERION_FILES];        /* "benchmark.json" ... */

/* Of one benchmark. */
struct kb_criterion_files {
	char directory[256];            /* below the one that was read */
	struct kb_span text[KB_CRITERION_FILES];        /* empty: it is not there */
};

/* The next benchmark from *at on, which moves behind it; false: there is none. */
bool kb_criterion_next(struct kb_span text, size_t *at, struct kb_criterion_files *);

/* Writes the files of every `new` below the directory, by name, or those of itself if it holds some. 0, -ENOENT: it has none, or -errno. */
int kb_criterion_write(const char *directory, FILE *out);

#endif
