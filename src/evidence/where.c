/* See where.h. */
#define _GNU_SOURCE
#include "evidence/where.h"

#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "io.h"

/* Between two looks at partners. CPU time of a task that runs on another CPU is brought up to date by the timer's tick, and one in 10 ms is the
   rarest; on our own CPU none of them runs while we look. */
#define STRETCH_NS UINT64_C(4000000)
#define STRETCH_APART_NS UINT64_C(20000000)

#define STAT_CPU 39     /* of the fields of /proc/PID/stat: the CPU that it last ran on */

/* 0 of a process that is gone. */
static uint64_t process_ns(int pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &time))
		return 0;
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static uint64_t partners_ns(const struct kb_lookout *lookout)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < lookout->partner_count; i++)
		sum += process_ns(lookout->partners[i].pid);
	return sum;
}

/* -1: it is gone. The name in parentheses may hold anything, so fields are counted from behind it. */
static int cpu_of(int pid)
{
	char path[64], text[1024];

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (kb_read_file(path, text, sizeof text) <= 0)
		return -1;
	const char *at = strrchr(text, ')');

	for (int field = 2; at && field < STAT_CPU; field++)
		at = strchr(at + 1, ' ');
	return at ? atoi(at + 1) : -1;
}

void kb_lookout_open(struct kb_lookout *lookout, unsigned cpu)
{
	*lookout = (struct kb_lookout){ .cpu = cpu };
}

void kb_lookout_partner(struct kb_lookout *lookout, int pid, unsigned cpu)
{
	unsigned i = 0;

	while (i < lookout->partner_count && lookout->partners[i].pid != pid)
		i++;
	if (i == KB_WATCHED_MAX)
		return;
	lookout->partners[i].pid = pid;
	lookout->partners[i].cpu = cpu;
	lookout->partner_count += i == lookout->partner_count;
}

void kb_lookout_block_begin(struct kb_lookout *lookout)
{
	if (lookout->first_ns == 0)
		lookout->first_ns = partners_ns(lookout);
	lookout->thread_ns = kb_thread_ns();
	lookout->process_ns = process_ns(0);
}

static uint64_t stretch_of(const struct kb_lookout *lookout)
{
	for (unsigned i = 0; i < lookout->partner_count; i++) {
		if (lookout->partners[i].cpu != lookout->cpu)
			return STRETCH_APART_NS;
	}
	return STRETCH_NS;
}

static void begin_stretch(struct kb_lookout *lookout)
{
	lookout->stretch_ns = kb_wall_ns();
	lookout->own_ns = kb_thread_ns();
	lookout->partner_ns = partners_ns(lookout);
}

static void look_at_partners(struct kb_lookout *lookout)
{
	uint64_t stretch = stretch_of(lookout);

	if (lookout->stretch_ns == 0)
		begin_stretch(lookout);
	if (kb_wall_ns() - lookout->stretch_ns < stretch)
		return;
	for (unsigned i = 0; i < lookout->partner_count; i++) {
		int cpu = cpu_of(lookout->partners[i].pid);

		lookout->seen.looks++;
		lookout->seen.partner_away += cpu >= 0 && cpu != (int)lookout->partners[i].cpu;
	}
	uint64_t now = partners_ns(lookout);

	/* Where this thread did not get on, either, neither had a CPU. */
	if (kb_thread_ns() - lookout->own_ns >= stretch / 5) {
		lookout->seen.stretches++;
		lookout->seen.partner_idle += now == lookout->partner_ns;
	}
	lookout->seen.partner_us = now > lookout->first_ns ? (now - lookout->first_ns) / 1000 : 0;
	begin_stretch(lookout);
}

void kb_lookout_block_end(struct kb_lookout *lookout, bool warm)
{
	uint64_t others = process_ns(0) - lookout->process_ns, own = kb_thread_ns() - lookout->thread_ns;

	if (warm)
		return;
	lookout->seen.own_us += own / 1000;
	lookout->seen.others_us += others > own && !lookout->helped ? (others - own) / 1000 : 0;
	if (lookout->partner_count > 0)
		look_at_partners(lookout);
}

void kb_lookout_sample(struct kb_lookout *lookout, unsigned cpu)
{
	lookout->seen.samples++;
	lookout->seen.away += cpu != lookout->cpu;
}

/* ---- report -------------------------------------------------------------------------------------- */

/* Of children that are there now and that the benchmark forked by itself. */
static uint64_t children_us(const struct kb_lookout *lookout)
{
	char path[64], text[4096];
	uint64_t sum = 0;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)gettid());
	if (kb_read_file(path, text, sizeof text) <= 0)
		return 0;
	for (char *at = text, *end; ; at = end) {
		int pid = (int)strtol(at, &end, 10);
		bool is_peer = false;

		if (end == at)
			return sum;
		for (unsigned i = 0; i < lookout->peer_count; i++)
			is_peer |= lookout->peers[i] == pid;
		sum += is_peer ? 0 : process_ns(pid) / 1000;
	}
}

void kb_lookout_finish(struct kb_lookout *lookout, bool children)
{
	cpu_set_t allowed;

	lookout->seen.free = sched_getaffinity(0, sizeof allowed, &allowed) == 0 &&
			     (CPU_COUNT(&allowed) != 1 || !CPU_ISSET(lookout->cpu, &allowed));
	lookout->seen.others_us += children ? children_us(lookout) : 0;
}

static const struct { const char *key; size_t at; } fields[] = {
	{ "samples", offsetof(struct kb_where, samples) }, { "away", offsetof(struct kb_where, away) }, { "free", offsetof(struct kb_where, free) },
	{ "own_us", offsetof(struct kb_where, own_us) }, { "others_us", offsetof(struct kb_where, others_us) },
	{ "looks", offsetof(struct kb_where, looks) }, { "partner_away", offsetof(struct kb_where, partner_away) },
	{ "partner_us", offsetof(struct kb_where, partner_us) }, { "stretches", offsetof(struct kb_where, stretches) }, { "partner_idle", offsetof(struct kb_where, partner_idle) },
};

#define FIELDS (sizeof fields / sizeof fields[0])

void kb_lookout_report(const struct kb_lookout *lookout, struct kb_record_writer *out)
{
	char line[320], word[48];
	struct kb_text text = kb_text_in(line, sizeof line);

	for (size_t i = 0; i < FIELDS; i++) {
		snprintf(word, sizeof word, "%s%s=%llu", i ? " " : "", fields[i].key,
		         (unsigned long long)*(const uint64_t *)((const char *)&lookout->seen + fields[i].at));
		kb_text_str(&text, word);
	}
	kb_record_line(out, "where", line);
}

void kb_where_read(struct kb_span rest, struct kb_where *where)
{
	*where = (struct kb_where){ .samples = 0 };
	for (size_t i = 0; i < FIELDS; i++)
		kb_record_field_u64(rest, fields[i].key, (uint64_t *)((char *)where + fields[i].at));
}
