/*
 * See fleet.h: $XDG_STATE_HOME/kbench/fleet/ID/fleet.json, written in one step whenever something changes that a later process must know.
 * A lock on the directory tells whether somebody follows the fleet.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"
#include "places.h"
#include "result/json/json.h"
#include "scratch.h"
#include "workflow/build.h"
#include "workflow/fleet/fleet.h"
#include "workflow/machine.h"

#define SCHEMA "kbench-fleet-state/1"
#define END_MOST 4096

const char *kb_fleet_path(const struct kb_fleet *fleet, const struct kb_fleet_node *node, const char *name, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%s/r%u%s%s", fleet->place, node->rank, name[0] ? "/" : "", name) >= PATH_MAX)
		path[0] = '\0';
	return path;
}

void kb_fleet_lose(struct kb_fleet_node *node, bool again, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(node->reason, sizeof node->reason, format, arguments);
	va_end(arguments);
	kb_make_visible(node->reason, '?');
	node->state = KB_NODE_LOST;
	node->again = again;
}

bool kb_fleet_look(const struct kb_fleet *fleet, struct kb_fleet_node *node)
{
	char path[PATH_MAX], text[END_MOST];

	if (kb_read_file(kb_fleet_path(fleet, node, "end", path), text, sizeof text) <= 0 || !kb_fleet_read_end(text, node))
		return false;
	kb_fleet_settle(node);
	return true;
}

/* ---- directories --------------------------------------------------------------------------------------------- */

static int take_lock(struct kb_fleet *fleet)
{
	fleet->lock = open(fleet->state, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fleet->lock < 0)
		return -errno;
	return flock(fleet->lock, LOCK_EX | LOCK_NB) ? -errno : 0;
}

int kb_fleet_state_make(struct kb_fleet *fleet, struct kb_failure *failure)
{
	char path[PATH_MAX], at[PATH_MAX];
	int error;

	kb_build_path(path, fleet->state, "fleet.json");
	error = kb_make_directories(path, 0700, at) ?: take_lock(fleet);
	if (error)
		return kb_refuse(failure, KB_EXIT_USAGE, "%.400s: cannot be made: %s", fleet->state, strerror(-error));
	if (strcmp(fleet->place, fleet->state) && mkdir(fleet->place, 0700))
		return kb_refuse(failure, KB_EXIT_USAGE, "%.400s: cannot be made: %s; --directory names another place", fleet->place, strerror(errno));
	for (size_t i = 0; i < fleet->count; i++) {
		if (mkdir(kb_fleet_path(fleet, &fleet->nodes[i], "", path), 0700))
			return kb_refuse(failure, KB_EXIT_USAGE, "%.400s: cannot be made: %s", path, strerror(errno));
	}
	return kb_fleet_state_save(fleet, failure);
}

void kb_fleet_state_remove(struct kb_fleet *fleet)
{
	if (strcmp(fleet->place, fleet->state))
		kb_remove_tree(fleet->place);
	kb_remove_tree(fleet->state);
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static json_t *node_to_state(const struct kb_fleet_node *node)
{
	return json_pack("{s:s, s:i, s:b, s:i, s:b, s:i, s:o}", "name", node->name, "child", (int)node->child, "began", node->began, "state",
			 (int)node->state, "gathered", node->gathered, "exit", node->exit, "reason", kb_json_string(node->reason));
}

static json_t *to_state(const struct kb_fleet *fleet)
{
	json_t *nodes = json_array();

	for (size_t i = 0; i < fleet->count; i++)
		json_array_append_new(nodes, node_to_state(&fleet->nodes[i]));
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "schema", SCHEMA, "id", fleet->id, "via", fleet->transport->name,
			 "started", fleet->started, "place", fleet->place, "store", fleet->store, "job", fleet->job, "ssh", fleet->ssh ? fleet->ssh : "",
			 "time_ns", (json_int_t)fleet->time_ns, "nodes", nodes);
}

static int write_state(const char *path, const char *text)
{
	FILE *out = fopen(path, "we");
	int error = out ? 0 : -errno;

	if (out && (fputs(text, out) < 0 || fflush(out) || fsync(fileno(out))))
		error = -errno;
	if (out && fclose(out) && !error)
		error = -errno;
	return error;
}

int kb_fleet_state_save(const struct kb_fleet *fleet, struct kb_failure *failure)
{
	char *text = kb_json_take_text(to_state(fleet)), part[PATH_MAX], whole[PATH_MAX];
	int error;

	kb_build_path(part, fleet->state, "fleet.json.part");
	kb_build_path(whole, fleet->state, "fleet.json");
	if (!text)
		return kb_refuse(failure, KB_EXIT_USAGE, "out of memory, or a path that is not UTF-8");
	error = write_state(part, text);
	if (!error && rename(part, whole))
		error = -errno;
	free(text);
	return error ? kb_refuse(failure, KB_EXIT_USAGE, "%.400s: cannot be written: %s", whole, strerror(-error)) : 0;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static int refuse_state(const struct kb_fleet *fleet, struct kb_failure *failure)
{
	return kb_refuse(failure, KB_EXIT_USAGE, "%.400s/fleet.json: not what 'kbench fleet' of this version writes", fleet->state);
}

static int take_node(struct kb_fleet *fleet, const json_t *json, struct kb_failure *failure)
{
	json_int_t state = json_integer_value(json_object_get(json, "state")), child = json_integer_value(json_object_get(json, "child"));
	const char *name = kb_json_string_of(json, "name");
	int code;

	/* Its group is sent signals: there is none of 1, of which all processes would be meant, nor below. */
	if (child < 0 || child == 1 || child > INT_MAX || (name[0] && !kb_place_is_name(name)))
		return refuse_state(fleet, failure);
	code = kb_fleet_add(fleet, name, failure);
	if (code)
		return code;

	struct kb_fleet_node *node = &fleet->nodes[fleet->count - 1];

	node->child = (pid_t)child;
	node->began = json_is_true(json_object_get(json, "began"));
	node->exit = (int)json_integer_value(json_object_get(json, "exit"));
	node->gathered = json_is_true(json_object_get(json, "gathered"));
	kb_visible_copy(node->reason, sizeof node->reason, kb_json_string_of(json, "reason"));
	/* What is not settled for good is looked at again: a lost one may be there by now. */
	if (node->gathered && state == KB_NODE_DONE)
		node->state = KB_NODE_DONE;
	else if (node->gathered)
		node->state = KB_NODE_LOST;
	else
		node->state = state == KB_NODE_WAITING ? KB_NODE_WAITING : KB_NODE_RUNNING;
	return 0;
}

static bool take_text(const json_t *json, const char *key, char *text, size_t room)
{
	return snprintf(text, room, "%s", kb_json_string_of(json, key)) < (int)room;
}

static int take_state(struct kb_fleet *fleet, const json_t *json, struct kb_failure *failure)
{
	const json_t *nodes = json_object_get(json, "nodes"), *node;
	bool whole = !strcmp(kb_json_string_of(json, "schema"), SCHEMA) && take_text(json, "id", fleet->id, sizeof fleet->id) &&
		     take_text(json, "started", fleet->started, sizeof fleet->started) && take_text(json, "place", fleet->place, PATH_MAX) &&
		     take_text(json, "store", fleet->store, PATH_MAX) && take_text(json, "job", fleet->job, sizeof fleet->job);
	size_t i;
	int code = 0;

	for (unsigned via = 0; via < KB_FLEET_VIAS; via++) {
		if (!strcmp(kb_fleet_transports[via]->name, kb_json_string_of(json, "via")))
			fleet->transport = kb_fleet_transports[via];
	}
	fleet->ssh = strdup(kb_json_string_of(json, "ssh"));
	fleet->time_ns = (uint64_t)json_integer_value(json_object_get(json, "time_ns"));
	if (!fleet->ssh)
		return kb_refuse_memory(failure);
	if (!whole || !fleet->transport || fleet->place[0] != '/')
		return refuse_state(fleet, failure);
	json_array_foreach(nodes, i, node)
		code = code ? code : take_node(fleet, node, failure);
	return code;
}

static json_t *read_state(const char *fleets, const char *id)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof path, "%s/%s/fleet.json", fleets, id) < PATH_MAX ? json_load_file(path, 0, NULL) : NULL;
}

/* Ids sort by time. */
static int list(char fleets[PATH_MAX], struct dirent ***entries)
{
	int count = kb_state_directory(fleets, "fleet") ? scandir(fleets, entries, NULL, alphasort) : -1;

	return count < 0 ? 0 : count;
}

static int find(const char *fleets, struct dirent **entries, int count, const char *name, struct kb_fleet *fleet, struct kb_failure *failure)
{
	int found = 0;

	for (int i = 0; i < count; i++) {
		if (entries[i]->d_name[0] == '.' || strncmp(entries[i]->d_name, name, strlen(name)))
			continue;
		found++;
		kb_build_path(fleet->state, fleets, entries[i]->d_name);
	}
	if (found == 1 && fleet->state[0])
		return 0;
	return kb_refuse(failure, KB_EXIT_USAGE, found ? "'%.60s' names %d fleets: type more of the id" : "no fleet '%.60s' is to be gathered; 'kbench "
			 "fleet' lists those that are", name, found);
}

static void free_list(struct dirent **entries, int count)
{
	for (int i = 0; i < count; i++)
		free(entries[i]);
	if (count > 0)
		free(entries);
}

int kb_fleet_state_load(struct kb_fleet *fleet, const char *name, struct kb_failure *failure)
{
	struct dirent **entries = NULL;
	char fleets[PATH_MAX];
	int count = list(fleets, &entries), code = find(fleets, entries, count, name, fleet, failure), error;
	json_t *json;

	free_list(entries, count);
	if (code)
		return code;
	error = take_lock(fleet);
	if (error)
		return kb_refuse(failure, KB_EXIT_USAGE, error == -EWOULDBLOCK ? "%.400s: another kbench is gathering it" : "%.400s: cannot be locked",
				 fleet->state);
	json = read_state(fleet->state, ".");
	code = take_state(fleet, json, failure);
	json_decref(json);
	return code;
}

json_t *kb_fleet_states(void)
{
	struct dirent **entries = NULL;
	char fleets[PATH_MAX];
	int count = list(fleets, &entries);
	json_t *array = json_array();

	for (int i = 0; i < count; i++) {
		json_t *json = entries[i]->d_name[0] == '.' ? NULL : read_state(fleets, entries[i]->d_name);

		if (json && !strcmp(kb_json_string_of(json, "schema"), SCHEMA))
			json_array_append_new(array, json_pack("{s:O?, s:O?, s:O?, s:O?, s:i}", "id", json_object_get(json, "id"), "started",
							       json_object_get(json, "started"), "via", json_object_get(json, "via"), "job",
							       json_object_get(json, "job"), "nodes", (int)json_array_size(json_object_get(json, "nodes"))));
		json_decref(json);
	}
	free_list(entries, count);
	return array;
}
