/*
 * A program of the user's for another platform: nothing of that platform is installed and an emulator loads nothing, so it is
 * linked to a collector of its own, which runs directly or under the emulator. What kbench itself must know of it, its name and
 * its params, comes as a shared object for this machine.
 */
#define _GNU_SOURCE
#include "cli/yamba/yamba.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/files.h"
#include "run/backend/backend.h"
#include "run/process/describe.h"
#include "suite/select.h"
#include "workflow/machine.h"

#define SPAN(span) (int)(span).length, (span).at

/* ---- the collector ------------------------------------------------------------------------------- */

/* That without programs, of the same build as we are. */
static const char *find_part(struct kb_yamba_job *job, const char *platform)
{
	char ours[PATH_MAX], real[PATH_MAX], why[KB_TRUST_WHY];
	struct kb_collector found;
	struct kb_failure failure;

	kb_die_if(job->command, kb_find_collector(ours, &failure), &failure);
	kb_collector_find(ours, platform, &found);
	if (found.unavailable_reason[0])
		kb_die(job->command, KB_EXIT_USAGE, "%s", found.unavailable_reason);
	if (kb_trust(kb_arena_format(&job->arena, "%s-%s.o", ours, platform), KB_TRUST_OWNER, real, why))
		kb_die(job->command, KB_EXIT_USAGE, "%s; or build or install kbench again", why);
	return kb_arena_format(&job->arena, "%s", real);
}

/* The list of a collector's benchmarks, which tools/bench-list makes of those that are built in. */
static const char list[] = "\nextern const struct kb_bench *const kb_benches[];\nextern const unsigned kb_bench_count;\n"
	"const struct kb_bench *const kb_benches[] = { &kb_plugin, 0 };\nconst unsigned kb_bench_count = 1;\n";

/* ---- what the parent knows ----------------------------------------------------------------------- */

static bool make_description(struct kb_yamba_job *job, const struct kb_yamba_class *class, const char *path)
{
	const struct kb_yamba_product product = { .path = path, .headers = kb_arena_format(&job->arena, "%s.d", path), .host = true };
	struct kb_output output;
	FILE *file;
	bool good;

	if (kb_yamba_is_fresh(&product))
		return true;
	file = kb_output_begin(job->command, &output);
	fputs("#include <kbench.h>\n\n", file);
	kb_yamba_emit_described(file);
	kb_yamba_emit_description(file, &job->yamba, class);
	fprintf(file, "extern const struct kb_bench kb_plugin __attribute__((alias(\"y_%.*s\")));\n", SPAN(class->name));
	good = kb_yamba_job_compile(job, class, kb_output_end(job->command, &output), &product);
	free(output.text);
	return good;
}

bool kb_yamba_job_cross(struct kb_yamba_job *job, const struct kb_yamba_class *class, const char *path)
{
	const char *platform = kb_arena_string(&job->arena, class->platform->name);
	const char *stem = kb_arena_string(&job->arena, (struct kb_span){ path, strlen(path) - strlen(".so") });
	static struct kb_bench bench;   /* until the program ends */
	struct kb_failure failure;
	const char *collector = kb_arena_format(&job->arena, "%s-%s", stem, platform);
	const struct kb_yamba_product product = {
		.path = collector, .headers = kb_arena_format(&job->arena, "%s.d", collector), .collector = find_part(job, platform),
	};
	char real[PATH_MAX];

	if (!kb_yamba_job_make(job, class, true, list, &product) || !make_description(job, class, path))
		return false;
	kb_die_if(job->command, kb_load_plugin(path, KB_DESCRIBE_NS, real, &bench, &failure), &failure);
	/* Results of two benchmarks of one name could not be told apart. */
	for (unsigned i = 0; i < kb_bench_count; i++) {
		if (!strcmp(kb_benches[i]->name, bench.name))
			kb_die(job->command, KB_EXIT_USAGE, "this kbench has another %s, for this machine; give the class another name",
				bench.name);
	}
	kb_cross_add(&bench, kb_target_find(platform)->name, stem);
	return true;
}
