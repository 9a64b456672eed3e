/* See fleet.h: one fleet from its request to what is gathered. */
#include "workflow/fleet/fleet.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "io.h"
#include "places.h"
#include "run/run.h"
#include "workflow/build.h"
#include "workflow/fleet/gather.h"
#include "workflow/machine.h"

#define GRACE_NS (45 * KB_S)    /* for what was cancelled to save what it has; Slurm kills after 30 s */
#define SLICE_NS (50 * KB_MS)

const struct kb_fleet_transport *const kb_fleet_transports[KB_FLEET_VIAS] = { &kb_fleet_local, &kb_fleet_ssh, &kb_fleet_slurm };

static bool is_open(const struct kb_fleet_node *node)
{
	return node->state == KB_NODE_WAITING || node->state == KB_NODE_RUNNING;
}

static bool any_open(const struct kb_fleet *fleet)
{
	for (size_t i = 0; i < fleet->count; i++) {
		if (is_open(&fleet->nodes[i]))
			return true;
	}
	return false;
}

/* ---- following it ----------------------------------------------------------------------------------------------- */

static void cancel(struct kb_fleet *fleet, struct kb_fleet_node *one, const char *reason)
{
	for (size_t i = 0; i < fleet->count; i++) {
		if (is_open(&fleet->nodes[i]) && (!one || one == &fleet->nodes[i]))
			fleet->nodes[i].stopped = reason;
	}
	fleet->transport->cancel(fleet, one);
}

static void cancel_all(struct kb_fleet *fleet, const char *reason)
{
	fleet->cancelled = true;
	fleet->cancelled_ns = kb_monotonic_ns();
	cancel(fleet, NULL, reason);
}

/* Whether something changed, which the observer is told. */
static bool poll_once(struct kb_fleet *fleet, const struct kb_fleet_observer *observer)
{
	struct kb_fleet_node *before = malloc(fleet->count * sizeof *before);
	bool changed = false;

	if (before)
		memcpy(before, fleet->nodes, fleet->count * sizeof *before);
	fleet->transport->poll(fleet);
	for (size_t i = 0; before && i < fleet->count; i++) {
		struct kb_fleet_node *node = &fleet->nodes[i];

		if (node->state == KB_NODE_RUNNING && !node->running_ns)
			node->running_ns = kb_monotonic_ns();
		if (node->state == before[i].state && !strcmp(node->name, before[i].name))
			continue;
		changed = true;
		if (node->state != before[i].state && observer->changed)
			observer->changed(observer->context, fleet, node);
	}
	free(before);
	return changed;
}

/* Slurm has limits of its own. */
static void look_at_limits(struct kb_fleet *fleet)
{
	uint64_t now_ns = kb_monotonic_ns();

	for (size_t i = 0; i < fleet->count && fleet->transport != &kb_fleet_slurm; i++) {
		struct kb_fleet_node *node = &fleet->nodes[i];
		uint64_t spent_ns = now_ns - node->running_ns;

		if (node->state != KB_NODE_RUNNING || !node->running_ns)
			continue;
		node->left_s = spent_ns < fleet->time_ns ? (fleet->time_ns - spent_ns + KB_S - 1) / KB_S : 0;
		if (spent_ns > fleet->time_ns && !node->stopped)
			cancel(fleet, node, "time limit");
		else if (spent_ns > fleet->time_ns + GRACE_NS)
			kb_fleet_lose(node, true, "it does not end at its time limit");
	}
	if (fleet->deadline_ns && now_ns >= fleet->deadline_ns && !fleet->cancelled)
		cancel_all(fleet, "cancelled, as the budget was used up");
	for (size_t i = 0; i < fleet->count && fleet->cancelled && now_ns > fleet->cancelled_ns + GRACE_NS; i++) {
		if (is_open(&fleet->nodes[i]))
			kb_fleet_lose(&fleet->nodes[i], true, "it does not end, though cancelled");
	}
}

/* Ends early where a signal comes that has not been heeded yet. */
static void pause_for(const struct kb_fleet *fleet, uint64_t ns)
{
	for (uint64_t slept = 0; slept < ns && (fleet->signal || !kb_run_stop_signal()); slept += SLICE_NS)
		kb_sleep_ns(SLICE_NS);
}

static int follow(struct kb_fleet *fleet, const struct kb_fleet_observer *observer, struct kb_failure *failure)
{
	uint64_t pause_ns = fleet->transport->least_ns;

	while (any_open(fleet)) {
		if (kb_run_stop_signal() && !fleet->signal) {
			fleet->signal = kb_run_stop_signal();
			cancel_all(fleet, "cancelled");
		}
		if (poll_once(fleet, observer)) {
			pause_ns = fleet->transport->least_ns;
			if (kb_fleet_state_save(fleet, failure))
				return failure->code;
		}
		look_at_limits(fleet);
		if (observer->tick)
			observer->tick(observer->context, fleet);
		if (any_open(fleet))
			pause_for(fleet, fleet->cancelled ? fleet->transport->least_ns : pause_ns);
		pause_ns = pause_ns * 5 / 4 < fleet->transport->most_ns ? pause_ns * 5 / 4 : fleet->transport->most_ns;
	}
	return kb_fleet_state_save(fleet, failure);
}

static void close_transport(struct kb_fleet *fleet)
{
	if (fleet->transport->close)
		fleet->transport->close(fleet);
}

/* Follows it, gathers, and takes away what is not needed any more. */
static int finish(struct kb_fleet *fleet, const struct kb_fleet_observer *observer, struct kb_failure *failure)
{
	struct kb_failure ignored;
	int code = follow(fleet, observer, failure);

	if (!code)
		code = kb_fleet_gather_nodes(fleet, failure);
	close_transport(fleet);
	kb_date_now(fleet->finished);
	if (!code && !kb_fleet_stays(fleet))
		kb_fleet_state_remove(fleet);
	else
		kb_fleet_state_save(fleet, &ignored);
	return code;
}

/* ---- beginning one ----------------------------------------------------------------------------------------------- */

/* A later kbench may work in another directory. A store that is no file has a name as it is. */
static int whole_store(const char *path, char whole[PATH_MAX], struct kb_failure *failure)
{
	char here[PATH_MAX] = "";
	bool as_is = path && (path[0] == '/' || kb_store_is_remote(path));

	if (!path)
		return kb_store_default_path(whole) ? 0 : kb_refuse(failure, KB_EXIT_USAGE, "neither XDG_DATA_HOME nor HOME is set; give --store FILE");
	if (!as_is && !getcwd(here, sizeof here))
		return kb_refuse(failure, KB_EXIT_USAGE, "no working directory: %s", strerror(errno));
	if (snprintf(whole, PATH_MAX, "%s%s%s", here, as_is ? "" : "/", path) >= PATH_MAX)
		return kb_refuse_typed(failure, "--store '%.200s': too long", path);
	return 0;
}

/* Before anything is measured for nothing. */
static int try_store(const char *path, struct kb_failure *failure)
{
	struct kb_store *store;
	int code = kb_refuse_store(failure, store, kb_store_open(&store, path, KB_STORE_WRITE));

	kb_store_close(store);
	return code;
}

static int find_kbench(struct kb_fleet_request *request, char path[PATH_MAX], struct kb_failure *failure)
{
	ssize_t length;

	if (request->via == KB_FLEET_SSH) {
		request->kbench = request->kbench ? request->kbench : "kbench";
		return 0;
	}
	if (request->kbench && !realpath(request->kbench, path))
		return kb_refuse_typed(failure, "--kbench '%.200s': %s", request->kbench, strerror(errno));
	length = request->kbench ? (ssize_t)strlen(path) : readlink("/proc/self/exe", path, PATH_MAX - 1);
	if (length < 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "cannot find this program (/proc/self/exe: %s): mount /proc, or name it with --kbench", strerror(errno));
	path[length] = '\0';
	request->kbench = path;
	return 0;
}

static int write_script(const struct kb_fleet_request *request, const struct kb_fleet *fleet, struct kb_failure *failure)
{
	char path[PATH_MAX];
	FILE *out;
	int error;

	kb_build_path(path, fleet->place, "node.sh");
	out = fopen(path, "we");
	error = !out || kb_fleet_write_script(request, fleet, out);
	if (out && fclose(out))
		error = 1;
	return error ? kb_refuse(failure, KB_EXIT_USAGE, "%.400s: cannot be written: %s", path, strerror(errno)) : 0;
}

static int prepare(struct kb_fleet_request *request, struct kb_fleet *fleet, char kbench[PATH_MAX], struct kb_failure *failure)
{
	char fleets[PATH_MAX];

	*fleet = (struct kb_fleet){ .transport = kb_fleet_transports[request->via], .time_ns = request->time_ns, .share = request->share, .lock = -1 };
	fleet->deadline_ns = request->budget_ns ? kb_monotonic_ns() + request->budget_ns : 0;
	kb_date_now(fleet->started);
	if (kb_run_id(fleet->id))
		return kb_refuse(failure, KB_EXIT_USAGE, "no random numbers for the fleet's id");
	if (!kb_state_directory(fleets, "fleet"))
		return kb_refuse(failure, KB_EXIT_USAGE, "neither XDG_STATE_HOME nor HOME is set: nowhere to keep what a fleet is");
	if (strlen(fleets) > PATH_MAX - 128)
		return kb_refuse(failure, KB_EXIT_USAGE, "%.200s: too long", fleets);
	kb_build_path(fleet->state, fleets, fleet->id);
	memcpy(fleet->place, fleet->state, sizeof fleet->place);
	if (whole_store(request->store, fleet->store, failure) || find_kbench(request, kbench, failure) ||
	    fleet->transport->prepare(request, fleet, failure))
		return failure->code;
	return try_store(fleet->store, failure);
}

int kb_fleet_run(const struct kb_fleet_request *wanted, const struct kb_fleet_observer *observer, struct kb_fleet *fleet, struct kb_failure *failure)
{
	struct kb_fleet_request request = *wanted;
	char kbench[PATH_MAX];

	if (prepare(&request, fleet, kbench, failure))
		return failure->code;
	kb_catch_signals();
	if (kb_fleet_state_make(fleet, failure) || write_script(&request, fleet, failure) || fleet->transport->start(&request, fleet, failure)) {
		close_transport(fleet);
		kb_fleet_state_remove(fleet);
		return failure->code;
	}
	return kb_fleet_state_save(fleet, failure) ?: finish(fleet, observer, failure);
}

int kb_fleet_gather(const char *name, const char *store, const struct kb_fleet_observer *observer, struct kb_fleet *fleet, struct kb_failure *failure)
{
	*fleet = (struct kb_fleet){ .lock = -1 };
	if (kb_fleet_state_load(fleet, name, failure) || (store && whole_store(store, fleet->store, failure)) || try_store(fleet->store, failure))
		return failure->code;
	kb_catch_signals();
	return fleet->transport->attach(fleet, failure) ?: finish(fleet, observer, failure);
}

void kb_fleet_release(struct kb_fleet *fleet)
{
	if (fleet->lock >= 0)
		close(fleet->lock);
	free(fleet->ssh);
	free(fleet->nodes);
}
