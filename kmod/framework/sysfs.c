// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * /sys/kernel/kbench/X: a file a parameter, `run`, and `report`. For people with no more than `cat`. All are 0600: whoever
 * reads /sys recursively must not start runs.
 */
#include <linux/capability.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "base/order_statistics.h"
#include "framework/process.h"
#include "framework/samples.h"
#include "framework/sysfs.h"
#include "framework/trace.h"

struct kb_entry_attribute {
	struct attribute attribute;
	ssize_t (*show)(struct kb_kernel_entry *, unsigned param, char *page);
	ssize_t (*store)(struct kb_kernel_entry *, unsigned param, const char *text, size_t count);
	unsigned param;
};

static struct kobject *directory;

/* ---- parameters ---------------------------------------------------------------------------------- */

static ssize_t show_param(struct kb_kernel_entry *entry, unsigned param, char *page)
{
	ssize_t length;

	mutex_lock(&entry->lock);
	length = sysfs_emit(page, "%s\n", entry->settings.text[param]);
	mutex_unlock(&entry->lock);
	return length;
}

static ssize_t store_param(struct kb_kernel_entry *entry, unsigned param, const char *text, size_t count)
{
	const char *name = entry->bench.params[param].name;
	struct kb_span value = { text, count };
	int error;

	if (value.length > 0 && text[value.length - 1] == '\n')
		value.length--;
	if (memchr(text, '\0', value.length))
		return -EINVAL;
	mutex_lock(&entry->lock);
	error = entry->running ? -EBUSY : kb_process_param(&entry->settings, (struct kb_span){ name, kb_strlen(name) }, value, num_online_cpus());
	mutex_unlock(&entry->lock);
	return error ? error : (ssize_t)count;
}

/* ---- run ----------------------------------------------------------------------------------------- */

static int process_and_sample(struct kb_kernel_process *process)
{
	int error;

	strscpy(process->method, "single", sizeof process->method);
	error = kb_process_begin(process, NULL);
	if (error)
		return error;
	error = kb_samples_run(process, process->loop_count);
	return error ? kb_process_fail(process, "samples", error) : kb_process_end(process);
}

/* In place of what was kept before. */
static void keep(struct kb_kernel_entry *entry, struct kb_kernel_process *process)
{
	mutex_lock(&entry->lock);
	swap(entry->kept, process);
	mutex_unlock(&entry->lock);
	if (process)
		kb_process_free(process);
}

/* The last run's samples stay, a run that was cut short too, for whoever reads them through /dev/kbench; those of the run before
   go first, because memory may not hold both. */
static int run_process(struct kb_kernel_entry *entry, const struct kb_settings *settings)
{
	struct kb_kernel_process *process;
	int error;

	keep(entry, NULL);
	process = kb_process_new(entry, settings);
	if (IS_ERR(process))
		return PTR_ERR(process);
	error = process_and_sample(process);
	if (error && process->context.detail[0])
		pr_info("kbench: %s: %s\n", entry->name, process->context.detail);
	keep(entry, process);
	return error;
}

static int run_held(struct kb_kernel_entry *entry)
{
	struct kb_settings *settings;
	int error;

	mutex_lock(&entry->lock);
	settings = kmemdup(&entry->settings, sizeof *settings, GFP_KERNEL);
	entry->running = true;
	mutex_unlock(&entry->lock);
	error = settings ? run_process(entry, settings) : -ENOMEM;
	mutex_lock(&entry->lock);
	entry->running = false;
	mutex_unlock(&entry->lock);
	kfree(settings);
	return error;
}

/* One run at a time on this machine. */
static int run(struct kb_kernel_entry *entry)
{
	int error = capable(CAP_SYS_ADMIN) ? kb_claim() : -EPERM;

	if (error)
		return error;
	error = kb_entry_hold(entry);
	if (!error) {
		error = run_held(entry);
		kb_entry_put(entry);
	}
	kb_trace_release();
	kb_release();
	return kb_errno(error);
}

static ssize_t show_samples(const struct kb_kernel_process *process, char *page)
{
	struct kb_text text = kb_text_in(page, PAGE_SIZE);
	struct kb_order_statistics order;
	size_t count;
	u64 *ticks = kb_samples_sorted(process, &count);

	if (!ticks)
		return -ENOMEM;
	kb_order_compute(ticks, count, &order);
	kb_order_line(&text, &order);
	kb_order_graph(&text, ticks, count, &order);
	kvfree(ticks);
	/* Threads that hardly met have not contended. */
	if (process->report.threads > 1) {
		kb_text_str(&text, "threads=");
		kb_text_u64(&text, process->report.threads);
		kb_text_str(&text, " overlap_percent=");
		kb_text_u64(&text, process->report.overlap);
		kb_text_str(&text, "\n");
	}
	return text.used;
}

static ssize_t show_run(struct kb_kernel_entry *entry, unsigned param, char *page)
{
	ssize_t result = run(entry);

	(void)param;
	if (result)
		return result;
	mutex_lock(&entry->lock);
	result = entry->kept ? show_samples(entry->kept, page) : -EBUSY; /* somebody took it meanwhile */
	mutex_unlock(&entry->lock);
	return result;
}

static ssize_t store_run(struct kb_kernel_entry *entry, unsigned param, const char *text, size_t count)
{
	int error = run(entry);

	(void)param;
	(void)text;
	return error ? error : (ssize_t)count;
}

/* ---- report -------------------------------------------------------------------------------------- */

struct sums { u64 taken, irq, switched, migrated, saturated; };

static void add_up(const struct kb_kernel_process *process, struct sums *sums)
{
	for (unsigned i = 0; i < process->threads; i++) {
		const struct kb_worker *worker = &process->workers[i];

		sums->taken += worker->count;
		for (u64 k = 0; k < worker->count; k++) {
			unsigned flags = worker->samples[k].flags;

			sums->irq += !!(flags & KB_FLAG_IRQ);
			sums->switched += !!(flags & KB_FLAG_SWITCH);
			sums->migrated += !!(flags & KB_FLAG_MIGRATED);
			sums->saturated += !!(flags & KB_SAMPLE_SATURATED);
		}
		cond_resched();
	}
}

static ssize_t show_kept(const struct kb_kernel_process *process, char *page)
{
	const struct kb_run_report *report = &process->report;
	struct sums sums = { 0 };

	add_up(process, &sums);
	return sysfs_emit(page, "samples=%llu irq=%llu ctxsw=%llu migrated=%llu saturated=%llu threads=%u overlap_percent=%u "
			  "isolation=%u longest_window_ticks=%llu clock_cost_ticks=%llu clock_hz=%llu error=%d\n",
			  sums.taken, sums.irq, sums.switched, sums.migrated, sums.saturated, report->threads, report->overlap,
			  report->isolation, report->window, process->clock.cost, process->clock.hz, -process->last.error);
}

static ssize_t show_report(struct kb_kernel_entry *entry, unsigned param, char *page)
{
	ssize_t length;

	(void)param;
	mutex_lock(&entry->lock);
	length = entry->kept ? show_kept(entry->kept, page) : sysfs_emit(page, "samples=0\n");
	mutex_unlock(&entry->lock);
	return length;
}

/* ---- the directory ---------------------------------------------------------------------------------- */

static struct kb_kernel_entry *entry_of(struct kobject *kobj)
{
	return container_of(kobj, struct kb_kernel_entry, kobj);
}

static ssize_t show(struct kobject *kobj, struct attribute *attribute, char *page)
{
	struct kb_entry_attribute *own = container_of(attribute, struct kb_entry_attribute, attribute);

	return own->show(entry_of(kobj), own->param, page);
}

static ssize_t store(struct kobject *kobj, struct attribute *attribute, const char *text, size_t count)
{
	struct kb_entry_attribute *own = container_of(attribute, struct kb_entry_attribute, attribute);

	return own->store ? own->store(entry_of(kobj), own->param, text, count) : -EIO;
}

/* The memory is freed by whoever waits for this. */
static void release(struct kobject *kobj)
{
	complete(&entry_of(kobj)->released);
}

static const struct sysfs_ops operations = { .show = show, .store = store };
static struct kobj_type type = { .release = release, .sysfs_ops = &operations };

static int add_file(struct kb_kernel_entry *entry, struct kb_entry_attribute file)
{
	struct kb_entry_attribute *own = &entry->attributes[entry->attribute_count++];

	*own = file;
	own->attribute.mode = own->store ? 0600 : 0400;
	sysfs_attr_init(&own->attribute);
	return sysfs_create_file(&entry->kobj, &own->attribute);
}

static int add_files(struct kb_kernel_entry *entry)
{
	int error = 0;

	for (unsigned i = 0; i < KB_PARAM_MAX && entry->bench.params[i].name && !error; i++)
		error = add_file(entry, (struct kb_entry_attribute){ { .name = entry->bench.params[i].name },
				 show_param, store_param, i });
	if (!error)
		error = add_file(entry, (struct kb_entry_attribute){ { .name = "run" }, show_run, store_run, 0 });
	if (!error)
		error = add_file(entry, (struct kb_entry_attribute){ { .name = "report" }, show_report, NULL, 0 });
	return error;
}

int kb_sysfs_add(struct kb_kernel_entry *entry)
{
	int error;

	entry->attributes = kcalloc(KB_PARAM_MAX + 2, sizeof *entry->attributes, GFP_KERNEL);
	if (!entry->attributes)
		return -ENOMEM;
	error = kobject_init_and_add(&entry->kobj, &type, directory, "%s", entry->kernel->name);
	if (!error)
		error = add_files(entry);
	if (error)
		kb_sysfs_remove(entry);
	return error;
}

void kb_sysfs_remove(struct kb_kernel_entry *entry)
{
	kobject_del(&entry->kobj);
	kobject_put(&entry->kobj);
	wait_for_completion(&entry->released);
	kfree(entry->attributes);
}

int kb_sysfs_open(void)
{
	directory = kobject_create_and_add("kbench", kernel_kobj);
	return directory ? 0 : -ENOMEM;
}

void kb_sysfs_close(void)
{
	kobject_put(directory);
}
