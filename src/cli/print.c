/* See cli.h: output that several commands share. */
#include "cli/cli.h"

#include <stdio.h>

#include "base/text.h"
#include "measure/emulation.h"
#include "report/text/comparison.h"
#include "result/json/json.h"
#include "run/calibrate.h"
#include "store/document.h"
#include "workflow/workflow.h"

struct kb_shown kb_shown(const char *text)
{
	struct kb_shown shown;

	kb_visible_copy(shown.text, sizeof shown.text, text);
	return shown;
}

void kb_print_lines(FILE *out, const char *text, size_t length)
{
	struct kb_span rest = { text, length };

	while (rest.length > 0) {
		struct kb_character c = kb_character_at(rest);
		bool returned = c.code == '\r' && rest.length > 1 && (rest.at[1] == '\n' || rest.at[1] == '\r');

		if (c.visible || c.code == '\n' || c.code == '\t')
			fwrite(rest.at, 1, c.length, out);
		else if (!returned)
			fputc('?', out);
		rest = (struct kb_span){ rest.at + c.length, rest.length - c.length };
	}
}

void kb_print_json(json_t *json)
{
	if (!json)
		kb_no_memory(NULL);
	kb_json_print(stdout, json);
	json_decref(json);
}

void kb_print_run(const struct kb_stored_run *run, json_t *env, const struct kb_result *const *results, size_t count)
{
	json_t *array = json_array(), *document;

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, kb_result_to_json(results[i]));
	document = kb_result_document(kb_stored_run_to_json(run), json_incref(env), array);
	kb_variants_add(document, results, count);
	kb_print_json(document);
}

void kb_print_measured(const char *schema, const struct kb_workflow *w, json_t *rest)
{
	json_t *document = json_pack("{s:s, s:s, s:o, s:O}", "schema", schema, "started", w->started, "seed", kb_json_whole(w->run.seed),
				     "env", w->env);

	json_object_update(document, rest);
	json_decref(rest);
	kb_print_json(document);
}

/* ---- emulators: the kernel's clock is made of the processor's counter, so what that counts, its nanoseconds are ---- */

void kb_warn_emulated(const struct kb_command *command)
{
	static bool warned;
	bool one_by_one;

	if (warned)
		return;
	warned = true;
	switch (kb_machine_counts(&one_by_one)) {
	case KB_COUNTS_INSTRUCTIONS:
		kb_complain(command, "an emulator's clock counts instructions here: %s", one_by_one ? "a ns that is printed is an instruction" :
			    "what is printed as time is a number of instructions");
		return;
	case KB_COUNTS_EMULATION:
		kb_complain(command, "an emulator runs this machine: what is printed as time measures the emulator");
		return;
	case KB_COUNTS_TIME: return;
	}
}

void kb_put_kernel_clock(struct kb_record_writer *writer, double cost)
{
	bool one_by_one;
	enum kb_clock_counts counts = kb_machine_counts(&one_by_one);
	char line[96];

	snprintf(line, sizeof line, "%s hz=%d quantum=1 cost=%.0f ordered=1",
		 counts == KB_COUNTS_INSTRUCTIONS && one_by_one ? KB_CLOCK_ICOUNT : "ns", counts == KB_COUNTS_TIME ? 1000000000 : 0, cost);
	kb_record_line(writer, "clock", line);
	if (counts == KB_COUNTS_EMULATION)
		kb_record_line(writer, "note", "emulated_clock \"an emulator runs this machine\"");
}
