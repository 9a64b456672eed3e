/* See fleet.h: how far a fleet is, and what it came to. */
#include "cli/fleet/fleet.h"

#include <string.h>

#include "report/text/columns.h"
#include "result/json/json.h"
#include "workflow/workflow.h"

#define CLEAR_LINE "\r\033[K"

static void clear(struct kb_fleet_show *show)
{
	if (show->drawn)
		fputs(CLEAR_LINE, stderr);
	show->drawn = false;
}

static void print_change(void *context, const struct kb_fleet *fleet, const struct kb_fleet_node *node)
{
	struct kb_fleet_show *show = context;
	char line[KB_FLEET_LINE];
	bool lost = node->state == KB_NODE_LOST;

	/* The line in place has the rest; that one is lost should stay to be seen. */
	if (show->quiet || (show->terminal && !lost))
		return;
	clear(show);
	kb_complain(show->command, "%s%srank %u %s%s%s; %s", node->name, node->name[0] ? ", " : "", node->rank, kb_fleet_state_name(node->state),
		    lost ? ": " : "", lost ? node->reason : "", kb_fleet_progress(fleet, line));
}

static void print_tick(void *context, const struct kb_fleet *fleet)
{
	struct kb_fleet_show *show = context;
	char line[KB_FLEET_LINE];

	if (!show->quiet && !show->terminal && strcmp(show->waits, kb_fleet_waits(fleet)) != 0) {
		snprintf(show->waits, sizeof show->waits, "%s", kb_fleet_waits(fleet));
		if (show->waits[0])
			kb_complain(show->command, "%s", kb_fleet_progress(fleet, line));
	}
	if (show->quiet || !show->terminal)
		return;
	fprintf(stderr, CLEAR_LINE "%s", kb_fleet_progress(fleet, line));
	fflush(stderr);
	show->drawn = true;
}

struct kb_fleet_observer kb_fleet_watch(struct kb_fleet_show *show, const struct kb_command *command, bool quiet)
{
	*show = (struct kb_fleet_show){ .command = command, .quiet = quiet, .terminal = kb_watch_terminal() };
	return (struct kb_fleet_observer){ show, print_change, print_tick };
}

/* ---- the end ------------------------------------------------------------------------------------------------------ */

static void print_verdicts(FILE *out, const struct kb_fleet_node *node)
{
	const char *comma = "";

	for (unsigned i = 0; i < KB_STATUSES; i++) {
		if (node->verdicts[i] == 0)
			continue;
		fprintf(out, "%s%u %s", comma, node->verdicts[i], kb_status_name(i));
		comma = ", ";
	}
	fputs(comma[0] ? "" : "-", out);
}

static void print_table(const struct kb_fleet *fleet)
{
	struct kb_columns columns = { .align = "rllll" };
	FILE *out = kb_columns_open(&columns, stdout);

	fputs("rank\tnode\tresults\trun\tstate\n", out);
	for (size_t i = 0; i < fleet->count; i++) {
		const struct kb_fleet_node *node = &fleet->nodes[i];

		fprintf(out, "%u\t%s\t", node->rank, node->name[0] ? node->name : "-");
		print_verdicts(out, node);
		fprintf(out, "\t%s%s%s\t%s%s%s\n", node->run_count > 0 ? node->runs[0] : "-", node->run_count > 1 ? " " : "",
			node->run_count > 1 ? node->runs[1] : "", kb_fleet_state_name(node->state), node->state == KB_NODE_LOST ? ": " : "",
			node->state == KB_NODE_LOST ? node->reason : "");
	}
	kb_columns_print(&columns, stdout);
}

/* With an array of Slurm one machine may get two tasks, one after the other. */
static void print_doubles(const struct kb_fleet *fleet)
{
	for (size_t i = 0; i < fleet->count; i++) {
		for (size_t k = i + 1; k < fleet->count; k++) {
			if (fleet->nodes[i].name[0] && strcmp(fleet->nodes[i].name, fleet->nodes[k].name) == 0)
				printf("ranks %zu and %zu are one machine, %s: Slurm had too few that were free\n", i, k, fleet->nodes[i].name);
		}
	}
}

static void print_end(const struct kb_fleet *fleet)
{
	struct kb_fleet_tally tally = kb_fleet_count(fleet);

	print_table(fleet);
	print_doubles(fleet);
	printf("fleet %s via %s%s%s: %zu of %zu node%s done", fleet->id, fleet->transport->name, fleet->job[0] ? ", job " : "", fleet->job, tally.done,
	       fleet->count, fleet->count == 1 ? "" : "s");
	if (fleet->signal)
		printf(", stopped by signal %d (%s)", fleet->signal, strsignal(fleet->signal));
	printf("; runs are in %s\n", kb_shown(fleet->store).text);
	if (kb_fleet_stays(fleet))
		printf("next: kbench fleet gather %.13s   what may still be there\n", fleet->id);
}

int kb_fleet_end(const struct kb_command *command, struct kb_fleet_show *show, struct kb_fleet *fleet, int failed, const struct kb_failure *failure,
		 bool json)
{
	int code = failed ? 0 : kb_fleet_code(fleet);

	clear(show);
	if (failed && fleet->count > 0 && fleet->finished[0] && !failure->typed_wrong && !failure->lines)
		kb_die(command, failure->code, "%s; %s'kbench fleet gather %.13s' tries again", failure->text,
		       kb_fleet_count(fleet).lost > 0 ? "" : "nothing is lost: ", fleet->id);
	kb_die_if(command, failed, failure);
	if (json)
		kb_print_json(kb_fleet_to_json(fleet, code));
	else
		print_end(fleet);
	kb_fleet_release(fleet);
	return code;
}
