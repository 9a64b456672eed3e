/*
 * See fleet.h: nodes that Slurm chooses: one job array, a task a node. Slurm alone decides when and where; we ask how far it is, no more
 * often than it can bear. Nodes write into a directory that all of them see.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "assemble/command.h"
#include "base/units.h"
#include "io.h"
#include "run/run.h"
#include "workflow/build.h"
#include "workflow/fleet/fleet.h"

#define SUBMIT_MS 60000
#define ASK_MS 30000
#define LATE_NS (20 * KB_S)     /* until the end of a task is to be seen here */
#define SILENCE_NS (600 * KB_S) /* that Slurm may not answer */
#define OURS 16
#define MORE 64                 /* words of --slurm */

static int prepare(const struct kb_fleet_request *request, struct kb_fleet *fleet, struct kb_failure *failure)
{
	char here[PATH_MAX], directory[PATH_MAX];
	int code = 0;

	if (request->directory ? !realpath(request->directory, here) : !getcwd(here, sizeof here))
		return kb_refuse_typed(failure, "--directory '%.200s': %s", request->directory ? request->directory : ".", strerror(errno));
	if (snprintf(directory, sizeof directory, "%s/kbench-fleet-%s", here, fleet->id) >= PATH_MAX - 64)
		return kb_refuse_typed(failure, "--directory '%.200s': too long", here);
	memcpy(fleet->place, directory, sizeof directory);
	for (unsigned i = 0; i < request->nodes && !code; i++)
		code = kb_fleet_add(fleet, "", failure);
	return code;
}

/* ---- submitting -------------------------------------------------------------------------------------------------- */

/* The line that has the reason: the last one. */
static int refuse(const char *program, int code, const struct kb_command_output *output, struct kb_failure *failure)
{
	char *text = output->text ? output->text : "", *line;

	if (code == -ENOENT)
		return kb_refuse(failure, KB_EXIT_USAGE, "%s: no such program; is Slurm installed here?", program);
	if (code < 0)
		return kb_refuse(failure, KB_EXIT_FAILED, "%s: %s", program, strerror(-code));
	for (size_t length = strlen(text); length > 0 && text[length - 1] == '\n';)
		text[--length] = '\0';
	line = strrchr(text, '\n');
	return kb_refuse(failure, KB_EXIT_USAGE, "%s", line ? line + 1 : text[0] ? text : "sbatch failed without output");
}

/* The name of the job, by which it is found where its number was lost. */
static void name_job(const struct kb_fleet *fleet, char name[64])
{
	snprintf(name, 64, "kbench-fleet-%s", fleet->id);
}

static int submit(const struct kb_fleet_request *request, const struct kb_fleet *fleet, struct kb_command_output *output)
{
	char script[PATH_MAX], array[40], limit[40], partition[160], name[64], job[90];
	char *more = strdup(request->slurm ? request->slurm : ""), *state;
	uint64_t seconds = (fleet->time_ns + KB_S - 1) / KB_S;
	const char *words[OURS + MORE];
	unsigned count = 0;
	int code = -E2BIG;

	kb_build_path(script, fleet->place, "node.sh");
	name_job(fleet, name);
	snprintf(job, sizeof job, "--job-name=%s", name);
	snprintf(array, sizeof array, "--array=0-%zu", fleet->count - 1);
	snprintf(limit, sizeof limit, "--time=%llu:%02llu", (unsigned long long)(seconds / 60), (unsigned long long)(seconds % 60));
	words[count++] = "sbatch";
	words[count++] = "--parsable";
	words[count++] = job;
	words[count++] = array;
	words[count++] = limit;
	words[count++] = "--nodes=1";
	words[count++] = "--no-requeue";
	words[count++] = "--output=/dev/null";
	if (!request->share)
		words[count++] = "--exclusive";
	snprintf(partition, sizeof partition, "--partition=%.140s", request->partition ? request->partition : "");
	if (request->partition)
		words[count++] = partition;
	/* The user's come last: sbatch takes the last of two. */
	for (char *word = more ? strtok_r(more, " ", &state) : NULL; word && count < OURS + MORE - 3; word = strtok_r(NULL, " ", &state))
		words[count++] = word;
	words[count++] = script;
	words[count++] = fleet->place;
	words[count] = NULL;
	if (more && count < OURS + MORE - 1)
		code = kb_command(words, SUBMIT_MS, output);
	free(more);
	return code;
}

static void cancel(struct kb_fleet *, struct kb_fleet_node *);

static int start(const struct kb_fleet_request *request, struct kb_fleet *fleet, struct kb_failure *failure)
{
	struct kb_command_output output = { NULL, 0 };
	int code = submit(request, fleet, &output);

	if (code || !kb_slurm_read_job(output.text ? output.text : "", fleet->job)) {
		refuse("sbatch", code, &output, failure);
		/* It may have been submitted all the same, as where a signal ended sbatch. */
		cancel(fleet, NULL);
	}
	free(output.text);
	return fleet->job[0] ? 0 : failure->code;
}

/* ---- how it goes ------------------------------------------------------------------------------------------------- */

/* Each line that the program prints, as a task of this fleet. Whether it answered: a job that it does not know any more is an answer, too. */
static bool ask(struct kb_fleet *fleet, const char *const *words, bool (*read)(struct kb_span, struct kb_slurm_task *), struct kb_slurm_task *tasks)
{
	struct kb_command_output output = { NULL, 0 };
	struct kb_slurm_task task;
	bool answered = kb_command(words, ASK_MS, &output) == 0 || (output.text && strstr(output.text, "Invalid job id"));

	if (answered && output.text) {
		for (const char *at = output.text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
			if (!read((struct kb_span){ at, strcspn(at, "\n") }, &task) || task.rank >= fleet->count)
				continue;
			if (!fleet->job[0])
				memcpy(fleet->job, task.job, sizeof fleet->job);
			if (!strcmp(task.job, fleet->job))
				tasks[task.rank] = task;
		}
	}
	free(output.text);
	return answered;
}

static bool ask_queue(struct kb_fleet *fleet, struct kb_slurm_task *tasks)
{
	char name[64], which[96];

	name_job(fleet, name);
	if (fleet->job[0])
		snprintf(which, sizeof which, "--jobs=%s", fleet->job);
	else
		snprintf(which, sizeof which, "--name=%s", name);
	return ask(fleet, (const char *const[]){ "squeue", "--noheader", "--array", "--all", "--states=all", which, "--format=%F|%K|%T|%N|%r|%L", NULL },
		   kb_slurm_read_squeue, tasks);
}

/* Of tasks that have left the queue: where there is no accounting, Slurm itself knows for some minutes. */
static bool ask_past(struct kb_fleet *fleet, struct kb_slurm_task *tasks)
{
	char which[40];

	if (!fleet->job[0])
		return true;
	snprintf(which, sizeof which, "--jobs=%s", fleet->job);
	ask(fleet, (const char *const[]){ "sacct", "--noheader", "--parsable2", "--allocations", "--array", which, "--format=JobID,State,NodeList", NULL },
	    kb_slurm_read_sacct, tasks);
	ask(fleet, (const char *const[]){ "scontrol", "--oneliner", "show", "job", fleet->job, NULL }, kb_slurm_read_scontrol, tasks);
	return true;
}

static bool is_open(const struct kb_fleet_node *node)
{
	return node->state == KB_NODE_WAITING || node->state == KB_NODE_RUNNING;
}

/* Slurm's word first, then what the script wrote, which is better; but why it was stopped Slurm alone knows, and tells when it is over. */
static void settle(struct kb_fleet *fleet, struct kb_fleet_node *node, const struct kb_slurm_task *task)
{
	uint64_t now_ns = kb_monotonic_ns();
	bool known = task->state[0], late = node->ended_ns && now_ns - node->ended_ns > LATE_NS;
	bool ended = !known || kb_slurm_settle(node, task, late);
	struct kb_fleet_node seen = *node;

	seen.began = kb_fleet_look(fleet, &seen);
	if (seen.began && (ended || seen.exit <= 128))
		*node = seen;
	else if (!known && late)
		kb_fleet_lose(node, false, fleet->job[0] ? "Slurm does not know its task any more: cancelled?" : "its job was never submitted");
	if (ended && !node->ended_ns)
		node->ended_ns = now_ns;
}

/* A controller that is restarted, or changes its machine, loses no task: nothing is lost by its silence, but we do not wait for ever. */
static void note_silence(struct kb_fleet *fleet, bool answered)
{
	uint64_t now_ns = kb_monotonic_ns();

	fleet->silent_ns = answered ? 0 : fleet->silent_ns ? fleet->silent_ns : now_ns;
	for (size_t i = 0; i < fleet->count && !answered && now_ns - fleet->silent_ns > SILENCE_NS; i++) {
		if (is_open(&fleet->nodes[i]))
			kb_fleet_lose(&fleet->nodes[i], true, "Slurm has not answered for %llu minutes", (unsigned long long)(SILENCE_NS / (60 * KB_S)));
	}
}

static void poll(struct kb_fleet *fleet)
{
	struct kb_slurm_task *tasks = calloc(fleet->count, sizeof *tasks);
	bool asked = false, answered;

	if (!tasks)
		return;
	answered = ask_queue(fleet, tasks);
	for (size_t i = 0; i < fleet->count; i++) {
		struct kb_fleet_node *node = &fleet->nodes[i];

		if (!is_open(node))
			continue;
		if (!answered) {
			node->began |= kb_fleet_look(fleet, node);
			continue;
		}
		if (!tasks[i].state[0] && !asked)
			asked = ask_past(fleet, tasks);
		settle(fleet, node, &tasks[i]);
	}
	note_silence(fleet, answered);
	free(tasks);
}

static int attach(struct kb_fleet *fleet, struct kb_failure *failure)
{
	if (access(fleet->place, F_OK))
		return kb_refuse(failure, KB_EXIT_USAGE, "%.400s: %s; what the nodes measured was there", fleet->place, strerror(errno));
	return 0;
}

static void cancel(struct kb_fleet *fleet, struct kb_fleet_node *one)
{
	struct kb_command_output output = { NULL, 0 };
	char name[64], which[96];

	name_job(fleet, name);
	if (one)
		snprintf(which, sizeof which, "%s_%u", fleet->job, one->rank);
	else
		snprintf(which, sizeof which, "--name=%s", name);
	kb_command((const char *const[]){ "scancel", which, NULL }, ASK_MS, &output);
	free(output.text);
}

const struct kb_fleet_transport kb_fleet_slurm = {
	.name = "slurm", .least_ns = KB_S, .most_ns = 10 * KB_S, .prepare = prepare, .start = start, .attach = attach, .poll = poll, .cancel = cancel,
};
