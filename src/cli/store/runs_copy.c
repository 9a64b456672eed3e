/* kbench runs merge, push, pull and copy: runs from one store to another. */
#include <getopt.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/store/runs.h"
#include "workflow/copy.h"

struct asked {
	const char *store;
	uint64_t wait_ns;
	bool waiting, without_records;
};

#define INTO(kind, ...) KB_OPTION(kind, struct asked, __VA_ARGS__)

static void print_copied(const char *path, const struct kb_copied *copied)
{
	printf("%s: %zu run%s added", kb_shown(path).text, copied->added, copied->added == 1 ? "" : "s");
	if (copied->completed > 0)
		printf(", %zu completed", copied->completed);
	if (copied->known > 0)
		printf(", %zu known already", copied->known);
	if (copied->live > 0)
		printf(", %zu left out: being measured", copied->live);
	fputc('\n', stdout);
}

static void say_lost(void *command, const char *why)
{
	kb_complain(command, "%s; trying again", why);
}

/* What was done before a failure is told, too. */
static void copy_runs(const struct kb_command *command, const char *shown, struct kb_copy_request *request)
{
	struct kb_copied copied;
	struct kb_failure failure;
	int code;

	request->waits = say_lost;
	request->context = (void *)command;
	code = kb_runs_copy(request, &copied, &failure);
	if (!code || copied.added + copied.completed > 0)
		print_copied(shown, &copied);
	kb_die_if(command, code, &failure);
}

/* ---- merge ----------------------------------------------------------------------------------------------- */

static const struct kb_option merge_options[] = {
	{ 0, "store", "FILE", "the store that gets them", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0 }
};

static int merge_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked = { .store = NULL };

	kb_read_options(command, argc, argv, &asked);
	if (optind == argc)
		kb_usage(command, "which store?");
	for (; optind < argc; optind++)
		copy_runs(command, argv[optind], &(struct kb_copy_request){ .from = argv[optind], .to = asked.store });
	return KB_EXIT_DONE;
}

const struct kb_command kb_runs_merge_verb = {
	.name = "runs merge",
	.arguments = "FILE...",
	.summary = "Bring the runs of other stores into this one",
	.text = "FILE is a store, such as the kbench.db of another machine, of this version or an older one. A run that is known by its\n"
		"id stays as it is; one that was merged while it was measured is completed. Each run comes whole or not at all.\n",
	.options = merge_options,
	.examples = "  kbench runs merge laptop.db server.db\n"
		    "  kbench runs merge laptop.db --store all.db\n",
	.exits = "  0 done; 2 usage, an unreadable or damaged store, unwritable store: the runs before it are in\n",
	.main = merge_main,
};

/* ---- push, pull and copy --------------------------------------------------------------------------------- */

#define WAIT { 0, "timeout", "TIME", "how long a lost connection is tried again", "60s", INTO(TIME, wait_ns) }
#define ONCE \
	"Runs are known by their ids: what is there stays as it is, and a copy that was cut off is completed by typing it again.\n" \
	"Each run goes whole or not at all. A lost connection is tried again. RUN is as for 'kbench show'.\n"
#define EXITS "  0 done; 2 usage, unknown run, a store that cannot be opened, read or written: the runs before it are in\n"

static const struct kb_option copy_options[] = { WAIT, { 0 } };

static const struct kb_option push_options[] = {
	{ 0, "store", "FILE", "where the runs are", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0, "waiting", NULL, "the runs that 'kbench run' could not send to this server, and no others", NULL, INTO(FLAG, waiting) },
	{ 0, "without-records", NULL, "only results go; the raw records stay in this store alone", NULL, INTO(FLAG, without_records) }, WAIT,
	{ 0 }
};

static const struct kb_option pull_options[] = {
	{ 0, "store", "FILE", "where the runs go", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) }, WAIT,
	{ 0 }
};

/* Reads the options and so many stores, and takes the rest for runs. */
static struct kb_copy_request read_request(const struct kb_command *command, int argc, char **argv, int stores, struct asked *asked)
{
	*asked = (struct asked){ .wait_ns = 60 * KB_S };
	kb_read_options(command, argc, argv, asked);
	if (argc - optind < stores)
		kb_usage(command, stores == 1 ? "which store? A file, or postgresql://HOST/DATABASE" : "two stores are needed: from which, and to which");
	return (struct kb_copy_request){
		.from = argv[optind], .to = argv[optind + stores - 1], .names = argv + optind + stores, .count = (size_t)(argc - optind - stores),
		.wait_s = (unsigned)((asked->wait_ns + KB_S - 1) / KB_S),
	};
}

static int push_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked;
	struct kb_copy_request request = read_request(command, argc, argv, 1, &asked);
	char *spool = asked.waiting ? kb_spool_path(request.to) : NULL;

	if (asked.waiting && asked.without_records)
		kb_usage(command, "--without-records would lose the records of runs that wait: they are kept nowhere else");
	if (asked.waiting && (asked.store || !kb_store_is_remote(request.to)))
		kb_usage(command, "--waiting is for the runs of a server, postgresql://HOST/DATABASE, and without --store");
	request.from = asked.waiting ? spool : asked.store;
	request.move = asked.waiting;
	request.without_records = asked.without_records;
	if (!asked.waiting || (spool && access(spool, F_OK) == 0))
		copy_runs(command, request.to, &request);
	else
		printf("%s: no run waits\n", kb_shown(request.to).text);
	free(spool);
	return KB_EXIT_DONE;
}

const struct kb_command kb_runs_push_verb = {
	.name = "runs push",
	.arguments = "STORE [RUN...]",
	.summary = "Copy runs of this store into another one, such as that of a server",
	.text = ONCE "'kbench run --store postgresql://...' measures into a file and sends the run when it has ended. What it could not send\n"
		"waits; the next run to that server sends it, and --waiting does.\n"
		"With --without-records results go as they are, and are shown, compared and exported there as here; what needs records\n"
		"is missing there, as after 'kbench runs gc --records-older-than'. A later push does not add them: what is there stays\n"
		"as it is.\n",
	.options = push_options,
	.examples = "  kbench runs push postgresql://db.example.org/bench\n"
		    "  kbench runs push postgresql://db.example.org/bench last\n"
		    "  kbench runs push --without-records postgresql://db.example.org/bench\n"
		    "  kbench runs push --waiting postgresql://db.example.org/bench\n",
	.exits = EXITS,
	.main = push_main,
};

static int pull_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked;
	struct kb_copy_request request = read_request(command, argc, argv, 1, &asked);

	request.to = asked.store;
	copy_runs(command, request.from, &request);
	return KB_EXIT_DONE;
}

const struct kb_command kb_runs_pull_verb = {
	.name = "runs pull",
	.arguments = "STORE [RUN...]",
	.summary = "Copy runs of another store, such as that of a server, into this one",
	.text = ONCE,
	.options = pull_options,
	.examples = "  kbench runs pull postgresql://db.example.org/bench last\n"
		    "  kbench runs pull postgresql:///bench nightly --store nightly.db\n",
	.exits = EXITS,
	.main = pull_main,
};

static int copy_main(const struct kb_command *command, int argc, char **argv)
{
	struct asked asked;
	struct kb_copy_request request = read_request(command, argc, argv, 2, &asked);

	copy_runs(command, request.to, &request);
	return KB_EXIT_DONE;
}

const struct kb_command kb_runs_copy_verb = {
	.name = "runs copy",
	.arguments = "FROM TO [RUN...]",
	.summary = "Copy runs of one store into another",
	.text = ONCE,
	.options = copy_options,
	.examples = "  kbench runs copy lab.db postgresql://db.example.org/bench\n"
		    "  kbench runs copy postgresql:///bench postgresql://db.example.org/bench last\n",
	.exits = EXITS,
	.main = copy_main,
};
