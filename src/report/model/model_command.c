/* See model.h: a command. The remainder has a line of its own, whatever it is. */
#include "report/model/model.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "report/text/style.h"
#include "result/json/json.h"

/* Exact number times an estimate. */
static struct kb_estimate times(const struct kb_estimate *e, double count)
{
	return (struct kb_estimate){ e->value * count, e->low * count, e->high * count, e->known, e->bounded };
}

static void line(FILE *cells, const char *name, const char *count, const struct kb_estimate *each, const struct kb_estimate *sum,
		 const char *behind, const struct kb_style *style)
{
	char number[80] = "", together[80];

	if (each)
		kb_format_quantity(number, sizeof number, each, KB_QUANTITY_TIME, style->utf8);
	kb_format_quantity(together, sizeof together, sum, KB_QUANTITY_TIME, style->utf8);
	fprintf(cells, "%s\t%s\t%s\t%s\t%s\n", name, count, number, together, behind);
}

/* Which call was charged as what: "as the cheapest call" is the model's weakest sentence, and must be seen. */
static void print_calls(FILE *out, const struct kb_model_account *account)
{
	struct kb_columns columns = { .align = "lrl", .indent = 4 };
	FILE *cells = kb_columns_open(&columns, out);

	fputs("system calls\n", cells);
	for (unsigned i = 0; i < account->call_count; i++) {
		const struct kb_model_call *call = &account->calls[i];
		struct kb_span paid = call->part < 0 ? (struct kb_span){ "nothing", 7 } : account->model->quantities[call->part].name;

		fprintf(cells, "%s\t%.6g\tpaid as %.*s\n", call->name, call->count, (int)paid.length, paid.at);
	}
	kb_columns_print(&columns, out);
}

#define SPLIT_NS 100e6          /* the kernel tells its own time from the command's by ticks of 1 to 10 ms: below that it cannot */

/* What a run's time was, as the kernel accounts it. Only what is told apart from zero was spent somewhere. */
static void print_times(FILE *out, const struct kb_model_account *account, const struct kb_style *style)
{
	const struct kb_estimate *idle = &account->idle;
	char cpu[80], user[80], system[80], rest[80];

	kb_format_quantity(cpu, sizeof cpu, &account->cpu_time, KB_QUANTITY_TIME, style->utf8);
	kb_format_quantity(user, sizeof user, &account->user, KB_QUANTITY_TIME, style->utf8);
	kb_format_quantity(system, sizeof system, &account->system, KB_QUANTITY_TIME, style->utf8);
	kb_format_quantity(rest, sizeof rest, idle, KB_QUANTITY_TIME, style->utf8);
	if (account->measured.value >= SPLIT_NS)
		kb_print_sentence(out, style, 4, "CPU time of a run: %s, of which %s in the command and %s in the kernel, by its ticks", cpu, user, system);
	else
		kb_print_sentence(out, style, 4, "CPU time of a run: %s, the kernel's part included", cpu);
	kb_print_sentence(out, style, 4, "not CPU time: %s, %s", rest,
			  !idle->bounded ? "without a CI: too few runs" : idle->low <= 0 ? "not told apart from none" :
			  account->switches > 0 ? "while it slept, or others had the CPU" : "while others had the CPU: it never slept");
}

/* Why the remainder is what it is: what is known of it, and what cannot be in it. */
static void print_remainder(FILE *out, const struct kb_model_account *account, const struct kb_style *style)
{
	const struct kb_estimate *remainder = &account->remainder;

	kb_print_sentence(out, style, 4, "%s",
			  !remainder->known ? "no prediction: a part has no number (above)" :
			  !remainder->bounded ? "the remainder has no CI: a part or the measured time has none" :
			  remainder->low > 0 ? "the remainder is the command's own computing and waiting, and what no part knows" :
			  remainder->high < 0 ? "the remainder is below 0: parts cost less here than alone, or counts vary from run to run" :
			  "the remainder is not told apart from none");
	print_times(out, account, style);
	if (account->unpaid > 0)
		kb_print_sentence(out, style, 4, "%.6g events are in no part of the model", account->unpaid);
	if (account->excess > 0)
		kb_print_sentence(out, style, 4, "%.6g calls, faults and switches that each start of a program makes are not made here, but are in the cost of "
				  "a start", account->excess);
}

void kb_account_print(FILE *out, const struct kb_model_account *account, const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lrrrl", .indent = 4 };
	FILE *cells = kb_columns_open(&columns, out);
	char word[4096], count[32], behind[560];

	/* As it was typed, but for quotes. */
	for (unsigned i = 0; account->argv[i]; i++)
		fprintf(cells, "%s%s", i ? " " : "", kb_visible_copy(word, sizeof word, account->argv[i]));
	if (WIFEXITED(account->status))
		fprintf(cells, "\nexit code %d", WEXITSTATUS(account->status));
	else
		fprintf(cells, "\nended by signal %d (%s)", WTERMSIG(account->status), strsignal(WTERMSIG(account->status)));
	fprintf(cells, "%s, %u runs on CPU %u, output discarded\n", account->exit_differs ? " (not of every run)" : "",
		account->repeats, account->cpu);
	fputs("part\tcount\teach\ttogether\t\n", cells);
	line(cells, "start", "1", &account->empty, &account->empty, "a program that does nothing, run and measured the same way", style);
	for (unsigned i = 0; i < account->model->quantity_count; i++) {
		const struct kb_quantity_value *value = &account->values[i];
		struct kb_estimate sum = times(&value->estimate, account->counts[i]);

		if (account->counts[i] == 0)
			continue;
		snprintf(word, sizeof word, "%.*s", (int)account->model->quantities[i].name.length, account->model->quantities[i].name.at);
		snprintf(count, sizeof count, "%.6g", account->counts[i]);
		snprintf(behind, sizeof behind, "%s%s%s", value->row, value->status == KB_OK ? "" : ", ", value->status == KB_OK ? "" :
			 value->why[0] ? value->why : kb_status_name(value->status));
		line(cells, word, count, &value->estimate, &sum, behind, style);
	}
	line(cells, "predicted", "", NULL, &account->predicted, "sum; counts are less those of a program that does nothing, for each start",
	     style);
	line(cells, "measured", "", NULL, &account->measured, "median from start to end, untraced", style);
	line(cells, "remainder", "", NULL, &account->remainder, "measured less predicted", style);
	kb_columns_print(&columns, out);
	print_remainder(out, account, style);
	if (style->notes)
		print_calls(out, account);
	for (unsigned i = 0; i < account->model->note_count; i++)
		kb_print_sentence(out, style, 4, "note: %.*s", (int)account->model->notes[i].length, account->model->notes[i].at);
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

/* Those that were charged. */
static json_t *parts(const struct kb_model_account *account)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < account->model->quantity_count; i++) {
		struct kb_estimate sum = times(&account->values[i].estimate, account->counts[i]);
		json_t *object;

		if (account->counts[i] == 0)
			continue;
		object = kb_model_quantity(account->model, i, &account->values[i]);
		json_object_set_new(object, "count", kb_json_real(account->counts[i]));
		json_object_set_new(object, "total", kb_model_estimate(&sum));
		json_array_append_new(array, object);
	}
	return array;
}

static json_t *calls(const struct kb_model_account *account)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < account->call_count; i++) {
		const struct kb_model_call *call = &account->calls[i];
		char name[64] = "";

		if (call->part >= 0) {
			const struct kb_span *part_name = &account->model->quantities[call->part].name;

			snprintf(name, sizeof name, "%.*s", (int)part_name->length, part_name->at);
		}
		json_array_append_new(array, json_pack("{s:s, s:o, s:o}", "name", call->name, "count", kb_json_real(call->count),
						       "part", name[0] ? kb_json_string(name) : json_null()));
	}
	return array;
}

json_t *kb_account_to_json(const struct kb_model_account *a)
{
	bool exited = WIFEXITED(a->status);
	json_t *words = json_array();

	for (unsigned i = 0; a->argv[i]; i++)
		json_array_append_new(words, kb_json_string(a->argv[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:b, s:i, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "model", a->model->name,
			 "argv", words, "exit_code", exited ? json_integer(WEXITSTATUS(a->status)) : json_null(),
			 "signal", exited ? json_null() : json_integer(WTERMSIG(a->status)), "exits_differ", a->exit_differs,
			 "repeats", (int)a->repeats, "cpu", (int)a->cpu, "parts", parts(a), "calls", calls(a),
			 "unpaid_events", kb_json_real(a->unpaid), "excess_events", kb_json_real(a->excess), "predicted_ns", kb_model_estimate(&a->predicted),
			 "measured_ns", kb_model_estimate(&a->measured), "remainder_ns", kb_model_estimate(&a->remainder),
			 "user_ns", kb_model_estimate(&a->user), "system_ns", kb_model_estimate(&a->system),
			 "cpu_ns", kb_model_estimate(&a->cpu_time), "idle_ns", kb_model_estimate(&a->idle),
			 "empty_ns", kb_model_estimate(&a->empty));
}
