/* Ordinary threads on other CPUs, which end with the process, and the interrupts that they get. */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include <kbench_files.h>
#include <kbench_parties.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"

#define WAIT_NS UINT64_C(500000000)

/* A line of its own for each: their turns must not cost each other anything. */
static struct spinner {
	volatile uint64_t turns;
	const volatile unsigned char *word;
} __attribute__((aligned(128))) spinners[KB_SPINNERS_MAX];

static unsigned spinner_count;

static void *spin(void *data)
{
	struct spinner *spinner = data;

	for (;;)
		spinner->turns += 1u + (*spinner->word & 0u);
	return NULL;
}

int kb_spinners_start(struct kb_run *run, unsigned count, const volatile unsigned char *word)
{
	int error = count > KB_SPINNERS_MAX ? kb_fail(run, EINVAL, "more than %u threads", KB_SPINNERS_MAX) : 0;

	while (!error && spinner_count < count) {
		struct spinner *spinner = &spinners[spinner_count++];

		spinner->word = word;
		error = kb_thread_on(run, spinner_count, spin, spinner);
	}
	return error;
}

/* One that was not running now gets there while this waits: it then has most of a time slice before it. */
bool kb_spinners_run(void)
{
	uint64_t deadline = kb_wall_ns() + WAIT_NS;

	for (unsigned i = 0; i < spinner_count; i++) {
		uint64_t turns = spinners[i].turns;

		while (spinners[i].turns == turns)
			if (kb_wall_ns() > deadline)
				return false;
	}
	return true;
}

uint64_t kb_interrupts(const char *row)
{
	FILE *file = fopen("/proc/interrupts", "re");
	char *line = NULL, *at, *end;
	size_t room = 0;
	uint64_t sum = 0;

	while (file && getline(&line, &room, file) >= 0) {
		at = strstr(line, row) ? strchr(line, ':') : NULL;
		for (end = at; at && (sum += strtoull(at + 1, &end, 10), end > at + 1);)
			at = end;
	}
	free(line);
	if (file)
		fclose(file);
	return sum;
}
