/*
 * See fleet.h: nodes that OpenSSH reaches. A session a node stays open while it measures: its shell only waits, and nothing on the node is
 * asked while it measures. The measuring itself is a session of its own there, and goes on when the connection is lost; then another session
 * waits for it. Further sessions go through the same connection, as ControlMaster has it, whose sockets are in a directory of ours. Nothing
 * is changed about keys of hosts, and nobody is asked for a password.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"
#include "io.h"
#include "run/process/child.h"
#include "workflow/build.h"
#include "workflow/fleet/fleet.h"

#define WORDS_MOST 64           /* of --ssh and ours */
#define OURS 20
#define TEXT_MOST 4096
#define FETCH_NS (300 * KB_S)
#define SMALL_NS (30 * KB_S)
#define ATTEMPTS 2              /* sessions that were lost, until the node is */
#define LOST 255                /* ssh's own exit code */
#define TAKEN 122               /* of our script: its directory is there already */

static int prepare(const struct kb_fleet_request *request, struct kb_fleet *fleet, struct kb_failure *failure)
{
	unsigned count = 1;

	if (!request->hosts && !request->hosts_file)
		return kb_refuse_typed(failure, "--via ssh: --hosts or --hosts-file is needed");
	fleet->ssh = strdup(request->ssh ? request->ssh : "ssh");
	if (!fleet->ssh)
		return kb_refuse_memory(failure);
	for (const char *at = fleet->ssh; *at; at++)
		count += *at == ' ';
	if (count > WORDS_MOST - OURS)
		return kb_refuse_typed(failure, "--ssh: more than %d words", WORDS_MOST - OURS);
	if (request->hosts && kb_fleet_add_hosts(fleet, request->hosts, failure))
		return failure->code;
	return request->hosts_file ? kb_fleet_add_hosts_of(fleet, request->hosts_file, failure) : 0;
}

/* ---- sessions ------------------------------------------------------------------------------------------------- */

/* The words of ssh, its options, a host, and what runs there. `copy` holds the user's words. */
static int ssh_words(const struct kb_fleet *fleet, const char *host, const char *command, char *copy, char control[80], const char *words[WORDS_MOST])
{
	static const char *const options[] = {
		"-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=15", "-o", "ServerAliveCountMax=4", "-o", "ControlMaster=auto",
		"-o", "ControlPersist=60", "-o",
	};
	unsigned count = 0;

	for (char *state, *word = strtok_r(copy, " ", &state); word; word = strtok_r(NULL, " ", &state))
		words[count++] = word;
	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		words[count++] = options[i];
	snprintf(control, 80, "ControlPath=%s/%%C", fleet->control);
	words[count++] = control;
	if (!strcmp(command, "exit")) {
		words[count++] = "-O";
		words[count++] = "exit";
		command = NULL;
	}
	words[count++] = "--";
	words[count++] = host;
	words[count++] = command;
	words[count] = NULL;
	return count < WORDS_MOST ? 0 : -E2BIG;
}

/* A session of the script `text` on the node; what it prints goes to files of the node. */
static int start_session(const struct kb_fleet *fleet, const struct kb_fleet_node *node, const char *text, const char *output, pid_t *child)
{
	char copy[strlen(fleet->ssh) + 1], control[80], input[PATH_MAX], into[PATH_MAX], error[PATH_MAX];
	const char *words[WORDS_MOST];
	FILE *out;

	strcpy(copy, fleet->ssh);
	if (ssh_words(fleet, node->name, "exec sh", copy, control, words))
		return -E2BIG;
	kb_fleet_path(fleet, node, "script", input);
	kb_fleet_path(fleet, node, output, into);
	kb_fleet_path(fleet, node, "errors", error);
	/* New files: an earlier session may still read or write those. */
	unlink(input);
	unlink(into);
	unlink(error);
	out = fopen(input, "we");
	if (!out || fputs(text, out) < 0 || fclose(out))
		return -EIO;
	return kb_child_start(words, &(struct kb_child_files){ input, into, error }, KB_CHILD_BOUND, child);
}

/* The same to its end: the exit code, or -errno. */
static int session(const struct kb_fleet *fleet, const struct kb_fleet_node *node, const char *text, const char *output, uint64_t limit_ns)
{
	pid_t child;
	int error = start_session(fleet, node, text, output, &child);

	return error ? error : kb_child_wait(child, limit_ns);
}

/* The node's directory there, which only we have a name for. */
#define THERE "umask 077\nd=\"${TMPDIR:-/tmp}/kbench-fleet-%s-%u\"\n"

/* Waits for what another session began, with nothing but a look each second: then nobody else tells when it ends. */
static void watch(struct kb_fleet *fleet, struct kb_fleet_node *node)
{
	char text[TEXT_MOST];
	int error;

	snprintf(text, sizeof text, THERE
		 "[ -d \"$d\" ] || exit 0\n"
		 "echo began\n"
		 "while [ ! -e \"$d/end\" ] && kill -0 \"$(cat \"$d/pid\")\" 2>/dev/null; do sleep 1; done\n"
		 "cat \"$d/end\"\n", fleet->id, node->rank);
	error = start_session(fleet, node, text, "session", &node->child);
	if (error)
		kb_fleet_lose(node, true, "ssh cannot be started: %s", strerror(-error));
}

/* The script goes there as text of its input, between two lines that nobody can have typed. */
static void begin(struct kb_fleet *fleet, struct kb_fleet_node *node, const char *script)
{
	char *text;
	int error;

	if (asprintf(&text, THERE
		     "mkdir \"$d\" || exit %d\n"
		     "cat >\"$d/node.sh\" <<'end-%s'\n%send-%s\n"
		     "setsid sh \"$d/node.sh\" \"$d\" %u '%s' </dev/null >/dev/null 2>&1 &\n"
		     "echo began\n"
		     "wait $!\n"
		     "cat \"$d/end\"\n", fleet->id, node->rank, TAKEN, fleet->id, script, fleet->id, node->rank, node->name) < 0) {
		kb_fleet_lose(node, false, "out of memory");
		return;
	}
	error = start_session(fleet, node, text, "session", &node->child);
	free(text);
	if (error)
		kb_fleet_lose(node, false, "ssh cannot be started: %s", strerror(-error));
}

/* In a short path, for names of sockets are; gone with us, however we end. */
static int open_control(struct kb_fleet *fleet, struct kb_failure *failure)
{
	int error;

	snprintf(fleet->control, sizeof fleet->control, "/tmp/kbench-ssh.XXXXXX");
	error = kb_scratch_open(&fleet->scratch, fleet->control);
	if (!error)
		return 0;
	fleet->control[0] = '\0';
	return kb_refuse(failure, KB_EXIT_USAGE, "no directory for connections in /tmp: %s", strerror(-error));
}

static int start(const struct kb_fleet_request *request, struct kb_fleet *fleet, struct kb_failure *failure)
{
	char path[PATH_MAX], *script;
	size_t length;

	(void)request;
	if (open_control(fleet, failure))
		return failure->code;
	kb_build_path(path, fleet->place, "node.sh");
	script = kb_read_whole(path, &length);
	if (!script)
		return kb_refuse(failure, KB_EXIT_USAGE, "%.400s: cannot be read: %s", path, strerror(errno));
	for (size_t i = 0; i < fleet->count; i++)
		begin(fleet, &fleet->nodes[i], script);
	free(script);
	return 0;
}

static int attach(struct kb_fleet *fleet, struct kb_failure *failure)
{
	if (open_control(fleet, failure))
		return failure->code;
	for (size_t i = 0; i < fleet->count; i++) {
		struct kb_fleet_node *node = &fleet->nodes[i];

		if (node->gathered)
			continue;
		node->state = KB_NODE_WAITING;
		node->began = false;
		node->attempts = ATTEMPTS - 1;
		watch(fleet, node);
	}
	return 0;
}

/* ---- how it goes ----------------------------------------------------------------------------------------------- */

static const char *read_text(const struct kb_fleet *fleet, const struct kb_fleet_node *node, const char *name, char text[TEXT_MOST])
{
	char path[PATH_MAX];

	if (kb_read_file(kb_fleet_path(fleet, node, name, path), text, TEXT_MOST) <= 0)
		text[0] = '\0';
	return text;
}

/* The last line that ssh complained with. */
static const char *complaint(const struct kb_fleet *fleet, const struct kb_fleet_node *node, char text[TEXT_MOST])
{
	char *line;

	read_text(fleet, node, "errors", text);
	for (size_t length = strlen(text); length > 0 && strchr("\r\n", text[length - 1]);)
		text[--length] = '\0';
	line = strrchr(text, '\n');
	return line ? line + 1 : text[0] ? text : "no word of ssh";
}

static void settle(struct kb_fleet *fleet, struct kb_fleet_node *node, int code)
{
	char session[TEXT_MOST], text[TEXT_MOST];

	node->child = 0;
	read_text(fleet, node, "session", session);
	if (kb_fleet_read_end(session, node)) {
		kb_fleet_settle(node);
		return;
	}
	if (code == TAKEN && !node->began)
		kb_fleet_lose(node, false, "no directory there: %.120s", complaint(fleet, node, text));
	else if (code != LOST && code <= 128)
		kb_fleet_lose(node, false, node->began ? "it was ended there" : "nothing of it is there: %.120s", complaint(fleet, node, text));
	else if (node->began && ++node->attempts < ATTEMPTS)
		watch(fleet, node);
	else
		kb_fleet_lose(node, node->began || node->attempts, "%s: %.120s", node->began ? "connection lost" : "cannot be reached",
			      complaint(fleet, node, text));
}

static void poll(struct kb_fleet *fleet)
{
	char text[TEXT_MOST];
	int code;

	for (size_t i = 0; i < fleet->count; i++) {
		struct kb_fleet_node *node = &fleet->nodes[i];

		if (node->child <= 0)
			continue;
		if (!node->began && !strncmp(read_text(fleet, node, "session", text), "began\n", 6)) {
			node->began = true;
			node->state = KB_NODE_RUNNING;
		}
		if (kb_child_ended(node->child, &code))
			settle(fleet, node, code);
	}
}

/* All at once: each may take the time of a lost connection. */
static void tell(struct kb_fleet *fleet, struct kb_fleet_node *one, const char *what, bool (*wanted)(const struct kb_fleet_node *))
{
	pid_t *children = calloc(fleet->count, sizeof *children);
	char text[TEXT_MOST];

	for (size_t i = 0; children && i < fleet->count; i++) {
		struct kb_fleet_node *node = &fleet->nodes[i];

		if ((one && node != one) || !wanted(node))
			continue;
		snprintf(text, sizeof text, THERE "%s", fleet->id, node->rank, what);
		if (start_session(fleet, node, text, "told", &children[i]))
			children[i] = 0;
	}
	for (size_t i = 0; children && i < fleet->count; i++) {
		if (children[i] > 0)
			kb_child_wait(children[i], SMALL_NS);
	}
	free(children);
}

static bool is_running(const struct kb_fleet_node *node)
{
	return node->state == KB_NODE_RUNNING;
}

static void cancel(struct kb_fleet *fleet, struct kb_fleet_node *one)
{
	tell(fleet, one, "kill -TERM \"-$(cat \"$d/pid\")\"\n", is_running);
	for (size_t i = 0; i < fleet->count; i++) {
		struct kb_fleet_node *node = &fleet->nodes[i];

		if ((one && node != one) || node->state != KB_NODE_WAITING)
			continue;
		/* Between two attempts there is none, and of 0 our own group would be meant. */
		if (node->child > 0) {
			kill(-node->child, SIGTERM);
			kb_child_wait(node->child, KB_S);
		}
		node->child = 0;
		kb_fleet_lose(node, false, "%s before it began", node->stopped);
	}
}

/* ---- what it measured ------------------------------------------------------------------------------------------- */

#define NONE 3                  /* exit codes of the script: there is no such file; */
#define LOGGED 4                /* the database has a log, which is to be here before it */

/* check: shell words that may end the script before it. */
static int fetch_file(struct kb_fleet *fleet, struct kb_fleet_node *node, const char *name, const char *check)
{
	char text[TEXT_MOST], part[40], from[PATH_MAX], to[PATH_MAX], why[TEXT_MOST];
	int code;

	snprintf(part, sizeof part, "%s.part", name);
	snprintf(text, sizeof text, THERE "[ -e \"$d/%s\" ] || exit %d\n%sexec cat \"$d/%s\"\n", fleet->id, node->rank, name, NONE, check, name);
	code = session(fleet, node, text, part, FETCH_NS);
	if (code == NONE || code == LOGGED)
		return code == NONE ? -ENOENT : -EAGAIN;
	if (code == 0 && rename(kb_fleet_path(fleet, node, part, from), kb_fleet_path(fleet, node, name, to)) == 0)
		return 0;
	kb_fleet_lose(node, true, "what it measured cannot be brought here: %.100s", complaint(fleet, node, why));
	return -EIO;
}

static int fetch(struct kb_fleet *fleet, struct kb_fleet_node *node)
{
	char path[PATH_MAX], check[60];
	int error;

	/* Brought here before, or nothing is there. */
	if (access(kb_fleet_path(fleet, node, "kbench.db", path), F_OK) == 0)
		return 0;
	if (!node->began)
		return -ENOENT;
	/* Of a run that was killed the last results are in the log. */
	snprintf(check, sizeof check, "[ ! -e \"$d/kbench.db-wal\" ] || exit %d\n", LOGGED);
	error = fetch_file(fleet, node, "kbench.db", check);
	if (error != -EAGAIN)
		return error;
	error = fetch_file(fleet, node, "kbench.db-wal", "");
	return error && error != -ENOENT ? error : fetch_file(fleet, node, "kbench.db", "");
}

/* ---- the end ---------------------------------------------------------------------------------------------------- */

static bool is_over(const struct kb_fleet_node *node)
{
	return node->began && node->gathered;
}

static void close_connection(const struct kb_fleet *fleet, const struct kb_fleet_node *node)
{
	char copy[strlen(fleet->ssh) + 1], control[80], output[PATH_MAX];
	const char *words[WORDS_MOST];
	pid_t child;

	strcpy(copy, fleet->ssh);
	kb_fleet_path(fleet, node, "told", output);
	if (!ssh_words(fleet, node->name, "exit", copy, control, words) &&
	    !kb_child_start(words, &(struct kb_child_files){ .output = output }, KB_CHILD_BOUND, &child))
		kb_child_wait(child, SMALL_NS);
}

static void close_all(struct kb_fleet *fleet)
{
	if (!fleet->control[0])
		return;
	tell(fleet, NULL, "rm -rf -- \"$d\"\n", is_over);
	for (size_t i = 0; i < fleet->count; i++) {
		if (fleet->nodes[i].child > 0) {
			kill(-fleet->nodes[i].child, SIGTERM);
			kb_child_wait(fleet->nodes[i].child, KB_S);
		}
		close_connection(fleet, &fleet->nodes[i]);
	}
	kb_scratch_close(&fleet->scratch);
	fleet->control[0] = '\0';
}

const struct kb_fleet_transport kb_fleet_ssh = {
	.name = "ssh", .least_ns = 200 * KB_MS, .most_ns = 2 * KB_S, .prepare = prepare, .start = start, .attach = attach, .poll = poll, .cancel = cancel,
	.fetch = fetch, .close = close_all,
};
