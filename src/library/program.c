/* kb_main: a program that is `kbench run` for its own benchmarks. */
#include "library/library.h"

#include <getopt.h>
#include <locale.h>
#include <string.h>

#include "cli/run.h"
#include "io.h"

struct kb_bench kb_bench_of(const char *name, int (*op)(struct kb_run *, uint64_t))
{
	return (struct kb_bench){ KB_BENCH(name), .op = op, .base = kb_empty_loop };
}

int kb_main(int argc, char **argv, const struct kb_bench *const *benches)
{
	static struct kb_option options[KB_OPTIONS_MAX + 1];
	struct kb_command command = kb_command_run;
	struct kb_run_request request;
	uint64_t given;
	size_t count = 0;

	kb_measurable(argc, argv, benches);
	kb_ignore_file_limit();
	setlocale(LC_CTYPE, "");
	for (const struct kb_option *option = kb_run_option_table; option->name; option++) {
		if (strcmp(option->name, "plugin") && strcmp(option->name, "emulate")) /* they are about benchmarks of kbench */
			options[count++] = *option;
	}
	command.program = argc > 0 ? argv[0] : "kbench";
	command.summary = "Measure the benchmarks of this program, print a table and keep the run";
	command.text = "A pattern is a name or a shell glob; without one, all are measured. 'kbench help run' explains more.\n";
	command.options = options;
	command.examples = "  --budget 10s\n  --precision 0.5% --json\n";
	request = (struct kb_run_request){ .w = kb_library_request(benches) };
	given = kb_read_options(&command, argc, argv, &request);
	request.w.patterns = (const char *const *)argv + optind;
	request.w.pattern_count = (size_t)(argc - optind);
	return kb_finish_output(&command, kb_run_measure(&command, &request, given, argc - 1, argv + 1));
}
