/* kbench kernel doctor: what this kernel allows. It leaves nothing behind. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/utsname.h>

#include "cli/kernel/kernel.h"
#include "cli/print.h"
#include "report/text/reasons.h"
#include "result/json/json.h"
#include "run/backend/facility.h"
#include "run/backend/kernel.h"

static const char *errno_name(int error)
{
	const char *name = strerrorname_np(error);

	return name ? name : "refused";
}

static void print_line(const struct kb_style *look, const char *label, const char *text)
{
	char line[400];

	snprintf(line, sizeof line, "%s %s", label, text);
	if (text[0])
		kb_print_wrapped(stdout, look, 8, line);
}

static void print(const struct kb_facility *facilities, size_t count, const char *lacks)
{
	struct kb_style look = kb_style_here(false);
	unsigned works = 0;

	for (size_t i = 0; i < count; i++) {
		const struct kb_facility *facility = &facilities[i];

		printf("%-16s %-12s %s\n", facility->name, facility->error ? errno_name(facility->error) : "yes", facility->what);
		print_line(&look, "why:", facility->why);
		print_line(&look, "do: ", facility->remedy);
		works += facility->error == 0;
	}
	printf("%u of %zu work here; the benchmarks kernel.* %s%s\n", works, count,
	       lacks[0] ? "are skipped: " : "can be measured", lacks);
}

static json_t *to_json(const struct kb_facility *facilities, size_t count, const char *lacks)
{
	json_t *array = json_array();
	struct utsname names;

	uname(&names);
	for (size_t i = 0; i < count; i++) {
		const struct kb_facility *facility = &facilities[i];

		json_array_append_new(array, json_pack("{s:s, s:s, s:b, s:s?, s:s, s:s}", "name", facility->name, "what", facility->what,
						       "works", facility->error == 0, "errno",
						       facility->error ? errno_name(facility->error) : NULL, "why", facility->why,
						       "remedy", facility->remedy));
	}
	return json_pack("{s:s, s:o, s:b, s:s, s:o}", "schema", "kbench-kernel/1", "kernel", kb_json_string(names.release), "available",
			 !lacks[0], "why", lacks, "facilities", array);
}

int kb_kernel_verb_doctor(struct kb_kernel_job *job, int argc, char **argv)
{
	struct kb_facility facilities[KB_FACILITIES_MAX];
	size_t count = kb_facilities(facilities);
	char lacks[KB_KERNEL_WHY];

	(void)argc, (void)argv;
	kb_kernel_can(lacks);
	if (job->json)
		kb_print_json(to_json(facilities, count, lacks));
	else
		print(facilities, count, lacks);
	return KB_EXIT_DONE;
}
