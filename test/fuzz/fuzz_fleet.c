/*
 * Any bytes as what other machines and schedulers tell of a fleet: hosts, lines of squeue, sacct and scontrol, the file at a node's end, the
 * state of a fleet. Names are names, reasons can be shown.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>
#include <sys/stat.h>

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

static char home[300];

static void remove_home(void)
{
	char path[400];

	for (const char *const *part = (const char *const[]){ "/kbench/fleet/7/fleet.json", "/kbench/fleet/7", "/kbench/fleet", "/kbench", "", NULL }; *part; part++) {
		snprintf(path, sizeof path, "%s%s", home, *part);
		remove(path);
	}
}

/* The one fleet of a home of our own, whose file is one in memory. */
static void make_home(int *file)
{
	char path[400], target[40];

	fuzz_directory(home);
	require(setenv("XDG_STATE_HOME", home, 1) == 0);
	atexit(remove_home);
	for (const char *const *part = (const char *const[]){ "/kbench", "/kbench/fleet", "/kbench/fleet/7", NULL }; *part; part++) {
		snprintf(path, sizeof path, "%s%s", home, *part);
		require(mkdir(path, 0700) == 0);
	}
	fuzz_file(file, NULL, 0);
	snprintf(path, sizeof path, "%s/kbench/fleet/7/fleet.json", home);
	snprintf(target, sizeof target, "/proc/self/fd/%d", *file);
	require(symlink(target, path) == 0);
}

static void state(const char *text, size_t size)
{
	static int file = -1;
	struct kb_fleet fleet = { .lock = -1 };
	struct kb_failure failure = { .code = 0 };
	json_t *list;

	if (file < 0)
		make_home(&file);
	fuzz_file(&file, (const uint8_t *)text, size);
	if (kb_fleet_state_load(&fleet, "7", &failure) == 0) {
		require(fleet.transport && fleet.place[0] == '/');
		for (size_t i = 0; i < fleet.count; i++) {
			require_node(&fleet.nodes[i]);
			/* Whose group is sent signals. */
			require(fleet.nodes[i].child == 0 || fleet.nodes[i].child > 1);
		}
	} else {
		require(failure.code == KB_EXIT_USAGE && failure.text[0] && !failure.lines);
	}
	list = kb_fleet_states();
	require(json_is_array(list) && json_array_size(list) <= 1);
	json_decref(list);
	kb_fleet_release(&fleet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *, size_t) = { hosts, line, word, end, state };
	unsigned choice = fuzz_choice(&data, &size, sizeof parsers / sizeof parsers[0]);
	char *text = fuzz_text(data, size);

	parsers[choice](text, size);
	free(text);
	return 0;
}
