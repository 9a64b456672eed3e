/* kbench kernel insn: what each benchmark inside a kernel executes there, or on two kernels, to the instruction (workflow/guest/guest.h). */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/files.h"
#include "cli/kernel/kernel.h"
#include "cli/run.h"
#include "places.h"
#include "run/backend/kernel.h"
#include "workflow/guest/guest.h"
#include "workflow/machine.h"

_Static_assert(KB_COUNT_BOOTS_MAX <= KB_GUEST_BOOTS_MAX, "as many boots as can be asked for");

/* That of this machine, where its image and its headers are installed. */
static const char *own_kernel(char path[128])
{
	struct utsname names;

	uname(&names);
	snprintf(path, 128, "/boot/vmlinuz-%s", names.release);
	return path;
}

int kb_kernel_verb_insn(struct kb_kernel_job *job, int argc, char **argv)
{
	struct kb_guest_request request = {
		.patterns = (const char *const *)argv, .pattern_count = (size_t)argc, .sets = job->sets.at, .set_count = job->sets.count,
		.own = job->own, .own_count = kb_kernel_own_count(job), .boots = job->counts.boots, .store = job->counts.store,
		.notes = kb_notes_of(job->command),
	};
	struct kb_guest_kernel kernel, against;
	struct kb_failure failure;
	char ids[2][37], ours[128];
	char *command = kb_command_line(job->command->program ?: "kbench", job->argc, job->argv);

	if (!job->counts.kernel)
		job->counts.kernel = own_kernel(ours);
	request.command = command;
	/* Names of the user's own are known when they are built. */
	if (!job->own[0])
		kb_counts_check(job->command, kb_kernel_benches, argv, argc);
	kb_die_if(job->command, kb_guest_find(&kernel, job->counts.kernel, job->headers, &failure), &failure);
	if (job->counts.against)
		kb_die_if(job->command, kb_guest_find(&against, job->counts.against, job->against_headers, &failure), &failure);
	if (job->counts.against && against.platform != kernel.platform)
		kb_die(job->command, KB_EXIT_USAGE, "%.100s and %.100s are kernels for two architectures: counts of one mean nothing for the other",
		       job->counts.kernel, job->counts.against);
	kb_build_target(job->command, NULL, kb_cache_directory(request.directory, "guest"), request.directory);
	if (job->counts.against)
		kb_die_if(job->command, kb_guest_count(&against, &request, ids[0], &failure), &failure);
	kb_die_if(job->command, kb_guest_count(&kernel, &request, ids[1], &failure), &failure);
	free(command);
	return kb_counts_report(job->command, &job->counts, job->counts.against ? ids[0] : NULL, ids[1]);
}
