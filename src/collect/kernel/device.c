/* See device.h. */
#define _GNU_SOURCE
#include "collect/kernel/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/plan.h"
#include "base/record.h"
#include "io.h"

#define PATIENCE_NS UINT64_C(20000000000)       /* a process of somebody else's is shorter */
#define PAUSE_NS 5000000

int kb_device_open(struct kb_device *device, const char *path)
{
	uint64_t deadline = kb_wall_ns() + PATIENCE_NS;

	*device = (struct kb_device){ .fd = open(path, O_RDWR | O_CLOEXEC) };
	while (device->fd < 0 && (errno == EBUSY || errno == EINTR) && kb_wall_ns() < deadline) {
		kb_sleep_ns(PAUSE_NS);
		device->fd = open(path, O_RDWR | O_CLOEXEC);
	}
	return device->fd < 0 ? -errno : 0;
}

/* Only to know whether the kernel said how it ended. */
static void look(struct kb_device *device, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (bytes[i] == '\n') {
			device->at = 0;
			continue;
		}
		if (device->at < sizeof device->start)
			device->start[device->at] = bytes[i];
		device->at++;
		if (device->at == 5 && !memcmp(device->start, "fail ", 5))
			device->failed = true;
		if (device->at == 4 && !memcmp(device->start, "end ", 4))
			device->ended = true;
	}
	device->begun |= count > 0;
}

/* The first line of a record is in the first read. Nothing of another version is handed on: it would be read as ours. */
static bool is_of_this_version(const char *bytes, size_t count)
{
	char line[32];
	int length = snprintf(line, sizeof line, "kbench-record %d\n", KB_RECORD_VERSION);

	return count >= (size_t)length && !memcmp(bytes, line, (size_t)length);
}

static int copy_record(struct kb_device *device)
{
	static char buffer[1 << 16];
	ssize_t got;

	while ((got = read(device->fd, buffer, sizeof buffer)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (!device->begun && !is_of_this_version(buffer, (size_t)got))
			return -EPROTO;
		look(device, buffer, (size_t)got);
		if (kb_write_all(STDOUT_FILENO, buffer, (size_t)got))
			return -EPIPE;
	}
	return 0;
}

/* In one write: the device takes whole lines. */
static int send_line(int fd, struct kb_span line)
{
	char whole[KB_PLAN_LINE_MAX + 1];
	ssize_t put;

	if (line.length >= KB_PLAN_LINE_MAX)
		return -EINVAL;
	memcpy(whole, line.at, line.length);
	whole[line.length] = '\n';
	put = write(fd, whole, line.length + 1);
	if (put < 0)
		return -errno;
	return (size_t)put == line.length + 1 ? 0 : -EIO;
}

int kb_device_line(struct kb_device *device, struct kb_span line)
{
	int error = send_line(device->fd, line), copied = copy_record(device);

	return error ? error : copied;
}
