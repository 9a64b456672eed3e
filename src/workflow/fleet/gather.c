/* See gather.h, and fleet.h: what a fleet came to. */
#include "workflow/fleet/gather.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "result/json/json.h"
#include "workflow/copy.h"
#include "workflow/runs/keep.h"

static const char *const states[] = {
	[KB_NODE_WAITING] = "waiting", [KB_NODE_RUNNING] = "running", [KB_NODE_DONE] = "done", [KB_NODE_LOST] = "lost",
};

const char *kb_fleet_state_name(enum kb_fleet_state state)
{
	return states[state];
}

/* ---- gathering --------------------------------------------------------------------------------------------------- */

/* Which runs it has, and their results. */
static int take_numbers(struct kb_fleet_node *node, const char *path, struct kb_failure *failure)
{
	struct kb_run_list list = { .count = 0 };
	struct kb_store *store;
	int error = kb_store_open(&store, path, KB_STORE_READ), code;

	code = error ? kb_refuse_store(failure, store, error) : kb_runs_list(store, UINT64_MAX, &list, failure);
	node->run_count = node->results = 0;
	memset(node->verdicts, 0, sizeof node->verdicts);
	for (size_t i = 0; i < list.count && !code; i++) {
		if (node->run_count < 2)
			memcpy(node->runs[node->run_count++], list.runs[i].id, sizeof node->runs[0]);
		node->results += list.runs[i].extent.results;
		for (unsigned k = 0; k < KB_STATUSES; k++)
			node->verdicts[k] += list.runs[i].extent.verdicts[k];
	}
	kb_runs_release(&list);
	kb_store_close(store);
	return code;
}

static int fetch(struct kb_fleet *fleet, struct kb_fleet_node *node)
{
	char path[PATH_MAX];

	if (fleet->transport->fetch)
		return fleet->transport->fetch(fleet, node);
	return access(kb_fleet_path(fleet, node, "kbench.db", path), F_OK) ? -ENOENT : 0;
}

/* A store that came damaged costs its own node; one of ours that cannot be written costs all that follow. */
static int gather_node(struct kb_fleet *fleet, struct kb_fleet_node *node, struct kb_failure *failure)
{
	struct kb_copied copied;
	char path[PATH_MAX];
	int error = node->again ? -EAGAIN : fetch(fleet, node);

	kb_fleet_path(fleet, node, "kbench.db", path);
	if (error == -ENOENT && node->state == KB_NODE_DONE)
		kb_fleet_lose(node, false, "it measured, and kept nothing");
	if (!error && take_numbers(node, path, failure)) {
		error = -EIO;
		/* Of one that is lost already that is no news: it may have been killed while it made the file. */
		if (node->state == KB_NODE_DONE)
			kb_fleet_lose(node, false, "what it measured cannot be read: %.100s", failure->text);
	}
	if (!error && kb_runs_copy(&(struct kb_copy_request){ .from = path, .to = fleet->store, .ours = true }, &copied, failure))
		return failure->code;
	node->gathered = !node->again && node->state != KB_NODE_RUNNING;
	return 0;
}

int kb_fleet_gather_nodes(struct kb_fleet *fleet, struct kb_failure *failure)
{
	int code = 0;

	for (size_t i = 0; i < fleet->count && !code; i++)
		code = gather_node(fleet, &fleet->nodes[i], failure) ?: kb_fleet_state_save(fleet, failure);
	return code;
}

/* ---- what it came to --------------------------------------------------------------------------------------------- */

bool kb_fleet_stays(const struct kb_fleet *fleet)
{
	for (size_t i = 0; i < fleet->count; i++) {
		if (!fleet->nodes[i].gathered)
			return true;
	}
	return false;
}

int kb_fleet_code(const struct kb_fleet *fleet)
{
	int code = fleet->signal ? KB_EXIT_SIGNAL + fleet->signal : KB_EXIT_DONE;
	size_t refused = 0;

	for (size_t i = 0; i < fleet->count; i++) {
		const struct kb_fleet_node *node = &fleet->nodes[i];

		refused += node->exit == KB_EXIT_USAGE;
		if (node->state != KB_NODE_DONE || node->verdicts[KB_INVALID] > 0)
			code = kb_worse_exit(code, KB_EXIT_FAILED);
		else if (node->exit > 0)
			code = kb_worse_exit(code, node->exit);
	}
	return refused > 0 && refused == fleet->count ? KB_EXIT_USAGE : code;
}

struct kb_fleet_tally kb_fleet_count(const struct kb_fleet *fleet)
{
	struct kb_fleet_tally tally = { .left_known = true };

	for (size_t i = 0; i < fleet->count; i++) {
		const struct kb_fleet_node *node = &fleet->nodes[i];

		tally.waiting += node->state == KB_NODE_WAITING;
		tally.running += node->state == KB_NODE_RUNNING;
		tally.done += node->state == KB_NODE_DONE;
		tally.lost += node->state == KB_NODE_LOST;
		if (node->state == KB_NODE_RUNNING && node->left_s > tally.left_s)
			tally.left_s = node->left_s;
	}
	/* Nobody knows when those begin that wait. */
	tally.left_known = tally.waiting == 0 && tally.left_s > 0;
	return tally;
}

const char *kb_fleet_waits(const struct kb_fleet *fleet)
{
	for (size_t i = 0; i < fleet->count; i++) {
		if (fleet->nodes[i].state == KB_NODE_WAITING && fleet->nodes[i].waits[0])
			return fleet->nodes[i].waits;
	}
	return "";
}

static void add_count(struct kb_text *text, size_t count, const char *what)
{
	if (count == 0)
		return;
	kb_text_str(text, ", ");
	kb_text_u64(text, count);
	kb_text_str(text, what);
}

const char *kb_fleet_progress(const struct kb_fleet *fleet, char line[KB_FLEET_LINE])
{
	struct kb_fleet_tally tally = kb_fleet_count(fleet);
	struct kb_text text = kb_text_in(line, KB_FLEET_LINE);
	const char *waits = kb_fleet_waits(fleet);
	char left[60], why[60];

	kb_text_u64(&text, tally.done);
	kb_text_str(&text, " of ");
	kb_text_u64(&text, fleet->count);
	kb_text_str(&text, fleet->count == 1 ? " node done" : " nodes done");
	add_count(&text, tally.running, " running");
	add_count(&text, tally.waiting, " waiting");
	snprintf(why, sizeof why, " (%s)", waits);
	kb_text_str(&text, waits[0] ? why : "");
	add_count(&text, tally.lost, " lost");
	snprintf(left, sizeof left, ", at most %llu:%02llu left", (unsigned long long)(tally.left_s / 60), (unsigned long long)(tally.left_s % 60));
	kb_text_str(&text, tally.left_known ? left : "");
	return line;
}

/* ---- as a document ----------------------------------------------------------------------------------------------- */

static json_t *text_or_null(const char *text)
{
	return text[0] ? kb_json_string(text) : json_null();
}

static json_t *node_to_json(const struct kb_fleet_node *node)
{
	json_t *runs = json_array(), *verdicts = json_object();

	for (unsigned i = 0; i < node->run_count; i++)
		json_array_append_new(runs, json_string(node->runs[i]));
	for (unsigned i = 0; i < KB_STATUSES; i++)
		json_object_set_new(verdicts, kb_status_name(i), kb_json_whole(node->verdicts[i]));
	return json_pack("{s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o}", "node", text_or_null(node->name), "rank", kb_json_whole(node->rank), "state",
			 kb_fleet_state_name(node->state), "reason", text_or_null(node->state == KB_NODE_LOST ? node->reason : ""), "exit",
			 node->exit == KB_FLEET_NONE ? json_null() : json_integer(node->exit), "results", kb_json_whole(node->results), "verdicts",
			 verdicts, "runs", runs);
}

json_t *kb_fleet_to_json(const struct kb_fleet *fleet, int code)
{
	json_t *nodes = json_array();

	for (size_t i = 0; i < fleet->count; i++)
		json_array_append_new(nodes, node_to_json(&fleet->nodes[i]));
	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:s, s:s, s:b, s:i, s:o}", "schema", "kbench-fleet-run/1", "id", fleet->id, "via",
			 fleet->transport->name, "job", text_or_null(fleet->job), "started", fleet->started, "finished", fleet->finished, "store",
			 fleet->store, "to_gather", kb_fleet_stays(fleet), "exit", code, "nodes", nodes);
}
