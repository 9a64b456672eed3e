/* See workflow.h. After the first trouble with the store nothing more is tried: one line, not one for each process. */
#define _GNU_SOURCE
#include "workflow/workflow.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/text.h"
#include "io.h"
#include "result/json/json.h"
#include "run/process/live.h"
#include "run/progress.h"
#include "workflow/copy.h"
#include "workflow/floor.h"

#define WIDTH_USUAL 80
#define CLEAR_LINE "\r\033[K"

static void clear_line(const struct kb_watch *watch)
{
	if (watch->terminal) {
		fputs(CLEAR_LINE, stderr);
		fflush(stderr);
	}
}

/* The line of progress must go first, or the note would stand behind it. What the other run of a pair has told is not told again. */
static void lose(struct kb_watch *watch, const char *why)
{
	if (!watch->pair || !watch->pair->lost) {
		clear_line(watch);
		kb_note(&watch->notes, "%s; the run goes on unsaved", why);
	}
	kb_store_close(watch->store);
	watch->store = NULL;
	watch->lost = true;
}

void kb_watch_open(struct kb_watch *watch, const char *path, const struct kb_stored_run *run)
{
	/* Before the store has it, so that nobody finds it there and takes it for one that was killed. */
	watch->mark = kb_live_mark(run->id);
	watch->marked = watch->mark >= 0;
	if (kb_store_is_remote(path)) {
		watch->address = path;
		path = watch->spool = kb_spool_path(path);
	}
	/* Without a spool the usual store would be taken for it, and all of it sent. */
	if (watch->address && !watch->spool) {
		lose(watch, "no place for runs that wait for a server: XDG_DATA_HOME and HOME are not set");
		return;
	}
	watch->path = path;
	if (kb_store_open(&watch->store, path, KB_STORE_WRITE) || kb_store_add_run(watch->store, run)) {
		lose(watch, kb_store_error(watch->store));
		return;
	}
	snprintf(watch->place, sizeof watch->place, "%s", kb_store_path(watch->store));
}

/* Where nothing can be written under the store's name. */
static int open_elsewhere(struct kb_watch *watch, struct kb_store **store)
{
	char path[PATH_MAX];
	int fd;

	kb_temporary_name(path, sizeof path, "kbench-rescued");
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	kb_visible_copy(watch->place, sizeof watch->place, path);
	return kb_store_open(store, path, KB_STORE_WRITE);
}

/* Takes `to`. Its line tells why it cannot be. */
static int rescue_to(struct kb_watch *watch, struct kb_store *to, int opened, char why[512])
{
	int error = opened ? opened : kb_store_rescue_run(to, watch->store, watch->run_id);

	if (error) {
		kb_visible_copy(why, 512, kb_store_error(to));
		kb_store_close(to);
		return error;
	}
	kb_store_close(watch->store);
	watch->store = to;
	return 0;
}

/* Removed or replaced, the file still takes what is written, and is gone when it is closed: so the run moves to the one that is under its name now, or
   to a new one, while it can still be read. */
static void follow_store(struct kb_watch *watch)
{
	struct kb_store *store = NULL;
	bool first = !watch->moved;
	char why[512];
	int error;

	if (!watch->store || !kb_store_has_moved(watch->store))
		return;
	watch->moved = true;
	error = kb_store_open(&store, watch->path, KB_STORE_WRITE);
	error = rescue_to(watch, store, error, why);
	if (error) {
		store = NULL;
		error = open_elsewhere(watch, &store);
		error = rescue_to(watch, store, error, why);
	}
	clear_line(watch);
	if (error) {
		kb_note(&watch->notes, "the store was removed or replaced while the run was measured");
		lose(watch, why);
	} else if (first && !(watch->pair && watch->pair->moved)) {
		kb_note(&watch->notes, "the store was removed or replaced while the run was measured; the run is saved anew in %s", watch->place);
	}
}

void kb_watch_save(struct kb_watch *watch, const struct kb_row *row, size_t index)
{
	if (!watch->store)
		return;

	char *text = kb_json_take_text(kb_result_to_json(&row->result));

	if (!text || kb_store_put_result(watch->store, watch->run_id, row->key, (unsigned)index, text))
		lose(watch, kb_store_error(watch->store));
	free(text);
}

void kb_watch_floor(struct kb_watch *watch, const json_t *env, double k)
{
	if (watch->store && kb_floor_keep(watch->store, env, watch->run_id, k))
		lose(watch, kb_store_error(watch->store));
}

/* With what earlier runs left there. */
static void send_spool(struct kb_watch *watch)
{
	const struct kb_copy_request request = { .from = watch->spool, .to = watch->address, .move = true };
	struct kb_copied copied;
	struct kb_failure failure;

	if (kb_runs_copy(&request, &copied, &failure))
		kb_note(&watch->notes, "%s; the run waits in %s: the next one sends it, or 'kbench runs push --waiting'", failure.text, watch->place);
	else
		kb_visible_copy(watch->place, sizeof watch->place, watch->address);
}

void kb_watch_close(struct kb_watch *watch, const char *finished)
{
	clear_line(watch);
	follow_store(watch);
	if (watch->store && kb_store_finish_run(watch->store, watch->run_id, finished))
		lose(watch, kb_store_error(watch->store));
	kb_store_close(watch->store);
	watch->store = NULL;
	if (watch->marked)
		close(watch->mark);
	watch->marked = false;
	if (watch->address && !watch->lost)
		send_spool(watch);
	free(watch->spool);
	watch->spool = NULL;
}

/* ---- observer -------------------------------------------------------------------------------------- */

/* Never stops the run: a process that cannot be kept has still been measured. */
static int process_done(void *context, const struct kb_row *row, unsigned process, const char *outcome,
		       const char *record, size_t length)
{
	struct kb_watch *watch = context;
	struct kb_stored_process stored = {
		.run_id = watch->run_id, .row = row->key, .process = process, .outcome = outcome, .record = record,
		.record_length = length,
	};

	if (watch->listener && watch->listener->heard(watch->listener->context, row->key, (struct kb_span){ record, length }))
		watch->listener = NULL;
	follow_store(watch);
	if (watch->store && kb_store_add_process(watch->store, &stored))
		lose(watch, kb_store_error(watch->store));
	return 0;
}

/* A result that no process told anything about has no name before the end, and is none that could be read again. */
static void row_updated(void *context, const struct kb_row *row, size_t index)
{
	if (row->result.benchmark[0])
		kb_watch_save(context, row, index);
}

/* Rewritten in place. Windows change their size while a run lasts. */
static void progress(void *context, const struct kb_row *now, unsigned done, unsigned open, uint64_t left_ns)
{
	const struct kb_watch *watch = context;
	struct kb_progress progress = {
		.results = watch->results, .open = open, .processes = done, .blocks = watch->blocks, .estimated = watch->estimated, .budget_ns = watch->budget_ns, .left_ns = left_ns,
		.now = now ? now->key : "",
	};
	struct winsize size;
	char line[KB_PROGRESS_ROOM];
	bool sized = watch->terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;

	if (!watch->terminal)
		return;
	kb_progress_line(line, sized ? size.ws_col : WIDTH_USUAL, strcmp(nl_langinfo(CODESET), "UTF-8") == 0, &progress);
	fprintf(stderr, CLEAR_LINE "%s", line);
	fflush(stderr);
}

bool kb_watch_terminal(void)
{
	const char *term = getenv("TERM");

	return isatty(STDERR_FILENO) && term && term[0] && strcmp(term, "dumb") != 0;
}

struct kb_run_observer kb_watch_observer(struct kb_watch *watch)
{
	return (struct kb_run_observer){
		.context = watch, .process_done = process_done, .row_updated = row_updated, .progress = progress,
	};
}
