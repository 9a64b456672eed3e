/*
 * Results of lmbench: the lines of its file, results/OS/HOST.N, or what one of its programs prints. A file is a process, for lmbench says
 * nothing of how sure its numbers are: several files of one machine have a CI. lmbench_names.c has what its lines are called here.
 *
 *	[HOSTNAME: host]                        facts of the machine
 *	Simple syscall: 0.0500 microseconds     one number, or a rate
 *	"stride=64                              a list: size in MB and a value
 *	0.00049 1.20
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "import/lmbench.h"

#define LINE 256
#define SIZE_AGREE 0.005        /* sizes are printed with three digits */

/* ---- sizes ------------------------------------------------------------------------------------------ */

/* "0.00049" MiB is 512 bytes; "1.05" million bytes 1M: powers of two, for those it measures. */
static uint64_t size_of(double megabytes, bool binary)
{
	double bytes = megabytes * (binary ? 1048576 : 1e6), power = exp2(round(log2(bytes)));

	if (binary)
		return (uint64_t)(512 * round(bytes / 512));
	return (uint64_t)(fabs(power / bytes - 1) <= SIZE_AGREE ? power : round(bytes));
}

static void add_size(struct kb_tool_result *result, uint64_t bytes)
{
	char text[32];
	bool mega = bytes >= 1048576 && bytes % 1048576 == 0, kilo = bytes >= 1024 && bytes % 1024 == 0;

	snprintf(text, sizeof text, "%llu%s", (unsigned long long)(mega ? bytes >> 20 : kilo ? bytes >> 10 : bytes), mega ? "M" : kilo ? "K" : "");
	kb_tool_param(result, "size", text);
}

/* ---- one number ------------------------------------------------------------------------------------- */

struct file {
	struct kb_import_reader *reader;
	struct kb_tool_result machine;
	const struct kb_lmbench_list *list;     /* that is being read; NULL: none */
	char stride[24], version[32];           /* stride: of lat_mem_rd; the working set of lat_ctx */
	const char *order;                      /* of the next lat_mem_rd */
	char line[LINE];
};

static int take(struct file *file, const struct kb_tool_result *result, double ns)
{
	if (!(ns >= 0 && ns < 1e18))
		return kb_import_refuse(file->reader, "'%.60s' is no such number: must be from 0 to 1e18 ns", file->line);
	return kb_tool_cost(file->reader, result, ns);
}

static struct kb_tool_result result_of(const struct file *file, const char *name, const char *bench, const char *params, const char *per)
{
	struct kb_tool_result result = file->machine;

	result.name = name;
	result.version = file->version;
	kb_tool_name(&result, "lmbench", bench);
	snprintf(result.params, sizeof result.params, "%s", params);
	result.per = per;
	return result;
}

/* ns of one unit of time; of a rate in bytes/s, with *rate set; 0: it is no unit. */
static double unit_of(const char *unit, bool *rate)
{
	static const struct { const char *name; double scale; bool rate; } units[] = {
		{ "microseconds", 1e3, false }, { "nanoseconds", 1, false }, { "milliseconds", 1e6, false }, { "seconds", 1e9, false },
		{ "MB/sec", 1e6, true }, { "KB/sec", 1e3, true },
	};

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		*rate = units[i].rate;
		if (strcmp(unit, units[i].name) == 0)
			return units[i].scale;
	}
	return 0;
}

/* "NAME: NUMBER UNIT" */
static int take_named(struct file *file)
{
	char *colon = strrchr(file->line, ':'), *end;
	double value, scale;
	bool rate;

	if (!colon || colon == file->line)
		return 0;
	value = strtod(colon + 1, &end);
	scale = unit_of(end + strspn(end, " "), &rate);
	if (!(scale > 0))
		return 0;
	if (end == colon + 1)
		return kb_import_refuse(file->reader, "'%.80s' has no number", file->line);

	char name[LINE], params[KB_TOOL_PARAMS];
	const struct kb_lmbench_line *known;
	struct kb_tool_result result;

	snprintf(name, sizeof name, "%.*s", (int)(colon - file->line), file->line);
	known = kb_lmbench_find_line(name, params, sizeof params);
	result = result_of(file, known ? known->words : name, known ? known->bench : name, params, known ? known->per : rate ? "MB" : "operation");
	if (!rate)
		return take(file, &result, (known ? known->times : 1) * value * scale);
	/* What one operation moves it does not say; its MB are millions of bytes. */
	result.bytes = 1000000;
	return take(file, &result, value > 0 ? 1e15 / (value * scale) : value);
}

/* ---- lists ------------------------------------------------------------------------------------------ */

/* "10k 109 9163 101113": files made and removed in a second; the number before is how many there were. */
static int take_files(struct file *file, const char *text)
{
	unsigned size, count;
	double rate[2];

	if (sscanf(text, "%6uk %9u %lf %lf", &size, &count, &rate[0], &rate[1]) != 4)
		return 0;
	for (int i = 0; i < 2; i++) {
		struct kb_tool_result result = result_of(file, file->list->words, "lat_fs", i == 0 ? "op=create" : "op=delete", "file");
		int code;

		add_size(&result, (uint64_t)size << 10);
		code = take(file, &result, rate[i] > 0 ? 1e9 / rate[i] : rate[i]);
		if (code)
			return code;
	}
	return 0;
}

static int take_pair(struct file *file, double x, double y)
{
	const struct kb_lmbench_list *list = file->list;
	struct kb_tool_result result = result_of(file, list->words, list->bench, list->params, list->per);
	bool memory = list->what == KB_LMBENCH_LOADS;
	uint64_t bytes = size_of(x, memory);
	char processes[24];

	if (list->what == KB_LMBENCH_SWITCHES) {
		snprintf(processes, sizeof processes, "%.0f", x);
		kb_tool_param(&result, "processes", processes);
		kb_tool_param(&result, "size", file->stride);
		return take(file, &result, 1e3 * y);
	}
	add_size(&result, bytes);
	if (memory) {
		kb_tool_param(&result, "order", file->order);
		kb_tool_param(&result, "stride", file->stride);
		return take(file, &result, y);
	}
	if (list->what == KB_LMBENCH_TIMES)
		return take(file, &result, 1e3 * y);
	result.bytes = bytes;
	return take(file, &result, y > 0 ? 1e3 * (double)bytes / y : y);
}

/* False: the list ends before this line. */
static bool in_list(struct file *file, int *code)
{
	char *end, *rest;
	double x = strtod(file->line, &end), y;

	if (file->list->what == KB_LMBENCH_FILES && strspn(file->line, "0123456789") > 0) {
		*code = take_files(file, file->line);
		return true;
	}
	y = strtod(end, &rest);
	if (end == file->line || rest == end || !(x >= 0 && x < 1e9) || strspn(file->line, "0123456789.") == 0)
		return false;
	rest += strspn(rest, " \t");
	if (*rest && strcmp(rest, "MB/sec") != 0)
		return false;
	*code = take_pair(file, x, y);
	return true;
}

/* `"stride=64`, `"size=16k ovr=0.74`, `"read bandwidth`, `Memory read bandwidth`; false: it begins no list. */
static bool begins_list(struct file *file)
{
	const char *name = file->line + (file->line[0] == '"'), *value = strchr(name, '=');
	const struct kb_lmbench_list *list = kb_lmbench_find_list(name);

	if (!list)
		return false;
	file->list = list;
	if (list->order)
		file->order = list->order;
	if (!value)
		return true;
	snprintf(file->stride, sizeof file->stride, "%.*s", (int)strcspn(value + 1, " "), value + 1);
	for (char *at = file->stride; *at; at++)
		*at = *at == 'k' ? 'K' : *at;
	/* As the benchmark of ours has it. */
	if (strcmp(file->stride, "0K") == 0)
		file->stride[1] = '\0';
	return true;
}

/* ---- the file --------------------------------------------------------------------------------------- */

/* "[Thu Nov 26 06:34:56 UTC 2026]"; a zone of another name is not known here, and such a date is left out. */
static void read_date(struct file *file)
{
	struct tm fields = { 0 };
	const char *rest = file->machine.started[0] ? NULL : strptime(file->line + 1, "%a %b %d %H:%M:%S", &fields);
	int year;

	if (rest && sscanf(rest, " UTC %4d]", &year) == 1 && year > 1980) {
		fields.tm_year = year - 1900;
		strftime(file->machine.started, sizeof file->machine.started, "%Y-%m-%dT%H:%M:%SZ", &fields);
	}
}

static void add_fact(struct file *file, const char *key, const char *value)
{
	char text[160], plain[64];
	struct kb_text line = kb_text_in(text, sizeof text);
	size_t used = strlen(file->machine.facts);

	kb_text_str(&line, used ? " " : "");
	kb_text_str(&line, key);
	kb_text_str(&line, "=");
	snprintf(plain, sizeof plain, "%.*s", (int)kb_clipped(value, 60), value);
	kb_make_visible(plain, '?');
	kb_text_quoted(&line, plain);
	if (used + line.used < sizeof file->machine.facts && !line.cut)
		memcpy(file->machine.facts + used, text, line.used + 1);
}

/* "[HOSTNAME: vm]" */
static void read_fact(struct file *file)
{
	static const struct { const char *theirs, *ours; } keys[] = { { "MACHINE", "arch" }, { "RELEASE", "kernel" }, { "SYSNAME", "os" }, { "MHZ", "mhz" } };
	char *key = file->line + 1, *value = strstr(key, ": "), *end = strrchr(key, ']');

	if (!value || !end || end <= value + 2) {
		read_date(file);
		return;
	}
	*value = *end = '\0';
	value += 2;
	if (strcmp(key, "HOSTNAME") == 0)
		snprintf(file->machine.machine, sizeof file->machine.machine, "%.*s", (int)kb_clipped(value, 60), value);
	else if (strcmp(key, "LMBENCH VERSION") == 0)
		snprintf(file->version, sizeof file->version, "%.*s", (int)kb_clipped(value, 30), value);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		if (strcmp(key, keys[i].theirs) == 0)
			add_fact(file, keys[i].ours, value);
	}
}

static int take_line(struct file *file)
{
	int code = 0;

	if (file->line[0] == '[') {
		read_fact(file);
		return 0;
	}
	if (file->list && in_list(file, &code))
		return code;
	if (begins_list(file))
		return 0;
	file->list = NULL;
	return take_named(file);
}

static bool is_lmbench(struct kb_span text)
{
	static const char *const starts[] = { "[lmbench", "Simple syscall: ", "Pipe latency: ", "AF_UNIX sock stream ", "\"stride=", "\"size=", "Process fork+" };

	for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
		if (kb_import_find_line(text, 0, starts[i]) < text.length)
			return true;
	}
	return false;
}

static int read_file(struct kb_import_reader *reader)
{
	struct file file = {
		.reader = reader, .order = "stride",
		.machine = { .tool = "lmbench", .version = "", .method = "reported", .why = "one number a file; lmbench gives no CI" },
	};
	size_t before = reader->import->run_count > 0 ? reader->import->runs[0].count : 0;
	int code = 0;

	while (!code && kb_import_next_line(reader)) {
		struct kb_span line = kb_import_trimmed(reader->line);

		/* A number that the file's end cuts off may be any number. */
		if (reader->rest.at == reader->line.at + reader->line.length)
			return kb_import_refuse(reader, "the last line has no end: the file is cut off");
		snprintf(file.line, sizeof file.line, "%.*s", (int)(line.length < LINE ? line.length : LINE - 1), line.at);
		code = take_line(&file);
	}
	if (!code && (reader->import->run_count == 0 || reader->import->runs[0].count == before))
		return kb_import_refuse_at(reader, 0, "no number of lmbench in it");
	return code;
}

const struct kb_import_kind kb_import_lmbench = { "lmbench", true, is_lmbench, read_file, .tool = true };
