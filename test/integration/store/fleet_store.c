/*
 * fleet_store FILE: makes a store with fleets whose answers are known, of seven results each. Healthy nodes differ by 0.3 %, boots by 0.2 %.
 *   healthy   four nodes, one run each
 *   sick-1    eight nodes of one environment ID with two boots each, and three of another one, on which all costs a third more: node-3 is 5 %
 *             dearer in all results, with a slower clock; node-6 loses 40 % more to others; node-7 has one result that is 20 % dearer
 *   sick-2    four nodes, one of which has a neighbour that never leaves: too little uncontended time, so its cost is another kind of cost
 *   noisy     four nodes, one of which has one result that is 20 % dearer, and noisy
 *   waiting   four nodes, one of which waits for a CPU for 45 % of its time, and has nothing else
 *   kinds     four nodes, one of which has one result in time that is 8 % dearer: processes come in such kinds by chance
 *   observed  four nodes, whose costs have neighbours in them; one of them has one result that is 2.6 times as dear
 *   sides     six nodes, side b is 3 % faster in all results but the first
 *   pair      two nodes
 * Older ones, of which whole runs differ by 0.3 % and boots by 1 %:
 *   nested    five nodes with three boots of three runs each
 *   again     five nodes with one boot of three runs each
 *   unbooted  five nodes with two runs each, of which no boot is known
 * A run of before has no fleet.
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
#define HOSTILE "<img src=x onerror=alert(1)>"

static struct kb_store *store;
static struct kb_rng rng;
static unsigned runs;
static time_t epoch = 1790000000;
static const char *label = "nightly";

static void must(int error)
{
	if (error) {
		fprintf(stderr, "fleet_store: error %d: %s\n", error, store ? kb_store_error(store) : "");
		exit(1);
	}
}

static const struct { const char *benchmark, *params, *per; double cost; enum kb_bound bound; } results[] = {
	{ "sys.null", "", "call", 120, KB_KERNEL }, { "sys.stat", "depth=1", "call", 640, KB_KERNEL },
	{ "ipc.pipe_latency", "placement=same-cpu", "round-trip", 4300, KB_KERNEL }, { "ipc.pipe_latency", "placement=" HOSTILE, "round-trip", 790, KB_KERNEL },
	{ "cpu.op_latency", "op=imul", "operation", .95, KB_LATENCY }, { "mem.latency", "size=16K", "load", 1.3, KB_LATENCY },
	{ "proc.fork_exit", "", "child", 146000, KB_KERNEL },
};
#define RESULTS (sizeof results / sizeof results[0])

/* What is special about a node: factors of 1. */
struct node { const char *name; double cost, loss, clock, one; bool contended, noisy, waits, observed; };

/* What all runs of a boot share: factors of 1. */
struct boot { char id[24]; double factors[RESULTS]; };

static struct kb_estimate about(double value, double half)
{
	return (struct kb_estimate){ value, value * (1 - half), value * (1 + half), true, true };
}

static char *json_of(size_t at, const struct node *node, double factor)
{
	double mhz = 3240 / node->clock, clean = node->contended ? .03 : .95 - .02 * fabs(draw_normal(&rng));
	double cost = results[at].cost * node->cost * factor * exp(.003 * draw_normal(&rng)) * (at == 3 ? node->one : 1) * (node->contended ? 1.35 : 1);
	double loss = node->loss * (1 + .02 * fabs(draw_normal(&rng))) * (node->contended ? 1.1 : 1);
	struct kb_result result = {
		.method = KB_METHOD_SLOPE, .clock = "tsc", .bound = results[at].bound, .ticks_per_ns = 2.4, .clean_share = clean, .processes = PROCESSES,
		.processes_planned = PROCESSES, .observations = 6000, .n_min = 1, .n_max = 256, .n_eff = 5000,
		.headline = node->contended || node->observed ? KB_HEADLINE_OBSERVED : KB_HEADLINE_UNCONTENDED, .estimate = about(cost, .004), .observed = about(cost * 1.01, .006),
		.mean = about(cost * loss, .02), .core_mhz = about(mhz, .001), .disturbed = node->loss > 1.2 ? 400 : 20, .waited_share = (node->waits ? .45 : .01) * (1 + .05 * draw_normal(&rng)),
	};
	json_t *json;
	char *text;

	snprintf(result.benchmark, sizeof result.benchmark, "%s", results[at].benchmark);
	snprintf(result.params, sizeof result.params, "%s", results[at].params);
	snprintf(result.per, sizeof result.per, "%s", results[at].per);
	if (results[at].bound == KB_LATENCY)
		result.estimate_cycles = about(cost * mhz / 1000, .001);
	if (node->contended)
		kb_verdict_add(&result.verdict, KB_CODE_contention_not_excluded, NULL);
	if (node->noisy && at == 3)
		kb_verdict_add(&result.verdict, KB_CODE_multimodal, NULL);
	json = kb_result_to_json(&result);
	text = kb_json_text(json);
	json_decref(json);
	return text;
}

/* fleet NULL: a run of before. boot NULL: its own. */
static void add_run_in(const struct boot *boot, const char *fleet, const struct node *node, const char *environment, const char *side, double factor)
{
	time_t started = epoch + 600 * (time_t)runs++;
	char id[37], when[24], row[385], env[300], boot_id[60], settings[400] = "{\"tool\":\"kbench 0.1.0\",\"cpus\":[0,1]}";
	struct tm fields;

	snprintf(boot_id, sizeof boot_id, "\"boot_id\":\"boot-%u\"", runs);
	if (boot)
		snprintf(boot_id, sizeof boot_id, boot->id[0] ? "\"boot_id\":\"%s\"" : "", boot->id);

	strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&started, &fields));
	snprintf(id, sizeof id, "%08x-%04x-7000-8000-%012x", (unsigned)(started >> 16), (unsigned)started & 0xffff, runs);
	snprintf(env, sizeof env, "{\"id\":\"%s\",\"facts\":{\"arch\":\"x86_64\"},\"readings\":{%s}}", environment, boot_id);
	if (fleet)
		snprintf(settings, sizeof settings, "{\"tool\":\"kbench 0.1.0\",\"cpus\":[0,1],\"fleet\":{\"id\":\"%s\",\"node\":\"%s\",\"rank\":0,\"of\":8,\"via\":\"ssh\"%s%s%s}}",
			 fleet, node->name, side ? ",\"side\":\"" : "", side ? side : "", side ? "\"" : "");
	must(kb_store_add_run(store, &(struct kb_stored_run){
		.id = id, .started = when, .finished = when, .label = fleet ? label : "before", .command = "kbench run", .env_class = environment, .env = env,
		.settings = settings,
	}));
	must(kb_store_begin(store));
	for (unsigned i = 0; i < RESULTS; i++) {
		double of_boot = boot ? boot->factors[i] : exp(.002 * draw_normal(&rng)), side_factor = side && side[0] == 'b' && i > 0 ? .97 : 1;
		char *json = json_of(i, node, factor * of_boot * side_factor);

		snprintf(row, sizeof row, "%s%s%s", results[i].benchmark, results[i].params[0] ? " " : "", results[i].params);
		must(kb_store_put_result(store, id, row, i, json));
		free(json);
	}
	must(kb_store_end(store, 0));
}

static void add_run(const char *fleet, const struct node *node, const char *environment, const char *side, double factor)
{
	add_run_in(NULL, fleet, node, environment, side, factor);
}

/* The ID of a boot may be that of another node's: nodes that were started from one image. */
static void add_boot(const char *fleet, const char *name, const char *environment, const char *id, unsigned count)
{
	struct boot boot;

	snprintf(boot.id, sizeof boot.id, "%s", id);
	for (unsigned i = 0; i < RESULTS; i++)
		boot.factors[i] = exp(.01 * draw_normal(&rng));
	for (unsigned r = 0; r < count; r++)
		add_run_in(&boot, fleet, &(struct node){ name, 1, 1.01, 1, 1, false }, environment, NULL, 1);
}

#define A "00000000000000aa"
#define B "00000000000000bb"

static void add_fleets(void)
{
	static const struct node many[] = {
		{ "node-1", 1, 1.01, 1, 1, false }, { "node-2", 1, 1.01, 1, 1, false }, { "node-3", 1.05, 1.01, 1.05, 1, false }, { "node-4", 1, 1.01, 1, 1, false },
		{ "node-5", 1, 1.01, 1, 1, false }, { "node-6", 1, 1.4, 1, 1, false }, { "node-7", 1, 1.01, 1, 1.2, false }, { HOSTILE, 1, 1.01, 1, 1, false },
	}, neighbour = { "node-4", 1, 1.01, 1, 1, true };
	static const char *const others[] = { "other-1", "other-2", "other-3" };
	static const unsigned healthy[] = { 0, 1, 3, 4, 7, 0 };

	add_run(NULL, &many[0], A, NULL, 1);
	for (unsigned i = 0; i < 4; i++)
		add_run("healthy", &many[healthy[i]], A, NULL, 1);
	for (unsigned i = 0; i < 16; i++)
		add_run("sick-1", &many[i % 8], A, NULL, 1);
	for (unsigned i = 0; i < 3; i++)
		add_run("sick-1", &(struct node){ others[i], 1, 1.01, 1, 1, false }, B, NULL, 1.33);
	for (unsigned i = 0; i < 4; i++)
		add_run("sick-2", i == 2 ? &neighbour : &many[healthy[i]], A, NULL, 1);
	for (unsigned i = 0; i < 4; i++)
		add_run("noisy", i == 2 ? &(struct node){ "node-7", 1, 1.01, 1, 1.2, false, true } : &many[healthy[i]], A, NULL, 1);
	for (unsigned i = 0; i < 4; i++)
		add_run("waiting", i == 2 ? &(struct node){ "node-7", 1, 1.01, 1, 1, .waits = true } : &many[healthy[i]], A, NULL, 1);
	/* Those behind them are drawn as if these were not there. */
	struct kb_rng before = rng;

	for (unsigned i = 0; i < 4; i++)
		add_run("kinds", i == 2 ? &(struct node){ "node-7", 1, 1.01, 1, 1.08 } : &many[healthy[i]], A, NULL, 1);
	for (unsigned i = 0; i < 4; i++)
		add_run("observed", &(struct node){ many[healthy[i]].name, 1, 1.01, 1, i == 2 ? 2.6 : 1, .observed = true }, A, NULL, 1);
	rng = before;
	for (unsigned i = 0; i < 12; i++) {
		char name[8];

		snprintf(name, sizeof name, "n%u", i / 2);
		add_run("sides", &(struct node){ name, 1, 1.01, 1, 1, false }, A, i % 2 ? "b" : "a", 1 + .01 * (i / 2));
	}
	for (unsigned i = 0; i < 2; i++)
		add_run("pair", &many[i], A, NULL, 1);
}

static void add_nested_fleets(void)
{
	static const char *const nodes[] = { "n1", "n2", "n3", "n4", "n5" }, *const ids[] = { "boot-x", "boot-y", "boot-z" };

	epoch = 1780000000;
	label = "nested";
	/* Boots in turn, as a fleet that is started again. */
	for (unsigned i = 0; i < 15; i++)
		add_boot("nested", nodes[i % 5], A, ids[i / 5], 3);
	for (unsigned i = 0; i < 5; i++)
		add_boot("again", nodes[i], A, "boot-x", 3);
	for (unsigned i = 0; i < 10; i++)
		add_boot("unbooted", nodes[i % 5], A, "", 1);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	kb_rng_seed(&rng, 7);
	must(kb_store_open(&store, argv[1], KB_STORE_WRITE));
	add_fleets();
	add_nested_fleets();
	kb_store_close(store);
	return 0;
}
