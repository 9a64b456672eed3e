/* See fleet.h: what Slurm's programs print, and what it means for a node. */
#include <stdio.h>
#include <string.h>

#include "workflow/fleet/fleet.h"

/* The next part of "a|b|c", and false behind the last. */
static bool next_part(struct kb_span *rest, struct kb_span *part)
{
	if (!rest->at)
		return false;
	*part = (struct kb_span){ rest->at, 0 };
	while (part->length < rest->length && rest->at[part->length] != '|')
		part->length++;
	if (part->length == rest->length)
		rest->at = NULL;
	else
		*rest = (struct kb_span){ rest->at + part->length + 1, rest->length - part->length - 1 };
	return true;
}

static void copy(char *to, size_t room, struct kb_span from)
{
	snprintf(to, room, "%.*s", (int)from.length, from.at);
	kb_make_visible(to, '?');
}

/* "CANCELLED by 0", "CANCELLED+": the word alone. */
static void copy_state(struct kb_slurm_task *task, struct kb_span from)
{
	copy(task->state, sizeof task->state, from);
	task->state[strspn(task->state, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")] = '\0';
}

/* "(null)" and "None assigned" are no nodes. */
static void copy_node(struct kb_slurm_task *task, struct kb_span from)
{
	copy(task->node, sizeof task->node, from);
	if (!kb_place_is_name(task->node))
		task->node[0] = '\0';
}

bool kb_slurm_read_time(struct kb_span text, uint64_t *seconds)
{
	uint64_t number = 0, days = 0, all = 0;
	unsigned parts = 0;     /* hours, minutes and seconds, and no more */
	bool digits = false;

	for (size_t i = 0; i <= text.length; i++) {
		char c = i < text.length ? text.at[i] : ':';

		if (c >= '0' && c <= '9' && number < 1000000) {
			number = 10 * number + (uint64_t)(c - '0');
			digits = true;
		} else if (digits && ((c == ':' && parts++ < 3) || (c == '-' && !days && !all))) {
			if (c == '-')
				days = number;
			else
				all = 60 * all + number;
			number = 0;
			digits = false;
		} else {
			return false;
		}
	}
	*seconds = 24 * 3600 * days + all;
	return true;
}

bool kb_slurm_read_job(const char *text, char job[24])
{
	bool found = false;

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		size_t digits = strspn(at, "0123456789");

		/* "17;cluster" in a federation. */
		if (digits == 0 || digits >= 20 || !strchr("\n;", at[digits]))
			continue;
		snprintf(job, 24, "%.*s", (int)digits, at);
		found = true;
	}
	return found;
}

bool kb_slurm_read_squeue(struct kb_span line, struct kb_slurm_task *task)
{
	struct kb_span part[6];
	unsigned count = 0;

	*task = (struct kb_slurm_task){ .rank = 0 };
	while (count < 6 && next_part(&line, &part[count]))
		count++;
	if (count != 6 || !kb_span_u64(part[1], &task->rank))
		return false;
	copy(task->job, sizeof task->job, part[0]);
	copy_state(task, part[2]);
	copy_node(task, part[3]);
	copy(task->reason, sizeof task->reason, part[4]);
	if (!kb_slurm_read_time(part[5], &task->left_s))
		task->left_s = 0;
	return task->state[0] != '\0';
}

/* "17_2": a task of a job array. */
static bool read_id(struct kb_span id, struct kb_slurm_task *task)
{
	size_t length = 0;

	while (length < id.length && id.at[length] != '_')
		length++;
	copy(task->job, sizeof task->job, (struct kb_span){ id.at, length });
	return length < id.length && kb_span_u64((struct kb_span){ id.at + length + 1, id.length - length - 1 }, &task->rank);
}

bool kb_slurm_read_sacct(struct kb_span line, struct kb_slurm_task *task)
{
	struct kb_span part[3];
	unsigned count = 0;

	*task = (struct kb_slurm_task){ .rank = 0 };
	while (count < 3 && next_part(&line, &part[count]))
		count++;
	if (count != 3 || !read_id(part[0], task))
		return false;
	copy_state(task, part[1]);
	copy_node(task, part[2]);
	return task->state[0] != '\0';
}

bool kb_slurm_read_scontrol(struct kb_span line, struct kb_slurm_task *task)
{
	struct kb_span word, key, value;
	bool ranked = false;

	*task = (struct kb_slurm_task){ .rank = 0 };
	while ((word = kb_span_word(&line)).length > 0) {
		if (!kb_span_pair(word, &key, &value))
			continue;
		if (kb_span_is(key, "ArrayJobId"))
			copy(task->job, sizeof task->job, value);
		else if (kb_span_is(key, "ArrayTaskId"))
			ranked = kb_span_u64(value, &task->rank);
		else if (kb_span_is(key, "JobState"))
			copy_state(task, value);
		else if (kb_span_is(key, "Reason"))
			copy(task->reason, sizeof task->reason, value);
		else if (kb_span_is(key, "NodeList"))
			copy_node(task, value);
	}
	return ranked && task->state[0];
}

/* ---- what it means ---------------------------------------------------------------------------------------------- */

/* No row: it ended by itself, well or not. */
static const struct { const char *state; enum kb_fleet_state is; const char *reason; } meanings[] = {
	{ "PENDING", KB_NODE_WAITING, NULL }, { "CONFIGURING", KB_NODE_WAITING, NULL }, { "REQUEUED", KB_NODE_WAITING, NULL },
	{ "REQUEUE_HOLD", KB_NODE_WAITING, NULL }, { "REQUEUE_FED", KB_NODE_WAITING, NULL }, { "SPECIAL_EXIT", KB_NODE_WAITING, NULL },
	{ "RESV_DEL_HOLD", KB_NODE_WAITING, NULL },
	{ "RUNNING", KB_NODE_RUNNING, NULL }, { "COMPLETING", KB_NODE_RUNNING, NULL }, { "SUSPENDED", KB_NODE_RUNNING, NULL },
	{ "STOPPED", KB_NODE_RUNNING, NULL }, { "SIGNALING", KB_NODE_RUNNING, NULL }, { "STAGE_OUT", KB_NODE_RUNNING, NULL },
	{ "RESIZING", KB_NODE_RUNNING, NULL },
	{ "CANCELLED", KB_NODE_LOST, "cancelled" }, { "TIMEOUT", KB_NODE_LOST, "time limit" }, { "NODE_FAIL", KB_NODE_LOST, "the node failed" },
	{ "BOOT_FAIL", KB_NODE_LOST, "the node did not boot" }, { "OUT_OF_MEMORY", KB_NODE_LOST, "out of memory" },
	{ "PREEMPTED", KB_NODE_LOST, "preempted" }, { "DEADLINE", KB_NODE_LOST, "Slurm's deadline of the job" },
	{ "REVOKED", KB_NODE_LOST, "revoked" },
};

bool kb_slurm_settle(struct kb_fleet_node *node, const struct kb_slurm_task *task, bool late)
{
	size_t i = 0;

	if (task->node[0])
		snprintf(node->name, sizeof node->name, "%s", task->node);
	node->left_s = task->left_s;
	while (i < sizeof meanings / sizeof meanings[0] && strcmp(meanings[i].state, task->state) != 0)
		i++;
	if (i < sizeof meanings / sizeof meanings[0] && !meanings[i].reason) {
		node->state = meanings[i].is;
		kb_visible_copy(node->waits, sizeof node->waits, strcmp(task->reason, "None") ? task->reason : "");
		return false;
	}
	/* What Slurm did to it is a better reason than the signal that it came by. */
	node->stopped = i < sizeof meanings / sizeof meanings[0] ? meanings[i].reason : NULL;
	/* The file that tells how it ended may come later than Slurm's word, as network file systems have it. */
	if (node->stopped && (late || !task->node[0] || !strcmp(task->state, "NODE_FAIL")))
		kb_fleet_lose(node, false, "%s", node->stopped);
	else if (late)
		kb_fleet_lose(node, true, "Slurm calls it %s, but how it ended is not in the directory: do all nodes see that?", task->state);
	return true;
}
