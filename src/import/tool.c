/* See tool.h. */
#define _GNU_SOURCE
#include "import/tool.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/crc32.h"

#define NUMBER_MAX 1e18         /* ns: thirty years */
#define PROCESSES_MOST 20000u   /* of all files together */
#define NAME_SHOWN 160          /* bytes of a name that a record keeps */
#define HASH 9                  /* bytes of _0123abcd */

/* ---- names ------------------------------------------------------------------------------------------ */

static void put_words(char *text, size_t room, const char *words)
{
	size_t used = 0;
	bool lost = false;
	const char *at;

	for (at = words; *at && used + 1 < room; at++) {
		unsigned char c = (unsigned char)*at;
		bool plain = c < 128 && (isalnum(c) || strchr("-._", c));

		lost |= !plain && c != ' ';
		if (plain)
			text[used++] = (char)c;
		else if (used > 0 && text[used - 1] != '_')
			text[used++] = '_';
		else
			lost = true;
	}
	lost |= *at || used == 0 || text[used - 1] == '.';
	if (lost && used + 1 + HASH > room)
		used = room - 1 - HASH;
	while (lost && used > 0 && strchr("_.", text[used - 1]))
		used--;
	text[used] = '\0';
	if (lost)
		snprintf(text + used, room - used, "%s%08x", used ? "_" : "", kb_crc32(0, words, strlen(words)));
}

void kb_tool_name(struct kb_tool_result *result, const char *domain, const char *words)
{
	int used = snprintf(result->bench, sizeof result->bench, "%s.", domain);

	put_words(result->bench + used, sizeof result->bench - (size_t)used, words);
}

void kb_tool_param(struct kb_tool_result *result, const char *name, const char *value)
{
	char slug[24], words[40];
	size_t used = strlen(result->params);

	kb_import_slug(slug, sizeof slug, name);
	put_words(words, sizeof words, value);
	snprintf(result->params + used, sizeof result->params - used, "%s%s=%s", used ? " " : "", slug[0] ? slug : "p", words);
}

/* ---- records ---------------------------------------------------------------------------------------- */

/* Two names of the tool that are written alike would become one result. */
static int check_name(struct kb_import_reader *reader, const struct kb_import_writer *writer, const char *line, const char *name)
{
	const struct kb_import_run *run = writer->run;

	for (size_t i = 0; i < run->count; i++) {
		const struct kb_import_process *before = &run->processes[i];

		if (strcmp(before->row, writer->process.row) != 0)
			continue;
		if (memmem(before->record, before->length, line, strlen(line)))
			return 0;
		return kb_import_refuse_at(reader, 0, "'%.60s' and a name before it are both written %.80s: rename one of them", name, before->row);
	}
	return 0;
}

static void put_facts(struct kb_import_writer *writer, const struct kb_tool_result *result)
{
	char text[256];
	struct kb_text line = kb_text_in(text, sizeof text);

	kb_text_str(&line, "imported=");
	kb_text_str(&line, result->tool);
	if (result->version[0]) {
		kb_text_str(&line, " tool_version=");
		kb_text_quoted(&line, result->version);
	}
	if (result->machine[0]) {
		kb_text_str(&line, " machine=");
		kb_text_quoted(&line, result->machine);
	}
	if (!line.cut)
		kb_record_line(&writer->record, "env", text);
	if (result->facts[0])
		kb_record_line(&writer->record, "env", result->facts);
	if (result->bytes > 0)
		kb_tool_real(writer, "bytes_per_op", (double)result->bytes);
}

int kb_tool_begin(struct kb_import_writer *writer, struct kb_import_reader *reader, const struct kb_tool_result *result)
{
	struct kb_import_run *run = kb_import_run_of(reader->import, "", "", result->started);
	char shown[NAME_SHOWN + 1], name[5 * NAME_SHOWN] = "name=", why[400];
	struct kb_text text = kb_text_in(name + 5, sizeof name - 5);
	int code;

	snprintf(shown, sizeof shown, "%.*s", (int)kb_clipped(result->name, NAME_SHOWN), result->name);
	kb_text_quoted(&text, shown);
	if (strlen(result->params) + 1 == sizeof result->params)
		return kb_import_refuse_at(reader, 0, "'%.60s' has more parameters than fit into a result's name", result->name);
	if (!run)
		return -ENOMEM;
	/* Each is looked for among all before it. */
	if (run->count >= PROCESSES_MOST)
		return kb_import_refuse_at(reader, 0, "more than %u results and repetitions: import it in parts", PROCESSES_MOST);
	code = kb_import_begin(writer, reader, run, result->bench, result->params, result->per, result->method);
	if (code)
		return code;
	code = check_name(reader, writer, name, result->name);
	if (code)
		return kb_import_end(writer, code);
	kb_record_line(&writer->record, "env", name);
	put_facts(writer, result);
	kb_make_visible(shown, '?');
	snprintf(why, sizeof why, "%s%s%s '%.100s': %s", result->tool, result->version[0] ? " " : "", result->version, shown, result->why);
	kb_record_note(&writer->record, "imported", why);
	return 0;
}

void kb_tool_real(struct kb_import_writer *writer, const char *key, double value)
{
	char text[80];

	snprintf(text, sizeof text, "%s=%.15g", key, value);
	kb_record_line(&writer->record, "env", text);
}

int kb_tool_cost(struct kb_import_reader *reader, const struct kb_tool_result *result, double ns)
{
	struct kb_import_writer writer;
	int code = kb_tool_begin(&writer, reader, result);

	if (code)
		return code;
	if (ns > 0)
		kb_tool_real(&writer, "reported_mean", ns);
	else
		kb_record_note(&writer.record, "below_resolution", "printed as 0");
	return kb_import_end(&writer, 0);
}

bool kb_import_date(const char *from, char text[21])
{
	struct tm fields = { 0 };
	const char *rest = strptime(from, "%Y-%m-%dT%H:%M:%S", &fields);
	unsigned hours = 0, minutes = 0;
	char sign = '+';
	time_t seconds;
	int day;

	text[0] = '\0';
	if (!rest)
		return false;
	rest += rest[0] == '.' ? 1 + strspn(rest + 1, "0123456789") : 0;
	if (strcmp(rest, "Z") != 0 && (sscanf(rest, "%c%2u:%2u", &sign, &hours, &minutes) != 3 || !strchr("+-", sign)))
		return false;
	/* timegm() makes another day of one that the month does not have. */
	day = fields.tm_mday;
	seconds = timegm(&fields);
	if (fields.tm_mday != day)
		return false;
	seconds -= (sign == '-' ? -60 : 60) * (time_t)(60 * hours + minutes);
	return gmtime_r(&seconds, &fields) && strftime(text, 21, "%Y-%m-%dT%H:%M:%SZ", &fields) == 20;
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

json_t *kb_tool_json(struct kb_import_reader *reader, struct kb_span text)
{
	json_error_t error;
	json_t *all = json_loadb(text.at, text.length, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error);

	if (all)
		return all;
	/* Its message may show what it stumbled over; one line is enough. */
	if (json_error_code(&error) == json_error_premature_end_of_input)
		kb_import_refuse_at(reader, (unsigned)error.line, "the JSON is cut off: write the file again");
	else
		kb_import_refuse_at(reader, (unsigned)(error.line > 0 ? error.line : 0), "no JSON: %.80s", error.text);
	return NULL;
}

const char *kb_tool_text(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

int kb_tool_number(struct kb_import_reader *reader, const json_t *json, const char *where, double least, double *value)
{
	*value = json_number_value(json);
	if (!json_is_number(json))
		return kb_import_refuse_at(reader, 0, "%s: %s", where, json ? "is no number" : "is missing");
	if (*value < least || *value > NUMBER_MAX)
		return kb_import_refuse_at(reader, 0, "%s: %.15g is no such number: must be from %g to %g", where, *value, least, NUMBER_MAX);
	return 0;
}

int kb_tool_member(struct kb_import_reader *reader, const json_t *object, const char *key, const char *where, double least, double *value)
{
	char place[120];

	snprintf(place, sizeof place, "%s/%s", where, key);
	return kb_tool_number(reader, json_object_get(object, key), place, least, value);
}
