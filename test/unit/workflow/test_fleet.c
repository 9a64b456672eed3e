/* Fleets without machines: where a run stands, names of hosts, what Slurm prints and what it means, what a node's script writes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "result/json/json.h"
#include "workflow/fleet/fleet.h"

/* ---- the place of a run -------------------------------------------------------------------------------------- */

static const char *const *variables;    /* NAME, VALUE, ... NULL */

static char *get(const char *name)
{
	for (const char *const *at = variables; *at; at += 2) {
		if (!strcmp(at[0], name))
			return (char *)(uintptr_t)at[1];
	}
	return NULL;
}

#define READ(place, why, ...) (variables = (const char *const[]){ __VA_ARGS__, NULL }, kb_place_read(get, place, why))

static char *settings_of(const struct kb_run_place *place, const char *side)
{
	json_t *settings = json_object();

	kb_place_to_settings(place, side, settings);
	return kb_json_take_text(settings);
}

static void place_of_a_fleet(void **state)
{
	struct kb_run_place place;
	char why[KB_PLACE_WHY] = "", line[KB_PLACE_LINE], *text;
	json_t *settings;

	(void)state;
	assert_int_equal(READ(&place, why, "KBENCH_FLEET", "id=01935a00 node=n2 rank=2 of=4 via=ssh"), 0);
	assert_true(place.fleet && !place.allocation);
	text = settings_of(&place, "a");
	assert_string_equal(text, "{\"fleet\":{\"id\":\"01935a00\",\"node\":\"n2\",\"rank\":2,\"of\":4,\"via\":\"ssh\",\"side\":\"a\"}}");
	settings = json_loads(text, 0, NULL);
	assert_string_equal(kb_place_line(settings, false, line), "node n2, rank 2 of 4, side a, fleet 01935a00");
	assert_string_equal(kb_place_line(settings, true, line), "node n2, rank 2 of 4, side a");
	json_decref(settings);
	free(text);

	/* Slurm fills in what the fleet leaves out, and nothing in a fleet that is not of it. */
	assert_int_equal(READ(&place, why, "KBENCH_FLEET", "id=x rank=0 of=1 via=slurm", "SLURM_ARRAY_JOB_ID", "17", "SLURM_JOB_ID", "19", "SLURMD_NODENAME",
			      "n7", "SLURM_PROCID", "5"), 0);
	assert_string_equal(place.node, "n7");
	assert_string_equal(place.job, "17");
	assert_int_equal(place.rank, 0);
	assert_int_equal(READ(&place, why, "KBENCH_FLEET", "id=x rank=0 of=1 via=ssh", "SLURM_JOB_ID", "19", "SLURMD_NODENAME", "n7"), 0);
	assert_string_equal(place.node, "");
}

static void place_of_an_allocation(void **state)
{
	struct kb_run_place place;
	char why[KB_PLACE_WHY] = "", *text;

	(void)state;
	assert_int_equal(READ(&place, why, "SLURM_JOB_ID", "19", "SLURMD_NODENAME", "n7", "SLURM_PROCID", "3", "SLURM_NTASKS", "8"), 0);
	text = settings_of(&place, NULL);
	assert_string_equal(text, "{\"allocation\":{\"node\":\"n7\",\"rank\":3,\"of\":8,\"via\":\"slurm\",\"job\":\"19\"}}");
	free(text);
	/* A shell of salloc is on no node, and what Slurm would never say is nothing that a user typed. */
	assert_int_equal(READ(&place, why, "SLURM_JOB_ID", "19"), 0);
	assert_false(place.allocation);
	assert_int_equal(READ(&place, why, "SLURM_JOB_ID", "a b", "SLURMD_NODENAME", "n7"), 0);
	assert_false(place.allocation);
	assert_int_equal(READ(&place, why, "HOME", "/"), 0);
	text = settings_of(&place, "a");
	assert_string_equal(text, "{}");
	free(text);
}

static void wrong_places(void **state)
{
	static const char *const wrong[] = {
		"id", "id=a", "id=a rank=1 of=1 via=ssh", "id=a rank=-1 of=1 via=ssh", "id=a rank=0 of=0 via=ssh", "id=a rank=0 of=1", "rank=0 of=1 via=ssh",
		"id=a node=\"x\" rank=0 of=1 via=ssh", "id=a rank=0 of=1 via=ssh colour=red", "id=a node=-x rank=0 of=1 via=ssh",
		"id=a rank=0 of=1 via=much-too-long", "id=a rank=0x0 of=1 via=ssh",
	};
	struct kb_run_place place;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		char why[KB_PLACE_WHY] = "";

		if (READ(&place, why, "KBENCH_FLEET", wrong[i]) != -EINVAL || !strstr(why, "KBENCH_FLEET: "))
			fail_msg("'%s' was read: %s", wrong[i], why);
	}
}

/* ---- hosts ----------------------------------------------------------------------------------------------------- */

static void hosts(void **state)
{
	static const struct { const char *text, *refusal; size_t count; } files[] = {
		{ "a\n# all of it\n  b  # old\n\nuser@c.example\n[::1]\n", NULL, 4 }, { "a", NULL, 1 }, { "", "names no host", 0 },
		{ "a\nb\na\n", "line 3: host 'a' stands there twice", 0 }, { "a b\n", "line 1: one name of a host a line", 0 },
		{ "ok\n-oProxyCommand=x\n", "line 2: '-oProxyCommand=x' is no name", 0 }, { "a;b\n", "is no name", 0 },
	};
	char path[] = "/tmp/kbench-hosts.XXXXXX";
	struct kb_failure failure;

	(void)state;
	close(mkstemp(path));
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		struct kb_fleet fleet = { .lock = -1 };
		FILE *out = fopen(path, "w");
		int code;

		fputs(files[i].text, out);
		fclose(out);
		code = kb_fleet_add_hosts_of(&fleet, path, &failure);
		if (code ? !files[i].refusal || !strstr(failure.text, files[i].refusal) : files[i].refusal || fleet.count != files[i].count)
			fail_msg("file %zu: %d, %zu hosts, %s", i, code, fleet.count, code ? failure.text : "");
		kb_fleet_release(&fleet);
	}
	unlink(path);

	struct kb_fleet fleet = { .lock = -1 };

	assert_int_equal(kb_fleet_add_hosts(&fleet, "a,b,c", &failure), 0);
	assert_int_equal(fleet.count, 3);
	assert_string_equal(fleet.nodes[2].name, "c");
	assert_int_equal(fleet.nodes[2].rank, 2);
	assert_int_equal(kb_fleet_add_hosts(&fleet, "d,,e", &failure), KB_EXIT_USAGE);
	assert_int_equal(kb_fleet_add_hosts(&fleet, "a", &failure), KB_EXIT_USAGE);
	kb_fleet_release(&fleet);
}

/* ---- Slurm ------------------------------------------------------------------------------------------------------ */

static void times_and_jobs(void **state)
{
	static const struct { const char *text; bool fine; uint64_t seconds; } times[] = {
		{ "1:20", true, 80 }, { "0:00", true, 0 }, { "1:02:03", true, 3723 }, { "2-00:00:01", true, 172801 }, { "30", true, 30 },
		{ "UNLIMITED", false, 0 }, { "INVALID", false, 0 }, { "", false, 0 }, { ":", false, 0 }, { "1:-2", false, 0 }, { "99999999:0", false, 0 },
	};
	char job[24] = "";
	uint64_t seconds;

	(void)state;
	for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
		bool fine = kb_slurm_read_time(kb_span_of(times[i].text), &seconds);

		if (fine != times[i].fine || (fine && seconds != times[i].seconds))
			fail_msg("'%s': %d, %llu s", times[i].text, fine, (unsigned long long)seconds);
	}
	assert_true(kb_slurm_read_job("sbatch: lua: welcome, 3 jobs wait\n17;cluster\n", job));
	assert_string_equal(job, "17");
	assert_true(kb_slurm_read_job("4711\n", job));
	assert_false(kb_slurm_read_job("sbatch: error: invalid partition\n", job));
	assert_false(kb_slurm_read_job("", job));
	assert_false(kb_slurm_read_job("123456789012345678901234567890\n", job));
}

static void queue_lines(void **state)
{
	struct kb_slurm_task task;

	(void)state;
	assert_true(kb_slurm_read_squeue(kb_span_of("17|2|RUNNING|n3|None|1:20"), &task));
	assert_string_equal(task.job, "17");
	assert_int_equal(task.rank, 2);
	assert_string_equal(task.state, "RUNNING");
	assert_string_equal(task.node, "n3");
	assert_int_equal(task.left_s, 80);
	assert_true(kb_slurm_read_squeue(kb_span_of("17|0|PENDING||Resources|UNLIMITED"), &task));
	assert_string_equal(task.node, "");
	assert_string_equal(task.reason, "Resources");
	assert_true(kb_slurm_read_sacct(kb_span_of("17_3|CANCELLED by 0|None assigned"), &task));
	assert_string_equal(task.state, "CANCELLED");
	assert_string_equal(task.node, "");
	assert_true(kb_slurm_read_scontrol(kb_span_of("JobId=19 ArrayJobId=17 ArrayTaskId=1 JobName=x JobState=NODE_FAIL Reason=NodeDown NodeList=n2"), &task));
	assert_string_equal(task.job, "17");
	assert_int_equal(task.rank, 1);
	assert_string_equal(task.state, "NODE_FAIL");
	assert_string_equal(task.node, "n2");

	static const char *const wrong[] = { "", "|||||", "17|x|RUNNING|n3|None|1:20", "17|2|RUNNING|n3|None", "slurm_load_jobs error: Invalid job id",
					     "17|2||n3|None|1:20" };

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		if (kb_slurm_read_squeue(kb_span_of(wrong[i]), &task))
			fail_msg("squeue: '%s' was read", wrong[i]);
	}
	assert_false(kb_slurm_read_sacct(kb_span_of("17|COMPLETED|n1"), &task));
	assert_false(kb_slurm_read_sacct(kb_span_of("Slurm accounting storage is disabled"), &task));
	assert_false(kb_slurm_read_scontrol(kb_span_of("JobId=19 JobState=RUNNING NodeList=n2"), &task));
}

static void task_states(void **state)
{
	static const struct { const char *state, *node; bool late, ended; enum kb_fleet_state is; const char *reason; } cases[] = {
		{ "PENDING", "", false, false, KB_NODE_WAITING, NULL }, { "RUNNING", "n1", false, false, KB_NODE_RUNNING, NULL },
		{ "COMPLETING", "n1", false, false, KB_NODE_RUNNING, NULL }, { "COMPLETED", "n1", false, true, KB_NODE_RUNNING, NULL },
		{ "COMPLETED", "n1", true, true, KB_NODE_LOST, "do all nodes see that" }, { "FAILED", "n1", true, true, KB_NODE_LOST, "FAILED" },
		{ "CANCELLED", "", false, true, KB_NODE_LOST, "cancelled" }, { "CANCELLED", "n1", false, true, KB_NODE_RUNNING, NULL },
		{ "CANCELLED", "n1", true, true, KB_NODE_LOST, "cancelled" }, { "NODE_FAIL", "n1", false, true, KB_NODE_LOST, "the node failed" },
		{ "TIMEOUT", "n1", true, true, KB_NODE_LOST, "time limit" }, { "OUT_OF_MEMORY", "n1", true, true, KB_NODE_LOST, "out of memory" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct kb_fleet_node node = { .state = KB_NODE_RUNNING, .exit = KB_FLEET_NONE };
		struct kb_slurm_task task = { .rank = 0 };
		bool ended;

		snprintf(task.state, sizeof task.state, "%s", cases[i].state);
		snprintf(task.node, sizeof task.node, "%s", cases[i].node);
		ended = kb_slurm_settle(&node, &task, cases[i].late);
		if (ended != cases[i].ended || node.state != cases[i].is || (cases[i].reason && !strstr(node.reason, cases[i].reason)))
			fail_msg("%s, late %d: ended %d, %s: %s", cases[i].state, cases[i].late, ended, kb_fleet_state_name(node.state), node.reason);
	}
}

/* ---- the script of a node ----------------------------------------------------------------------------------------- */

static void ends(void **state)
{
	struct kb_fleet_node node = { .exit = KB_FLEET_NONE };

	(void)state;
	/* Half of it is nothing: what follows may say something else. */
	assert_false(kb_fleet_read_end("", &node));
	assert_false(kb_fleet_read_end("exit 0\nnode n1\n", &node));
	assert_false(kb_fleet_read_end("exit 0\nnode n1\nwhy", &node));
	assert_false(kb_fleet_read_end("exit 999\nnode n1\nwhy\nend\n", &node));
	assert_int_equal(node.exit, KB_FLEET_NONE);
	assert_true(kb_fleet_read_end("began\nexit 5\nnode n1\nwhy kbench run: \033[31mred\nend\n", &node));
	assert_int_equal(node.exit, 5);
	assert_string_equal(node.name, "n1");
	assert_string_equal(node.reason, "kbench run: ?[31mred");

	static const struct { int exit; const char *stopped; enum kb_fleet_state is; const char *reason; } cases[] = {
		{ 0, NULL, KB_NODE_DONE, "" }, { 5, NULL, KB_NODE_DONE, "" }, { 3, NULL, KB_NODE_DONE, "" }, { 2, NULL, KB_NODE_LOST, "said" },
		{ 125, NULL, KB_NODE_LOST, "said" }, { 126, NULL, KB_NODE_LOST, "said" }, { 137, NULL, KB_NODE_LOST, "stopped by signal 9 (Killed)" },
		{ 143, "time limit", KB_NODE_LOST, "time limit" }, { 0, "cancelled", KB_NODE_DONE, "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct kb_fleet_node one = { .exit = cases[i].exit, .stopped = cases[i].stopped, .reason = "said" };

		kb_fleet_settle(&one);
		if (one.state != cases[i].is || strcmp(one.reason, cases[i].reason) || one.again)
			fail_msg("exit %d: %s, %s", cases[i].exit, kb_fleet_state_name(one.state), one.reason);
	}
}

/* What a shell makes of a quoted word is the word. */
static void quotes(void **state)
{
	static const char *const words[] = { "", "a b", "it's", "''", "$(exit 3)`x`", "\"\\", "a\nb", "*", "-n", "\xc3\xa4" };
	char command[200], got[100];

	(void)state;
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
		FILE *out = fmemopen(command, sizeof command, "w"), *in;
		size_t length;

		fputs("printf %s ", out);
		kb_fleet_quote(out, words[i]);
		fclose(out);
		in = popen(command, "r");
		length = fread(got, 1, sizeof got - 1, in);
		got[length] = '\0';
		pclose(in);
		assert_string_equal(got, words[i]);
	}
}

/* ---- what it came to ------------------------------------------------------------------------------------------------ */

static void codes_and_counts(void **state)
{
	struct kb_fleet_node nodes[] = {
		{ .state = KB_NODE_DONE, .gathered = true }, { .state = KB_NODE_RUNNING, .left_s = 80, .exit = KB_FLEET_NONE },
		{ .state = KB_NODE_LOST, .exit = KB_FLEET_NONE, .gathered = true },
	};
	struct kb_fleet fleet = { .nodes = nodes, .count = 3 };
	struct kb_slurm_task task;
	char line[KB_FLEET_LINE];

	(void)state;
	assert_string_equal(kb_fleet_progress(&fleet, line), "1 of 3 nodes done, 1 running, 1 lost, at most 1:20 left");
	nodes[2].state = KB_NODE_WAITING;
	assert_string_equal(kb_fleet_progress(&fleet, line), "1 of 3 nodes done, 1 running, 1 waiting");
	assert_true(kb_slurm_read_squeue(kb_span_of("17|2|PENDING||Resources|2:00"), &task));
	kb_slurm_settle(&nodes[2], &task, false);
	assert_string_equal(kb_fleet_progress(&fleet, line), "1 of 3 nodes done, 1 running, 1 waiting (Resources)");
	assert_true(kb_fleet_stays(&fleet));
	nodes[1] = nodes[2] = nodes[0];
	assert_false(kb_fleet_stays(&fleet));
	assert_int_equal(kb_fleet_code(&fleet), 0);
	nodes[1].exit = KB_EXIT_UNFIT;
	assert_int_equal(kb_fleet_code(&fleet), KB_EXIT_UNFIT);
	nodes[2].verdicts[KB_INVALID] = 1;
	assert_int_equal(kb_fleet_code(&fleet), KB_EXIT_FAILED);
	nodes[2] = (struct kb_fleet_node){ .state = KB_NODE_LOST, .exit = KB_EXIT_USAGE };
	assert_int_equal(kb_fleet_code(&fleet), KB_EXIT_FAILED);
	nodes[0] = nodes[1] = nodes[2];
	assert_int_equal(kb_fleet_code(&fleet), KB_EXIT_USAGE);
	fleet.signal = 2;
	nodes[0].exit = 0;
	assert_int_equal(kb_fleet_code(&fleet), 130);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(place_of_a_fleet), cmocka_unit_test(place_of_an_allocation), cmocka_unit_test(wrong_places), cmocka_unit_test(hosts),
		cmocka_unit_test(times_and_jobs), cmocka_unit_test(queue_lines), cmocka_unit_test(task_states), cmocka_unit_test(ends),
		cmocka_unit_test(quotes), cmocka_unit_test(codes_and_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
