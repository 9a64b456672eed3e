/* kbench doctor kernel: what this kernel allows, each capability tried by the smallest real use of it. It leaves nothing behind. */
#include <sys/utsname.h>

#include "cli/kernel/kernel.h"
#include "report/text/style.h"
#include "result/json/json.h"
#include "run/backend/capability.h"
#include "run/backend/kernel.h"
#include "trace/bpf.h"

static void print(const struct kb_capability *capabilities, size_t count, const char *reason)
{
	struct kb_style style = kb_style_here(false);
	unsigned works = 0;

	for (size_t i = 0; i < count; i++) {
		const struct kb_capability *capability = &capabilities[i];

		printf("%-16s %-12s %s\n", capability->name, capability->error ? kb_bpf_errno_name(capability->error) : "yes", capability->what);
		if (capability->why[0])
			kb_print_sentence(stdout, &style, 8, "why: %s", capability->why);
		if (capability->remedy[0])
			kb_print_sentence(stdout, &style, 8, "do:  %s", capability->remedy);
		works += capability->error == 0;
	}
	printf("%u of %zu work here; the benchmarks kernel.* %s%s\n", works, count,
	       reason[0] ? "are skipped: " : "can be measured", reason);
}

static json_t *to_json(const struct kb_capability *capabilities, size_t count, const char *reason)
{
	json_t *array = json_array();
	struct utsname names;

	uname(&names);
	for (size_t i = 0; i < count; i++) {
		const struct kb_capability *capability = &capabilities[i];

		json_array_append_new(array, json_pack("{s:s, s:s, s:b, s:s?, s:s, s:s}", "name", capability->name, "what", capability->what,
						       "works", capability->error == 0, "errno",
						       capability->error ? kb_bpf_errno_name(capability->error) : NULL, "why", capability->why,
						       "remedy", capability->remedy));
	}
	return json_pack("{s:s, s:o, s:b, s:s, s:o}", "schema", "kbench-kernel/1", "kernel", kb_json_string(names.release), "available",
			 !reason[0], "why", reason, "facilities", array);
}

int kb_kernel_doctor(bool json)
{
	struct kb_capability capabilities[KB_CAPABILITIES_MAX];
	size_t count = kb_capabilities(capabilities);
	char reason[KB_KERNEL_WHY];

	kb_kernel_available(reason);
	if (json)
		kb_print_json(to_json(capabilities, count, reason));
	else
		print(capabilities, count, reason);
	return KB_EXIT_DONE;
}
