/* The document of a page, kbench-report/1 (doc/result.md): stored runs with the samples and the history of their results. */
#ifndef KB_REPORT_HTML_DOCUMENT_H
#define KB_REPORT_HTML_DOCUMENT_H

#include <jansson.h>

#include "report/html/samples.h"
#include "store/store.h"

#define KB_PAGE_SCHEMA "kbench-report/1"

/* Seven digits: a figure has at most four. */
#define KB_PAGE_FORMAT (JSON_COMPACT | JSON_REAL_PRECISION(7))

/* Results of a stored run that are wanted; at least one. */
struct kb_page_run {
	const char *id;
	json_t *run, *env;              /* as in kbench-result/2 */
	json_t *json;                   /* array, the elements of its `results` */
	const struct kb_result *const *results;
	size_t count;
};

struct kb_page {
	const char *tool, *made;        /* program and version; as of kb_date_now */
	const struct kb_page_run *runs;
	unsigned run_count;
	/* New references, or NULL. */
	json_t *comparison;             /* kbench-compare/2 */
	double floor;                   /* by which runs differ anyway, as a fraction; not above 0: not known */
	json_t *papers;
	size_t taken;                   /* bytes of the template, which samples leave room for */
	struct kb_page_counts counts;   /* set: results, and samples of the operation */
};

/* The whole document, a new reference; takes over those of the page. 0, -ENOMEM or an error of the store. */
int kb_page_document(struct kb_page *, struct kb_store *, json_t **document);

/* Prints the document on one line, and the page that has it inside. 0 or -EIO; -EINVAL: the template has no marker. */
int kb_page_print_json(FILE *out, const json_t *document);
int kb_page_print(FILE *out, const char *page_template, const json_t *document);

#endif
