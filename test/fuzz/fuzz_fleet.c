/*
 * Any bytes as what other machines and schedulers tell of a fleet: hosts, lines of squeue, sacct and scontrol, the file at a node's end, the
 * state of a fleet. Names are names, reasons can be shown.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>

#include "workflow/fleet/fleet.h"

static void require_node(const struct kb_fleet_node *node)
{
	require(!node->name[0] || kb_place_is_name(node->name));
	require(kb_is_visible(node->reason) && kb_is_visible(node->waits));
}

static void require_nodes(struct kb_fleet *fleet, int code, const struct kb_failure *failure)
{
	require(fleet->count <= KB_FLEET_NODES_MOST);
	for (size_t i = 0; i < fleet->count; i++) {
		require_node(&fleet->nodes[i]);
		require(fleet->nodes[i].name[0] && fleet->nodes[i].rank == i);
	}
	require(code ? code == failure->code && failure->text[0] && !failure->lines : fleet->count > 0);
	free(fleet->nodes);
}

static void hosts(const char *text, size_t size)
{
	static int file = -1;
	struct kb_fleet list = { .count = 0 }, of_file = { .count = 0 };
	struct kb_failure failure = { .code = 0 };
	char path[40];

	require_nodes(&list, kb_fleet_add_hosts(&list, text, &failure), &failure);
	fuzz_file(&file, (const uint8_t *)text, size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	failure.code = 0;
	require_nodes(&of_file, kb_fleet_add_hosts_of(&of_file, path, &failure), &failure);
}

static void line(const char *text, size_t size)
{
	static bool (*const readers[])(struct kb_span, struct kb_slurm_task *) = { kb_slurm_read_squeue, kb_slurm_read_sacct, kb_slurm_read_scontrol };
	struct kb_slurm_task task;

	for (unsigned i = 0; i < sizeof readers / sizeof readers[0]; i++) {
		if (!readers[i]((struct kb_span){ text, size }, &task))
			continue;
		require(task.state[0] && kb_is_visible(task.job) && kb_is_visible(task.reason));
		require(!task.node[0] || kb_place_is_name(task.node));
		for (unsigned late = 0; late < 2; late++) {
			struct kb_fleet_node node = { .exit = KB_FLEET_NONE };

			kb_slurm_settle(&node, &task, late);
			require_node(&node);
		}
	}
}

static void word(const char *text, size_t size)
{
	uint64_t seconds;
	char job[24];

	if (kb_slurm_read_time((struct kb_span){ text, size }, &seconds))
		require(size > 0 && seconds <= 10000000ull * (24 * 3600 + 3600 + 60 + 1));
	require(!kb_slurm_read_job(text, job) || strspn(job, "0123456789") == strlen(job));
}

static void end(const char *text, size_t size)
{
	struct kb_fleet_node node = { .exit = KB_FLEET_NONE };

	(void)size;
	if (kb_fleet_read_end(text, &node)) {
		require(node.exit >= 0 && node.exit <= 255);
		kb_fleet_settle(&node);
		require(node.state == KB_NODE_DONE || node.state == KB_NODE_LOST);
	}
	require_node(&node);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *, size_t) = { hosts, line, word, end };
	unsigned choice = fuzz_choice(&data, &size, sizeof parsers / sizeof parsers[0]);
	char *text = fuzz_text(data, size);

	parsers[choice](text, size);
	free(text);
	return 0;
}
