/* The helpers that kbench.h promises to a benchmark, on Linux. */
#define _GNU_SOURCE
#include "collect/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io.h"

static int index_of(const struct kb_run *run, const char *name)
{
	int i = kb_param_index(run->bench, (struct kb_span){ name, strlen(name) });

	if (i < 0) { /* an author's mistake that no test run survives */
		fprintf(stderr, "%s: asks for a parameter '%s' that it does not declare\n", run->bench->name, name);
		abort();
	}
	return i;
}

uint64_t kb_param_number(const struct kb_run *run, const char *name)
{
	return run->context->settings.number[index_of(run, name)];
}

const char *kb_param_text(const struct kb_run *run, const char *name)
{
	return run->context->settings.text[index_of(run, name)];
}

bool kb_param_is(const struct kb_run *run, const char *name, const char *value)
{
	return !strcmp(kb_param_text(run, name), value);
}

static void set_detail(struct kb_run *run, const char *format, va_list arguments)
{
	vsnprintf(run->context->detail, sizeof run->context->detail, format, arguments);
}

int kb_fail(struct kb_run *run, int error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_detail(run, format, arguments);
	va_end(arguments);
	/* A failure must not look like success because errno was 0. */
	return error > 0 ? -error : -EIO;
}

int kb_skip(struct kb_run *run, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_detail(run, format, arguments);
	va_end(arguments);
	run->context->skipped = true;
	return -EOPNOTSUPP;
}

void kb_count(struct kb_run *run, enum kb_counter counter, uint64_t amount)
{
	run->context->probe.own[counter] += amount;
}

void kb_code_hash(struct kb_run *run, uint32_t hash)
{
	run->context->code_hash = hash;
}

uint64_t kb_now(struct kb_run *run)
{
	return run->context->clock.begin();
}

/* Zeros are written, not left as a hole: a hole has no blocks and its pages never come from the disk. */
static int fill(int fd, uint64_t bytes)
{
	static const char zeros[65536];

	for (uint64_t done = 0; done < bytes;) {
		size_t count = bytes - done < sizeof zeros ? (size_t)(bytes - done) : sizeof zeros;
		int error = kb_write_all(fd, zeros, count);

		if (error)
			return error;
		done += count;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int kb_scratch_file(struct kb_run *run, uint64_t bytes, int *fd)
{
	const char *folder = run->context->scratch;
	char path[512];

	*fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd < 0) { /* a file system without O_TMPFILE: the name is gone at once */
		snprintf(path, sizeof path, "%s/file-XXXXXX", folder);
		*fd = mkostemp(path, O_CLOEXEC);
		if (*fd < 0)
			return kb_fail(run, errno, "cannot create a file in %s", folder);
		unlink(path);
	}

	int error = fill(*fd, bytes);

	if (!error)
		return 0;
	close(*fd);
	*fd = -1;
	return kb_fail(run, -error, "cannot write %llu bytes in %s", (unsigned long long)bytes, folder);
}
