/* See commands.h: uses to the text that the store keeps and results are made of. */
#define _GNU_SOURCE
#include "workflow/commands/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "evidence/evidence.h"
#include "measure/measure.h"
#include "record_format.h"
#include "stamp.h"

/* Processes that were started and ended as they should, as the kernel reported them to the one that started them. */
#define EXITS "exits"

static void put_header(struct kb_record_writer *out, const struct kb_command_record *record, const struct kb_timed_command *command,
		       const struct kb_timed_command *shell, unsigned process)
{
	const struct kb_clock *clock = record->clock;
	struct kb_span parameters = kb_span_of(command->parameters), word;

	kb_record_line(out, "bench", KB_COMMANDS_BENCH);
	kb_record_line(out, "per", "run");
	kb_record_format(out, "method", "command seed=%llu process=%u probe=%llu", (unsigned long long)record->seed, process,
			 (unsigned long long)record->loops);
	kb_record_format(out, "param", "command=%s", command->word);
	while ((word = kb_span_word(&parameters)).length > 0)
		kb_record_format(out, "param", "%.*s", (int)word.length, word.at);
	kb_record_format(out, "clock", "%s hz=%llu quantum=%llu cost=%llu ordered=%d ladder=%d", clock->name, (unsigned long long)clock->hz,
			 (unsigned long long)clock->quantum, (unsigned long long)clock->cost, clock->ordered, clock->ladder_ok);
	kb_record_line(out, "env", "arch=" KB_ARCH_NAME);
	/* The shell is no loop around the command: what it does is known to be work. */
	if (shell->argv)
		kb_record_line(out, "env", "base=works");
	kb_record_line(out, "expect", EXITS " per_op=1 per_sample=0 tolerance=0 who=self");
	kb_record_format(out, "bound", "%s", kb_bound_name(KB_KERNEL));
}

static void put_use(struct kb_record_writer *out, const struct kb_command_use *use, enum kb_role role, uint64_t first)
{
	char fields[300] = "";
	struct kb_obs obs = {
		.role = role, .n = 1, .ticks = use->ticks, .t = use->start - first, .block = use->block, .cpu = use->cpu, .around = use->around,
	};

	if (role == KB_ROLE_OP) {
		int length = kb_format(fields, sizeof fields, "x.user_us=%.17g x.system_us=%.17g x.memory_kb=%.17g x.minor_faults=%.17g "
				       "x.major_faults=%.17g x.switches=%.17g x.place=%u x.exit=%d", use->user_ns / 1e3, use->system_ns / 1e3,
				       use->memory_bytes / 1024, use->minor, use->major, use->voluntary + use->forced, use->place,
				       WIFEXITED(use->status) ? WEXITSTATUS(use->status) : 128 + WTERMSIG(use->status));

		obs.extra = (struct kb_span){ fields, (size_t)length };
	}
	kb_record_obs(out, &obs);
	for (unsigned end = 0; end < 2 && role == KB_ROLE_OP; end++) {
		kb_record_probe(out, &(struct kb_probe_line){ .name = "clock", .n = KB_CLOCK_PROBE_SHORT, .ticks = use->chain[end][0], .block = use->block });
		kb_record_probe(out, &(struct kb_probe_line){ .name = "clock", .n = KB_CLOCK_PROBE_LONG, .ticks = use->chain[end][1], .block = use->block });
	}
}

/* In order of time, as both were run. */
static void put_uses(struct kb_record_writer *out, const struct kb_timed_command *command, size_t from, size_t to,
		     const struct kb_timed_command *shell)
{
	uint64_t first = from < to ? command->uses[from].start : 0;
	size_t next = 0;

	while (next < shell->use_count && from < to && shell->uses[next].block < command->uses[from].block)
		next++;
	if (next < shell->use_count && from < to && shell->uses[next].start < first)
		first = shell->uses[next].start;
	for (size_t i = from; i < to; i++) {
		bool has = next < shell->use_count && shell->uses[next].block == command->uses[i].block;
		bool before = has && shell->uses[next].start < command->uses[i].start;

		if (before)
			put_use(out, &shell->uses[next], KB_ROLE_BASE, first);
		put_use(out, &command->uses[i], KB_ROLE_OP, first);
		if (has && !before)
			put_use(out, &shell->uses[next], KB_ROLE_BASE, first);
		next += has;
	}
}

static uint64_t count_ended(const struct kb_timed_command *command, size_t from, size_t to, bool any_status)
{
	uint64_t ended = 0;

	for (size_t i = from; i < to; i++)
		ended += any_status || command->uses[i].status == 0;
	return ended;
}

char *kb_command_record(const struct kb_command_record *record, const struct kb_timed_command *command, size_t from, size_t to,
			const struct kb_timed_command *shell, unsigned process, const char *fault, size_t *length)
{
	char *text = NULL;
	FILE *file = open_memstream(&text, length);
	struct kb_record_writer out;

	if (!file)
		return NULL;
	kb_record_begin(&out, (struct kb_sink){ kb_put_to_file, file });
	put_header(&out, record, command, shell, process);
	put_uses(&out, command, from, to, shell);
	if (fault)
		kb_record_fail(&out, "op", KB_NO_ERRNO, fault);
	else
		kb_record_evidence(&out, &(struct kb_evidence){ .counter = EXITS, .who = "self", .count = count_ended(command, from, to, record->any_status),
				   .operations = to - from, .samples = to - from });
	if (!fault)
		kb_record_end(&out);
	if (fclose(file) == 0 && !out.error)
		return text;
	free(text);
	return NULL;
}
