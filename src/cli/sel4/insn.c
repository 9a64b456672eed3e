/*
 * kbench sel4 insn: what each benchmark executes on a kernel, or on two, to the instruction. Each kernel gets its root server, boots
 * several times, and is kept as a run of the store.
 */
#define _GNU_SOURCE
#include "cli/sel4/sel4.h"

#include <stdlib.h>
#include <string.h>

#include "cli/run.h"

#define FACT 80
#define BUDGET_S 36000          /* what ends a boot is the number of its instructions */

/* From here on this kernel is the one that the variables name; prefix NULL: it is already. */
static void choose(struct kb_sel4_job *job, const char *prefix)
{
	char why[KB_SEL4_WHY];

	kb_sel4_choose(prefix);
	if (!kb_sel4_prefix(&job->prefix, why))
		kb_die(job->command, KB_EXIT_UNFIT, "%s", why);
}

static void refuse_board(const struct kb_sel4_job *job)
{
	struct kb_sel4_config config;

	kb_sel4_config_read(job, &config);

	const struct kb_sel4_rule *rule = kb_sel4_next_rule(&config, NULL, KB_SEL4_BOARD);

	if (rule)
		kb_die(job->command, KB_EXIT_UNFIT, "%s", rule->text);
	kb_sel4_config_free(&config);
}

/* Root servers of one kbench, whatever lies in the cache: else a difference could be theirs. */
static void build(struct kb_sel4_job *job, const char *prefix, char config[FACT])
{
	char into[PATH_MAX], arch[KB_SEL4_ARCH_NAME];

	choose(job, prefix);
	kb_sel4_build(job, into, arch);
	refuse_board(job);
	kb_sel4_fact(into, "config", config, FACT);
}

/* Before hours of boots: what a change of the options costs is another question. */
static void build_both(struct kb_sel4_job *job)
{
	const struct kb_counts_request *counts = &job->counts;
	char config[2][FACT];

	if (counts->against)
		build(job, counts->against, config[0]);
	build(job, counts->kernel, config[1]);
	if (counts->against && !counts->any_config && strcmp(config[0], config[1]) != 0)
		kb_die(job->command, KB_EXIT_USAGE, "%.200s and %.200s are configured differently; --any-config compares what that costs",
		       counts->against, counts->kernel);
}

static int count(struct kb_sel4_job *job, const char *prefix, struct kb_workflow_request *request, char id[37])
{
	static struct kb_workflow w;
	struct kb_failure failure;
	int code;

	choose(job, prefix);
	kb_die_if(job->command, kb_workflow_plan(request, &w, &failure), &failure);
	for (size_t i = 0; i < w.count; i++) {
		if (strcmp(kb_backend_of(&w.rows[i])->name, KB_SEL4) != 0)
			kb_usage(job->command, "'%.60s' is no benchmark of seL4; see 'kbench list sel4.*'", w.rows[i].settings.bench->name);
	}
	kb_die_if(job->command, kb_workflow_execute(request, &w, &failure), &failure);
	if (!kb_workflow_kept(&w))
		kb_die(job->command, KB_EXIT_USAGE, "the counts could not be kept, so there is nothing to compare");
	snprintf(id, 37, "%s", w.id);
	code = w.outcome.interrupted ? KB_EXIT_SIGNAL + w.outcome.signal : KB_EXIT_DONE;
	kb_workflow_release(&w);
	return code;
}

int kb_sel4_verb_insn(struct kb_sel4_job *job, int argc, char **argv)
{
	static const char *const all[] = { KB_SEL4 ".*" };
	struct kb_workflow_request request = kb_workflow_defaults();
	char ids[2][37];
	int code = KB_EXIT_DONE;

	request.patterns = argc > 0 ? (const char *const *)argv : all;
	request.pattern_count = argc > 0 ? (size_t)argc : 1;
	request.sets = job->sets.at;
	request.set_count = job->sets.count;
	request.defaults = true;
	request.run.processes = job->counts.boots;
	request.run.processes_given = true;
	request.run.seed = 1;
	request.run.one_order = true;
	request.run.method = KB_METHOD_SLOPE;
	request.run.budget_ns = BUDGET_S * KB_S;
	request.store = job->counts.store;
	request.label = "insn";
	kb_begin_request(job->command, &request, job->argc, job->argv);
	kb_counts_check(job->command, kb_sel4_benches, argv, argc);
	if (!job->counts.kernel)
		job->counts.kernel = getenv("SEL4_PREFIX");
	if (job->counts.against && !job->counts.kernel)
		kb_usage(job->command, "--against needs a kernel to compare with it: name it with --prefix or SEL4_PREFIX");
	build_both(job);
	if (job->counts.against)
		code = count(job, job->counts.against, &request, ids[0]);
	if (code == KB_EXIT_DONE)
		code = count(job, job->counts.kernel, &request, ids[1]);
	if (!job->counts.kernel)
		job->counts.kernel = job->prefix.kernel;
	return code ? code : kb_counts_report(job->command, &job->counts, job->counts.against ? ids[0] : NULL, ids[1]);
}
