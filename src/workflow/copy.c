/* See copy.h. */
#define _GNU_SOURCE

#include "workflow/copy.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32.h"
#include "base/units.h"
#include "grown.h"
#include "io.h"
#include "places.h"
#include "run/process/live.h"

#define FIRST_PAUSE_NS (200 * KB_MS)    /* doubled with each try */
#define LONGEST_PAUSE_NS (5 * KB_S)

struct copied_run { char id[37]; bool finished, live; };

struct copy {
	const struct kb_copy_request *request;
	struct kb_copied *copied;
	struct kb_store *from, *to;
	struct kb_store *asked;         /* the one that was asked last, whose line is that of an error */
	struct copied_run *runs;
	size_t count;
};

/* ---- which runs -------------------------------------------------------------------------------------------------- */

static int add_run(void *context, const struct kb_stored_run *run)
{
	struct copy *copy = context;
	struct copied_run *added;

	if (!KB_GROW(copy->runs, copy->count))
		return -ENOMEM;
	added = &copy->runs[copy->count++];
	snprintf(added->id, sizeof added->id, "%s", run->id);
	added->finished = run->finished[0] != '\0';
	added->live = !added->finished && kb_live_is_marked(run->id);
	return 0;
}

static int list_runs(struct copy *copy)
{
	const struct kb_copy_request *request = copy->request;
	char id[37];
	int error;

	copy->asked = copy->from;
	error = request->count ? 0 : kb_store_each_run(copy->from, add_run, copy);
	for (size_t i = 0; i < request->count && !error; i++)
		error = kb_store_find_run(copy->from, request->names[i], id) ?: kb_store_get_run(copy->from, id, add_run, copy);
	return error;
}

/* ---- one run ----------------------------------------------------------------------------------------------------- */

static int take_finished(void *finished, const struct kb_stored_run *run)
{
	*(bool *)finished = run->finished[0] != '\0';
	return 0;
}

static unsigned how(const struct kb_copy_request *request)
{
	return (request->without_records ? 0 : KB_COPY_RECORDS) | (request->ours ? KB_COPY_AS_OURS : 0);
}

/* A copy that was made while the run was measured is replaced by all of it; in one transaction, so that there is always one of them. */
static int complete(struct copy *copy, const char *id)
{
	int error = kb_store_begin(copy->to);

	if (error)
		return error;
	error = kb_store_remove_run(copy->to, id);
	return kb_store_end(copy->to, error ? error : kb_store_copy_run(copy->to, copy->from, id, how(copy->request)));
}

static int add_or_complete(struct copy *copy, const struct copied_run *run)
{
	bool finished = false;
	int error = kb_store_get_run(copy->to, run->id, take_finished, &finished);

	if (error == -ENOENT) {
		error = kb_store_copy_run(copy->to, copy->from, run->id, how(copy->request));
		copy->copied->added += !error;
	} else if (!error && !finished && run->finished) {
		error = complete(copy, run->id);
		copy->copied->completed += !error;
	} else {
		copy->copied->known += !error;
	}
	/* Somebody else copied it meanwhile. */
	if (error == -EEXIST) {
		copy->copied->known++;
		error = 0;
	}
	return error;
}

/* Somebody else moved it meanwhile: what had it has it no more. */
static bool was_moved(const struct copy *copy, const struct copied_run *run)
{
	bool finished;

	return copy->request->move && kb_store_get_run(copy->from, run->id, take_finished, &finished) == -ENOENT;
}

static int copy_run(struct copy *copy, const struct copied_run *run)
{
	int error;

	copy->asked = copy->to;
	error = add_or_complete(copy, run);
	if (!error && copy->request->move) {
		copy->asked = copy->from;
		error = kb_store_remove_run(copy->from, run->id);
	}
	return error == -ENOENT && was_moved(copy, run) ? 0 : error;
}

/* ---- two stores -------------------------------------------------------------------------------------------------- */

static void close_both(struct copy *copy)
{
	kb_store_close(copy->from);
	kb_store_close(copy->to);
	copy->from = copy->to = NULL;
}

static int open_both(struct copy *copy)
{
	int error = kb_store_open(&copy->to, copy->request->to, KB_STORE_WRITE);

	copy->asked = copy->to;
	if (error)
		return error;
	error = kb_store_open(&copy->from, copy->request->from, copy->request->move ? KB_STORE_CHANGE : KB_STORE_READ);
	copy->asked = error ? copy->from : copy->to;
	return error;
}

/* Opens both again when the connection is lost. -ENOTCONN: not in the time that there is from started_ns on. */
static int reconnect(struct copy *copy, uint64_t started_ns)
{
	uint64_t pause_ns = FIRST_PAUSE_NS;
	int error = -ENOTCONN;

	if (copy->request->waits)
		copy->request->waits(copy->request->context, kb_store_error(copy->asked));
	while (error == -ENOTCONN && kb_monotonic_ns() - started_ns < copy->request->wait_s * KB_S) {
		kb_sleep_ns(pause_ns);
		pause_ns = pause_ns * 2 < LONGEST_PAUSE_NS ? pause_ns * 2 : LONGEST_PAUSE_NS;
		close_both(copy);
		error = open_both(copy);
	}
	return error;
}

/* Also over a connection that is lost meanwhile: nobody knows whether the run got through, so it is asked for again. */
static int copy_surely(struct copy *copy, const struct copied_run *run)
{
	uint64_t started_ns = kb_monotonic_ns();
	int error = copy_run(copy, run);

	while (error == -ENOTCONN && copy->request->wait_s) {
		error = reconnect(copy, started_ns);
		if (error)
			break;
		error = copy_run(copy, run);
	}
	return error;
}

static int copy_all(struct copy *copy)
{
	int error = 0;

	for (size_t i = 0; i < copy->count && !error; i++) {
		if (copy->runs[i].live)
			copy->copied->live++;
		else
			error = copy_surely(copy, &copy->runs[i]);
	}
	return error;
}

int kb_runs_copy(const struct kb_copy_request *request, struct kb_copied *copied, struct kb_failure *failure)
{
	struct copy copy = { .request = request, .copied = copied };
	bool is_file = request->from && !kb_store_is_remote(request->from);
	int error, listed, code;

	*copied = (struct kb_copied){ .added = 0 };
	error = listed = open_both(&copy) ?: list_runs(&copy);
	/* The other runs are copied before a damaged one is told of. */
	if (!listed || (listed == -EUCLEAN && copy.count > 0))
		error = copy_all(&copy);
	if (!error && listed) {
		copy.asked = copy.from;
		error = listed;
	}
	/* Without "kbench run makes it", which is said of our own store. */
	if (error == -ENOENT && is_file && access(request->from, F_OK))
		code = kb_refuse(failure, KB_EXIT_USAGE, "cannot read %.400s: no such file", request->from);
	else
		code = kb_refuse_store(failure, copy.asked, error);
	free(copy.runs);
	close_both(&copy);
	return code;
}

/* ---- runs that wait for a server --------------------------------------------------------------------------------- */

#define SPOOL_NAME 40

char *kb_spool_path(const char *address)
{
	char spool[PATH_MAX], name[SPOOL_NAME + 1], *path;
	const char *host = strstr(address, "//") + 2;
	size_t length = 0;

	for (; host[length] && length < SPOOL_NAME; length++)
		name[length] = isalnum((unsigned char)host[length]) ? host[length] : '_';
	name[length] = '\0';
	if (!kb_data_directory(spool, "spool") || asprintf(&path, "%s/%s-%08x.db", spool, name, kb_crc32(0, address, strlen(address))) < 0)
		return NULL;
	return path;
}
