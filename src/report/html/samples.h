/* The samples of a result for a page, thinned (analysis/thin.h), and its processes on the time line of the run. */
#ifndef KB_REPORT_HTML_SAMPLES_H
#define KB_REPORT_HTML_SAMPLES_H

#include <jansson.h>

#include "result/contention.h"

/* A result with the records of its processes. */
struct kb_page_source {
	const struct kb_result *result;
	size_t position;                /* of the result in its run */
	const struct kb_process_text *texts;
	size_t text_count;
	const struct kb_floor *floor;   /* of the contention probe, by which the result was made */
	uint64_t started_ms;            /* of the run, since 1970; 0: not known */
	size_t room;                    /* samples of the operation that the page has room for, about */
};

struct kb_page_counts { uint64_t results, samples, kept; };

/* Appends one element to each, or for a result without samples null, and to the time line one for each of its processes. 0 or -ENOMEM. */
int kb_page_add_samples(const struct kb_page_source *, json_t *samples, json_t *timeline, struct kb_page_counts *);

#endif
