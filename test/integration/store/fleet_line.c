/*
 * fleet_line STORE [line]: makes a store with fleets over time whose answers are known, of four results each. Nodes differ by up to 12 %, and each boot by
 * 0.2 %: what changes by 1 % is not seen in the mean over nodes.
 *   f01 ... f12   six nodes each. From f07 on sys.null is 3 % dearer on all nodes. In f04 n6 is missing, which is the dearest; in f09 n2 is sick, 20 %
 *                 dearer in all; f11 has n7 in place of n1
 *   old           before them, on the nodes of another machine: two results that the others have, too
 *   even-1        as f12, but sys.null is 1 % dearer than there, with label `before`; even-2: as even-1, label `after`
 *   two-1, two-2  n1 and n2 alone
 *   far           m1 ... m6 of the same environment ID; sys.stat is 40 % dearer
 *   kernel        the six nodes with another environment ID; half-kernel: three of them
 *   broken        sys.stat is invalid on five of six nodes, sys.null on one
 *   sides         interleaved, side b is 10 % dearer
 * Between the first ones are runs of no fleet, which cost twice as much. With `line` there are no others than f01 ... f12.
 */
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "result/json/json.h"
#include "unit/stats/draws.h"

#define PROCESSES 6
#define NODES 6u
#define A "00000000000000aa"
#define B "00000000000000bb"

static struct kb_store *store;
static struct kb_rng rng;
static unsigned runs;

static void must(int error)
{
	if (error) {
		fprintf(stderr, "fleet_line: error %d: %s\n", error, store ? kb_store_error(store) : "");
		exit(1);
	}
}

static const struct { const char *benchmark, *params, *per; double cost; enum kb_bound bound; } results[] = {
	{ "sys.null", "", "call", 120, KB_KERNEL }, { "sys.stat", "depth=1", "call", 640, KB_KERNEL }, { "cpu.op_latency", "op=imul", "operation", .95, KB_LATENCY },
	{ "proc.fork_exit", "", "child", 146000, KB_KERNEL },
};
#define RESULTS (sizeof results / sizeof results[0])

/* A run: factors of 1 for its first result, its second, and all; which of them are invalid. */
struct made { const char *fleet, *node, *environment, *side, *label; double null, stat, all; bool null_invalid, stat_invalid; unsigned first; };

/* Of each node, always the same. */
static double level_of(const char *node)
{
	static const double levels[] = { .96, 1.01, .93, 1.03, .98, 1.05, 1.02 };

	return node[0] == 'm' ? 1 : levels[(unsigned)(node[1] - '1') % 7];
}

static struct kb_estimate about(double value, double half)
{
	return (struct kb_estimate){ value, value * (1 - half), value * (1 + half), true, true };
}

static char *json_of(const struct made *made, unsigned at)
{
	bool core = results[at].bound == KB_LATENCY;
	double factor = made->all * (at == 0 ? made->null : at == 1 ? made->stat : 1) * (core ? 1 : level_of(made->node));
	double cost = results[at].cost * factor * exp((core ? .0002 : .002) * draw_normal(&rng));
	struct kb_result result = {
		.method = KB_METHOD_SLOPE, .clock = "tsc", .bound = results[at].bound, .ticks_per_ns = 2.4, .clean_share = .95, .processes = PROCESSES,
		.processes_planned = PROCESSES, .observations = 6000, .n_min = 1, .n_max = 256, .n_eff = 5000, .headline = KB_HEADLINE_UNCONTENDED,
		.estimate = about(cost, .004), .observed = about(cost * 1.01, .006), .mean = about(cost * 1.01, .02), .core_mhz = about(3240, .001),
	};
	json_t *json;
	char *text;

	snprintf(result.benchmark, sizeof result.benchmark, "%s", results[at].benchmark);
	snprintf(result.params, sizeof result.params, "%s", results[at].params);
	snprintf(result.per, sizeof result.per, "%s", results[at].per);
	if (core)
		result.estimate_cycles = about(cost * 3.24, .0004);
	if ((at == 0 && made->null_invalid) || (at == 1 && made->stat_invalid))
		kb_verdict_add(&result.verdict, KB_CODE_op_failed, NULL);
	json = kb_result_to_json(&result);
	text = kb_json_text(json);
	json_decref(json);
	return text;
}

static void add_run(const struct made *made)
{
	time_t started = 1790000000 + 600 * (time_t)runs++;
	char id[37], when[24], row[385], env[200], fleet[200] = "", settings[400];
	struct tm fields;

	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&started, &fields));
	snprintf(id, sizeof id, "%08x-%04x-7000-8000-%012x", (unsigned)(started >> 16), (unsigned)started & 0xffff, runs);
	snprintf(env, sizeof env, "{\"id\":\"%s\",\"facts\":{\"arch\":\"x86_64\"},\"readings\":{}}", made->environment);
	if (made->fleet)
		snprintf(fleet, sizeof fleet, ",\"fleet\":{\"id\":\"%s\",\"node\":\"%s\",\"rank\":0,\"of\":6,\"via\":\"ssh\"%s%s%s}", made->fleet, made->node,
			 made->side ? ",\"side\":\"" : "", made->side ? made->side : "", made->side ? "\"" : "");
	/* Where a node measures is chosen anew each time. */
	snprintf(settings, sizeof settings, "{\"tool\":\"kbench 0.1.0+c%07u\",\"cpus\":[%u]%s}", runs / 6, runs % 4, fleet);
	must(kb_store_add_run(store, &(struct kb_stored_run){
		.id = id, .started = when, .finished = when, .label = made->label ? made->label : "", .command = "kbench run", .env_class = made->environment,
		.env = env, .settings = settings,
	}));
	must(kb_store_begin(store));
	for (unsigned i = made->first; i < RESULTS; i++) {
		char *json = json_of(made, i);

		snprintf(row, sizeof row, "%s%s%s", results[i].benchmark, results[i].params[0] ? " " : "", results[i].params);
		must(kb_store_put_result(store, id, row, i, json));
		free(json);
	}
	must(kb_store_end(store, 0));
}

/* n1 ... n6, each as `like` but for its name. */
static void add_fleet(const char *fleet, struct made like, unsigned from, unsigned to)
{
	for (unsigned i = from; i <= to; i++) {
		char node[8];

		snprintf(node, sizeof node, "%c%u", like.node ? like.node[0] : 'n', i);
		struct made made = like;

		made.fleet = fleet;
		made.node = node;
		add_run(&made);
	}
}

static const struct made plain = { .environment = A, .null = 1, .stat = 1, .all = 1 };

static void add_line(void)
{
	for (unsigned i = 1; i <= 12; i++) {
		struct made like = plain;
		char fleet[8];

		snprintf(fleet, sizeof fleet, "f%02u", i);
		like.null = i >= 7 ? 1.03 : 1;
		add_run(&(struct made){ .node = "n1", .environment = A, .null = 2, .stat = 2, .all = 2 });
		for (unsigned n = 1; n <= NODES; n++) {
			like.all = i == 9 && n == 2 ? 1.2 : 1;
			if (i != 4 || n != 6)
				add_fleet(fleet, like, i == 11 && n == 1 ? 7 : n, i == 11 && n == 1 ? 7 : n);
		}
	}
}

static void add_others(void)
{
	struct made like = plain;

	like.null = 1.03 * 1.01;
	like.label = "before";
	add_fleet("even-1", like, 1, NODES);
	like.label = "after";
	add_fleet("even-2", like, 1, NODES);
	like.label = NULL;
	add_fleet("two-1", like, 1, 2);
	add_fleet("two-2", like, 1, 2);
	like.node = "m";
	like.stat = 1.4;
	add_fleet("far", like, 1, NODES);
	like = plain;
	like.environment = B;
	add_fleet("kernel", like, 1, NODES);
	add_fleet("half-kernel", like, 1, 3);
	add_fleet("half-kernel", plain, 4, NODES);
	for (unsigned n = 1; n <= NODES; n++) {
		like = plain;
		like.stat_invalid = n > 1;
		like.null_invalid = n == 3;
		add_fleet("broken", like, n, n);
	}
	for (unsigned n = 0; n < 2 * NODES; n++) {
		like = plain;
		like.side = n % 2 ? "b" : "a";
		like.all = n % 2 ? 1.1 : 1;
		add_fleet("sides", like, n / 2 + 1, n / 2 + 1);
	}
}

int main(int argc, char **argv)
{
	struct made other = plain;

	if (argc < 2)
		return 2;
	kb_rng_seed(&rng, 11);
	must(kb_store_open(&store, argv[1], KB_STORE_WRITE));
	other.environment = B;
	other.node = "other";
	other.first = 2;
	if (argc == 2)
		add_fleet("old", other, 1, 3);
	add_line();
	if (argc == 2)
		add_others();
	kb_store_close(store);
	return 0;
}
