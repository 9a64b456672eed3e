/* What readers of other benchmark tools' results share: names, numbers of JSON, a record with what the tool says. Only for src/import. */
#ifndef KB_IMPORT_TOOL_H
#define KB_IMPORT_TOOL_H

#include <jansson.h>

#include "import/reader.h"

#define KB_TOOL_PARAMS 200

/* One result as the tool has it. */
struct kb_tool_result {
	const char *tool, *version;     /* version "": not said */
	const char *name;               /* the tool's own, any text */
	char bench[KB_BENCH_NAME_MAX + 1], params[KB_TOOL_PARAMS];
	const char *per, *method;
	const char *why;                /* how far its CI goes, for the reason `imported` */
	uint64_t bytes;                 /* that an operation moves; 0: none, or not said */
	char machine[80], started[21];  /* "": not said */
	char facts[200];                /* more of the machine, as fields of an `env` line */
};

/*
 * "DOMAIN.WORDS": letters, digits, '-' and '.' stay, a blank becomes '_'. Of words that are cut, or lose anything else, the last nine bytes
 * are '_' and a hash of all of them.
 */
void kb_tool_name(struct kb_tool_result *, const char *domain, const char *words);

/* Adds NAME=VALUE in the same form; what does not fit is refused by kb_tool_begin. */
void kb_tool_param(struct kb_tool_result *, const char *name, const char *value);

/* One more process of this result: its record up to the samples. -EINVAL, -ENOMEM. */
int kb_tool_begin(struct kb_import_writer *, struct kb_import_reader *, const struct kb_tool_result *);

/* A number for the record's `env`. */
void kb_tool_real(struct kb_import_writer *, const char *key, double value);

/* A process of which the tool has one cost, ns, and no uncertainty. 0 is less than the tool can print, and no cost. */
int kb_tool_cost(struct kb_import_reader *, const struct kb_tool_result *, double ns);

/* ---- JSON; where: a pointer into it (RFC 6901), for messages ------------------------------------------- */

/* NULL: error set. */
json_t *kb_tool_json(struct kb_import_reader *, struct kb_span text);

/* "" where it is no string. */
const char *kb_tool_text(const json_t *object, const char *key);

/* A number from `least` to 1e18 in it. -EINVAL. */
int kb_tool_number(struct kb_import_reader *, const json_t *, const char *where, double least, double *value);
int kb_tool_member(struct kb_import_reader *, const json_t *object, const char *key, const char *where, double least, double *value);

#endif
