// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * /dev/kbench: lines in, record out. One opener at a time. A line is executed in the write that brings it, on the writer's CPU;
 * what it reports stands in the record that read() gives. Closing ends whatever is under way and leaves nothing behind.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "framework/block.h"
#include "framework/device.h"
#include "framework/process.h"
#include "framework/registry.h"
#include "framework/samples.h"
#include "framework/trace.h"

#define WRITE_MAX (4u * KB_PLAN_LINE_MAX)
#define HOST_LINES_MAX 8192u

struct session {
	struct mutex lock;
	struct kb_kernel_entry *entry;  /* held; NULL: none was chosen */
	struct kb_settings settings;
	struct kb_kernel_process *process;       /* NULL: none */
	struct kb_kernel_events events; /* that the next process counts */
	bool claimed;
	char *lines;                    /* header lines that came before `process` */
	size_t lines_used;
};

static unsigned long is_open;

/* ---- the process of a session --------------------------------------------------------------------- */

static void drop_process(struct session *session)
{
	if (session->process)
		kb_process_free(session->process);
	session->process = NULL;
	if (session->claimed) {
		kb_trace_release();
		kb_release();
	}
	session->claimed = false;
}

static void drop_entry(struct session *session)
{
	drop_process(session);
	if (session->entry)
		kb_entry_put(session->entry);
	session->entry = NULL;
	session->lines_used = 0;
	session->events.count = 0;
}

/* A process that takes further lines. */
static struct kb_kernel_process *open_process(struct session *session)
{
	return session->process && !session->process->failed ? session->process : NULL;
}

/* Pending samples stand before what comes now: into text with them, or the reader has to come first. */
static int make_way(struct kb_kernel_process *process)
{
	int error = 0;

	while (kb_samples_pending(process) && !error) {
		if (process->queue.to - process->queue.from > KB_QUEUE_MAX / 2)
			return -ENOBUFS;
		error = kb_samples_emit(process);
	}
	return error;
}

/* ---- the lines ----------------------------------------------------------------------------------- */

static int do_bench(struct session *session, char *name)
{
	struct kb_kernel_entry *entry;

	if (open_process(session))
		return -EBUSY;
	if (!strncmp(name, "kernel.", 7))
		name += 7;
	entry = kb_entry_get(name);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	drop_entry(session);
	session->entry = entry;
	kb_settings_default(&session->settings, &entry->bench);
	return 0;
}

static int do_param(struct session *session, char *text)
{
	struct kb_span pair = { text, kb_strlen(text) }, name, value;

	if (!session->entry || !kb_span_pair(pair, &name, &value))
		return -EINVAL;
	/* Of too many threads the process gives the reason in its record. */
	return open_process(session) ? -EBUSY : kb_process_param(&session->settings, name, value, UINT_MAX);
}

static int do_event(struct session *session, char *text)
{
	if (!session->entry)
		return -EINVAL;
	return open_process(session) ? -EBUSY : kb_events_add(&session->events, text);
}

/* Copied into the record's line of the method: a reader of the samples needs them there, and nothing here does. */
static bool belongs_to_method(struct kb_span key)
{
	return kb_span_is(key, "confidence") || kb_span_is(key, "probe") || kb_span_is(key, "pilot");
}

/* "method=slope probe=780 pilot=412.5 seed=7 process=3": the name goes into the record with what belongs to the method. */
static int read_process_words(struct kb_kernel_process *process, char *text)
{
	struct kb_span rest = { text, kb_strlen(text) }, word, key, value;

	strscpy(process->method, "slope", sizeof process->method);
	for (word = kb_span_word(&rest); word.length > 0; word = kb_span_word(&rest)) {
		if (!kb_span_pair(word, &key, &value))
			return -EINVAL;
		if (kb_span_is(key, "method") && value.length > 0 && value.length < sizeof process->method)
			scnprintf(process->method, sizeof process->method, "%.*s", (int)value.length, value.at);
		else if (belongs_to_method(key) && strlen(process->method) + word.length + 1 < sizeof process->method)
			scnprintf(process->method + strlen(process->method), word.length + 2, " %.*s", (int)word.length, word.at);
		else if (kb_span_is(key, "seed") ? !kb_span_u64(value, &process->seed) :
			 kb_span_is(key, "process") ? !kb_span_u64(value, &process->number) : true)
			return -EINVAL;
	}
	return 0;
}

static int begin(struct session *session, char *text)
{
	int error = read_process_words(session->process, text);

	if (error) {
		drop_process(session);
		return error;
	}
	session->lines[session->lines_used] = '\0';
	session->lines_used = 0;
	return kb_process_begin(session->process, session->lines);
}

static int do_process(struct session *session, char *text)
{
	struct kb_kernel_process *process;
	int error;

	if (!session->entry)
		return -EINVAL;
	if (open_process(session))
		return -EBUSY;
	drop_process(session);
	error = kb_claim();
	if (error)
		return error;
	session->claimed = true;
	process = kb_process_new(session->entry, &session->settings);
	if (IS_ERR(process)) {
		drop_process(session);
		return PTR_ERR(process);
	}
	session->process = process;
	process->events = session->events;
	session->events.count = 0;
	return begin(session, text);
}

static int keep_line(struct session *session, const char *text)
{
	size_t length = strlen(text);

	if (session->lines_used + length + 2 > HOST_LINES_MAX)
		return -ENOBUFS;
	memcpy(session->lines + session->lines_used, text, length);
	session->lines_used += length;
	session->lines[session->lines_used++] = '\n';
	return 0;
}

static int do_line(struct session *session, char *text)
{
	struct kb_kernel_process *process = open_process(session);
	char *rest = text;
	char *word = strsep(&rest, " ");
	int error;

	if (!*word)
		return -EINVAL;
	if (!process) {
		if (rest)
			rest[-1] = ' ';
		return keep_line(session, text);
	}
	error = make_way(process);
	if (!error)
		kb_record_line(&process->out, word, rest);
	return error ? error : process->out.error;
}

static int do_block(struct session *session, char *text)
{
	struct kb_kernel_process *process = open_process(session);
	int error;

	if (!process)
		return -EINVAL;
	error = make_way(process);
	if (error)
		return error;
	error = kb_plan_parse((struct kb_span){ text, kb_strlen(text) }, process->block);
	if (error)
		return kb_process_fail(process, "plan", error);
	error = kb_block_run(process);
	if (error)
		kb_process_abandon(process);
	return error;
}

static int do_samples(struct session *session, char *text)
{
	struct kb_kernel_process *process = open_process(session);
	u64 count;
	int error;

	if (!process || !kb_span_u64((struct kb_span){ text, kb_strlen(text) }, &count))
		return -EINVAL;
	if (count < 1 || count > 4 << 20)
		return -ERANGE;
	error = make_way(process);
	if (error)
		return error;
	error = kb_samples_run(process, count);
	return error ? kb_process_fail(process, "samples", error) : 0;
}

static int do_end(struct session *session, char *text)
{
	struct kb_kernel_process *process = open_process(session);

	(void)text;
	return process ? kb_process_end(process) : -EINVAL;
}

/* What the last `cat run` left. */
static int do_kept(struct session *session, char *text)
{
	struct kb_kernel_entry *entry = session->entry;

	(void)text;
	if (!entry)
		return -EINVAL;
	if (open_process(session))
		return -EBUSY;
	drop_process(session);
	mutex_lock(&entry->lock);
	swap(session->process, entry->kept);
	mutex_unlock(&entry->lock);
	return session->process ? 0 : -ENODATA;
}

/* Behind the record of its process, a second one. */
static int do_trace(struct session *session, char *text)
{
	int error;

	(void)text;
	if (open_process(session))
		return -EBUSY;
	if (!session->process || !session->claimed)
		return -EINVAL;
	error = make_way(session->process);
	if (error)
		return error;
	kb_process_last_line(session->process);
	return kb_trace_write(session->process);
}

static int execute(struct session *session, char *line)
{
	static const struct { const char *word; int (*run)(struct session *, char *rest); } known[] = {
		{ "bench", do_bench }, { "param", do_param }, { "event", do_event }, { "line", do_line }, { "process", do_process }, { "samples", do_samples },
		{ "end", do_end }, { "kept", do_kept }, { "trace", do_trace },
	};
	char *rest = line;
	char *word;

	if (strstarts(line, "block ") || strstarts(line, "warm ") || strstarts(line, "group "))
		return do_block(session, line);
	word = strsep(&rest, " ");
	if (!rest)
		rest = word + strlen(word);
	for (unsigned i = 0; i < ARRAY_SIZE(known); i++) {
		if (!strcmp(word, known[i].word))
			return known[i].run(session, rest);
	}
	return -EINVAL;
}

/* ---- the file ------------------------------------------------------------------------------------ */

static int open(struct inode *inode, struct file *file)
{
	struct session *session;

	(void)inode;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (test_and_set_bit(0, &is_open))
		return -EBUSY;
	session = kzalloc(sizeof *session, GFP_KERNEL);
	if (session)
		session->lines = kmalloc(HOST_LINES_MAX, GFP_KERNEL);
	if (!session || !session->lines) {
		kfree(session);
		clear_bit(0, &is_open);
		return -ENOMEM;
	}
	mutex_init(&session->lock);
	file->private_data = session;
	return stream_open(inode, file);
}

static int close(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;

	(void)inode;
	drop_entry(session);
	kfree(session->lines);
	kfree(session);
	clear_bit(0, &is_open);
	return 0;
}

static int fill(struct kb_kernel_process *process)
{
	int error = 0;

	if (process->queue.to > process->queue.from)
		return 0;
	if (kb_samples_pending(process))
		error = kb_samples_emit(process);
	if (!kb_samples_pending(process))
		kb_process_last_line(process);
	return error;
}

static ssize_t read(struct file *file, char __user *to, size_t count, loff_t *position)
{
	struct session *session = file->private_data;
	ssize_t result = 0;

	(void)position;
	if (mutex_lock_interruptible(&session->lock))
		return -EINTR;
	if (session->process) {
		result = fill(session->process);
		if (!result)
			result = kb_queue_read(&session->process->queue, to, count);
	}
	mutex_unlock(&session->lock);
	return result;
}

static int execute_lines(struct session *session, char *lines)
{
	char *line;
	int error = 0;

	while (!error && (line = strsep(&lines, "\n"))) {
		if (*line)
			error = execute(session, line);
	}
	return kb_errno(error);
}

static ssize_t write(struct file *file, const char __user *from, size_t count, loff_t *position)
{
	struct session *session = file->private_data;
	char *lines;
	int error;

	(void)position;
	if (count > WRITE_MAX)
		return -E2BIG;
	lines = memdup_user_nul(from, count);
	if (IS_ERR(lines))
		return PTR_ERR(lines);
	error = mutex_lock_interruptible(&session->lock);
	if (!error) {
		error = execute_lines(session, lines);
		mutex_unlock(&session->lock);
	}
	kfree(lines);
	return error ? error : (ssize_t)count;
}

static const struct file_operations operations = {
	.owner = THIS_MODULE, .open = open, .release = close, .read = read, .write = write,
};

static struct miscdevice device = { .minor = MISC_DYNAMIC_MINOR, .name = "kbench", .fops = &operations, .mode = 0600 };

int kb_device_open(void)
{
	return misc_register(&device);
}

void kb_device_close(void)
{
	misc_deregister(&device);
}
