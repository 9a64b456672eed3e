/* kbench fleet run: one measurement on many machines. */
#include <getopt.h>
#include <string.h>

#include "cli/fleet/fleet.h"
#include "cli/run.h"

struct request {
	struct kb_fleet_request f;
	struct kb_words sides;
	int via;
	bool json, quiet;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)
#define SLURM "Slurm"
#define SSH "ssh"

static const struct kb_option options[] = {
	{ 0, "via", "local|ssh|slurm", "what starts the nodes; local: so many processes of this machine, to try it", NULL, INTO(CHOICE, via) },
	{ 0, "nodes", "N", "on so many; of Slurm and local", NULL, INTO(NUMBER, f.nodes, .least = 1, .most = KB_FLEET_NODES_MOST) },
	{ 0, "kbench", "PATH", "the kbench of the nodes, of this version", "this one; ssh: the one in PATH there", INTO(WORD, f.kbench) },
	{ 0, "interleave", "SIDE SIDE", "on each node 'kbench ab' of these two instead of 'kbench run'", NULL, INTO(WORDS, sides, .words = 2) },
	{ 0, "time", "TIME", "limit of one node, which Slurm schedules by", "30m", INTO(TIME, f.time_ns, .least = KB_S) },
	{ 0, "budget", "TIME", "cancel what has not ended after this time, waiting included", "none", INTO(TIME, f.budget_ns, .least = 10 * KB_MS) },
	{ 0, "share", NULL, "nodes may share a machine: Slurm without --exclusive, local all at once", NULL, INTO(FLAG, f.share) },
	{ 0, "store", "FILE", "where the runs of all nodes are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, f.store) },
	{ 0, "json", NULL, "print kbench-fleet-run/1 instead of the table", NULL, INTO(FLAG, json) },
	{ 0, "quiet", NULL, "print nothing before the end", NULL, INTO(FLAG, quiet) },
	{ 0, "hosts", "NAME[,NAME...]", "measure on these", NULL, INTO(WORD, f.hosts, .group = SSH) },
	{ 0, "hosts-file", "FILE", "and on these: a name a line, '#' begins a comment", NULL, INTO(WORD, f.hosts_file, .group = SSH) },
	{ 0, "ssh", "WORDS", "how ssh is called, such as 'ssh -F FILE'", "$KBENCH_SSH, else ssh", INTO(WORD, f.ssh, .group = SSH) },
	{ 0, "partition", "NAME", "submit to this partition", "Slurm's default", INTO(WORD, f.partition, .group = SLURM) },
	{ 0, "slurm", "WORDS", "further options of sbatch", NULL, INTO(WORD, f.slurm, .group = SLURM) },
	{ 0, "directory", "DIR", "that all nodes see, where runs are until they are gathered", "the working one",
	  INTO(WORD, f.directory, .group = SLURM) },
	{ 0 }
};

/* The words up to the first "--". Those behind it are the nodes'. */
static int count_words(int argc, char **argv)
{
	int count = 1;

	while (count < argc && strcmp(argv[count], "--"))
		count++;
	return count;
}

/* What stands before and behind "--". */
static void take_words(const struct kb_command *command, struct request *request, int count, int argc, char **argv)
{
	char **words = kb_need_memory(command, calloc((size_t)argc + 1, sizeof *words));

	for (int i = optind; i < count; i++)
		words[request->f.word_count++] = argv[i];
	for (int i = count + 1; i < argc; i++)
		words[request->f.word_count++] = argv[i];
	request->f.words = words;
}

/* By their own tables, before anything is started; what only this machine could know is left to the nodes. */
static void check_words(const struct kb_command *command, const struct request *request)
{
	const struct kb_command *measure = request->f.sides ? &kb_command_ab : &kb_command_run;
	static const char *const ours[] = { "--store", "--no-store", "--dry-run", "--help", "-h" };

	for (size_t i = 0; i < request->f.word_count; i++) {
		const char *word = request->f.words[i];

		for (size_t k = 0; k < sizeof ours / sizeof ours[0]; k++) {
			if (strncmp(word, ours[k], strcspn(word, "=")) == 0 && word[0] == '-' && strlen(ours[k]) == strcspn(word, "="))
				kb_usage(command, "'%s' is not for the nodes%s", ours[k], k == 0 ? ": type it before '--'" : "");
		}
	}
	kb_check_words(measure, request->f.word_count, request->f.words);
}

static void check(const struct kb_command *command, const struct request *request)
{
	const struct kb_fleet_request *f = &request->f;
	const struct { const char *name; bool given, fits; } options_of[] = {
		{ "hosts", f->hosts, f->via == KB_FLEET_SSH }, { "hosts-file", f->hosts_file, f->via == KB_FLEET_SSH },
		{ "ssh", f->ssh, f->via == KB_FLEET_SSH }, { "partition", f->partition, f->via == KB_FLEET_SLURM },
		{ "slurm", f->slurm, f->via == KB_FLEET_SLURM }, { "directory", f->directory, f->via == KB_FLEET_SLURM },
		{ "nodes", f->nodes, f->via != KB_FLEET_SSH }, { "share", f->share, f->via != KB_FLEET_SSH },
	};

	if (request->via < 0)
		kb_usage(command, "--via is needed: local, ssh or slurm");
	for (size_t i = 0; i < sizeof options_of / sizeof options_of[0]; i++) {
		if (options_of[i].given && !options_of[i].fits)
			kb_usage(command, "--%s is not for --via %s", options_of[i].name, kb_fleet_transports[f->via]->name);
	}
	if (f->via != KB_FLEET_SSH && f->nodes == 0)
		kb_usage(command, "--nodes is needed: on how many?");
	if (request->sides.count > 2)
		kb_usage(command, "--interleave can be given once");
}

static int run_main(const struct kb_command *command, int argc, char **argv)
{
	struct request request = { .via = -1, .f.time_ns = 30 * 60 * KB_S };
	int count = count_words(argc, argv), code;
	struct kb_fleet_observer observer;
	struct kb_fleet_show show;
	struct kb_failure failure;
	struct kb_fleet fleet;

	kb_read_options(command, count, argv, &request);
	request.f.via = request.via < 0 ? KB_FLEET_LOCAL : (enum kb_fleet_via)request.via;
	request.f.sides = request.sides.count > 0 ? request.sides.at : NULL;
	take_words(command, &request, count, argc, argv);
	check(command, &request);
	check_words(command, &request);
	if (!request.f.ssh && getenv("KBENCH_SSH") && getenv("KBENCH_SSH")[0])
		request.f.ssh = getenv("KBENCH_SSH");
	observer = kb_fleet_watch(&show, command, request.quiet);
	code = kb_fleet_run(&request.f, &observer, &fleet, &failure);
	code = kb_fleet_end(command, &show, &fleet, code, &failure, request.json);
	free((void *)(uintptr_t)request.f.words);
	free(request.sides.at);
	return code;
}

const struct kb_command kb_fleet_run_verb = {
	.name = "fleet run",
	.arguments = "[PATTERN...] [-- ARGUMENTS]",
	.summary = "Measure the same on many machines and gather the runs",
	.text = "ARGUMENTS are those of 'kbench run', or with --interleave of 'kbench ab'. Each node measures into a store of its own;\n"
		"the runs of all are merged into this one, and their settings tell which node each is of. A node that is lost costs its\n"
		"own results only. Ctrl-C cancels what has not ended and keeps the rest; if this kbench is killed, the nodes measure\n"
		"on, and 'kbench fleet gather' brings what they measured.\n",
	.options = options,
	.examples = "  kbench fleet run --via local --nodes 2 sys.null -- --processes 3\n"
		    "  kbench fleet run --via ssh --hosts a,b,c -- sys.null 'ipc.*' --processes 5\n"
		    "  kbench fleet run --via slurm --nodes 4 --partition debug --time 10m -- sys.null\n"
		    "  kbench fleet run --via slurm --nodes 4 --slurm '-C milan -A perf' -- sys\n"
		    "  kbench fleet run --via slurm --nodes 4 --interleave ./A/kbench ./B/kbench -- sys.null\n",
	.exits = "  0 all nodes are done; 2 usage, or no node could do what was asked; 5 a node is lost, or a benchmark failed;\n"
		 "  3, 1 and 4 as of 'kbench run' and 'kbench ab' on a node; 128+n stopped by signal n, after gathering.\n"
		 "  Precedence: 2, 128+n, 5, 3, 1, 4.\n",
	.main = run_main,
};
