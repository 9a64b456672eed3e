/*
 * See fleet.h: nodes that are processes of this machine, one after another, or with --share all at once. Each is a session of its own, and
 * measures on when we are gone.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "run/process/child.h"
#include "workflow/build.h"
#include "workflow/fleet/fleet.h"

static int prepare(const struct kb_fleet_request *request, struct kb_fleet *fleet, struct kb_failure *failure)
{
	char name[24];
	int code = 0;

	for (unsigned i = 0; i < request->nodes && !code; i++) {
		snprintf(name, sizeof name, "local-%u", i);
		code = kb_fleet_add(fleet, name, failure);
	}
	return code;
}

static void start_node(struct kb_fleet *fleet, struct kb_fleet_node *node)
{
	char script[PATH_MAX], directory[PATH_MAX], session[PATH_MAX], rank[24];
	const char *const words[] = { "sh", script, directory, rank, node->name, NULL };
	int error;

	kb_build_path(script, fleet->place, "node.sh");
	kb_fleet_path(fleet, node, "", directory);
	kb_fleet_path(fleet, node, "session", session);
	snprintf(rank, sizeof rank, "%u", node->rank);
	error = kb_child_start(words, &(struct kb_child_files){ .output = session }, KB_CHILD_FREE, &node->child);
	if (error) {
		kb_fleet_lose(node, false, "cannot be started: %s", strerror(-error));
		return;
	}
	node->began = true;
	node->state = KB_NODE_RUNNING;
}

static void start_next(struct kb_fleet *fleet)
{
	bool busy = false;

	for (size_t i = 0; i < fleet->count; i++)
		busy |= fleet->nodes[i].state == KB_NODE_RUNNING;
	for (size_t i = 0; i < fleet->count && !fleet->cancelled; i++) {
		if (fleet->nodes[i].state != KB_NODE_WAITING || (busy && !fleet->share))
			continue;
		start_node(fleet, &fleet->nodes[i]);
		busy = true;
	}
}

static int start(const struct kb_fleet_request *request, struct kb_fleet *fleet, struct kb_failure *failure)
{
	(void)request;
	(void)failure;
	start_next(fleet);
	return 0;
}

static int attach(struct kb_fleet *fleet, struct kb_failure *failure)
{
	(void)failure;
	for (size_t i = 0; i < fleet->count; i++) {
		if (fleet->nodes[i].state == KB_NODE_WAITING)
			kb_fleet_lose(&fleet->nodes[i], false, "it had not begun when the first kbench ended");
		else if (fleet->nodes[i].state == KB_NODE_RUNNING && fleet->nodes[i].child == 0 && !kb_fleet_look(fleet, &fleet->nodes[i]))
			kb_fleet_lose(&fleet->nodes[i], false, "which process it is was not written down");
	}
	return 0;
}

static bool has_processes(const struct kb_fleet_node *node)
{
	return !kill(-node->child, 0) || errno != ESRCH;
}

static void poll_node(struct kb_fleet *fleet, struct kb_fleet_node *node)
{
	int code = 0;
	bool ended = kb_child_ended(node->child, &code), just_now = code != -ECHILD;

	if (!ended || kb_fleet_look(fleet, node))
		return;
	/* Later, or of what an earlier kbench started, nobody tells how it ended. */
	if (just_now)
		node->signal = code > 128 ? code - 128 : 0;
	/* Its kbench saves what it has, in a directory that must not be removed before. */
	if (!has_processes(node))
		kb_fleet_lose(node, false, node->signal ? "its process was killed by signal %d" : "its process ended without a word", node->signal);
	else if (just_now)
		kill(-node->child, SIGTERM);
}

static void poll(struct kb_fleet *fleet)
{
	for (size_t i = 0; i < fleet->count; i++) {
		if (fleet->nodes[i].state == KB_NODE_RUNNING)
			poll_node(fleet, &fleet->nodes[i]);
	}
	start_next(fleet);
}

static void cancel(struct kb_fleet *fleet, struct kb_fleet_node *one)
{
	for (size_t i = 0; i < fleet->count; i++) {
		struct kb_fleet_node *node = &fleet->nodes[i];

		if (one && node != one)
			continue;
		if (node->state == KB_NODE_WAITING)
			kb_fleet_lose(node, false, "%s before it began", node->stopped);
		else if (node->state == KB_NODE_RUNNING)
			kill(-node->child, SIGTERM);
	}
}

const struct kb_fleet_transport kb_fleet_local = {
	.name = "local", .least_ns = 100 * KB_MS, .most_ns = KB_S, .prepare = prepare, .start = start, .attach = attach, .poll = poll, .cancel = cancel,
};
