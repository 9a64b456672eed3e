// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* The benchmarks that are loaded. Each module brings one; it cannot go while a run or an open /dev/kbench holds it. */
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "framework/block.h"
#include "framework/process.h"
#include "framework/registry.h"
#include "framework/sysfs.h"

static DEFINE_MUTEX(registry);
static LIST_HEAD(entries);

/* The framework's parameters. One that a benchmark declares under the same name replaces its bounds. */
static const struct kb_param own_params[] = {
	{ "loop_count", "samples a thread", KB_NUMBER, "5000", 1, 4 << 20, NULL },
	{ "warmup", "samples before the first that counts", KB_NUMBER, "100", 0, 1 << 20, NULL },
	{ "threads", "threads at the same time", KB_NUMBER, "1", 1, 1, NULL },
	{ "batch", "operations a sample", KB_NUMBER, "1", 1, 64 << 10, NULL },
	{ "isolation", "off while measuring: 0 nothing, 1 preemption, 2 interrupts, too", KB_NUMBER, "1", 0, 2, NULL },
	{ "max_ms", "longest run", KB_NUMBER, "10000", 1, 60000, NULL },
};

static int add_params(struct kb_bench *bench)
{
	unsigned count = 0;

	while (count < KB_PARAM_MAX && bench->params[count].name)
		count++;
	for (size_t i = 0; i < ARRAY_SIZE(own_params); i++) {
		struct kb_span name = { own_params[i].name, kb_strlen(own_params[i].name) };

		if (kb_param_index(bench, name) >= 0)
			continue;
		if (count == KB_PARAM_MAX)
			return -E2BIG;
		bench->params[count++] = own_params[i];
	}
	return 0;
}

static struct kb_kernel_entry *find(const char *name)
{
	struct kb_kernel_entry *entry;

	list_for_each_entry(entry, &entries, list) {
		if (!strcmp(entry->kernel->name, name))
			return entry;
	}
	return NULL;
}

struct kb_kernel_entry *kb_entry_get(const char *name)
{
	struct kb_kernel_entry *entry;
	int error;

	mutex_lock(&registry);
	entry = find(name);
	error = entry ? kb_entry_hold(entry) : -ENOENT;
	mutex_unlock(&registry);
	return error ? ERR_PTR(error) : entry;
}

static struct kb_kernel_entry *make(struct kb_kernel_bench *kernel)
{
	struct kb_kernel_entry *entry = kzalloc(sizeof *entry, GFP_KERNEL);

	if (!entry)
		return NULL;
	entry->kernel = kernel;
	entry->bench = *kernel->about;
	entry->bench.name = entry->name;
	scnprintf(entry->name, sizeof entry->name, "kernel.%s", kernel->name);
	kb_block_hooks(&entry->bench, kernel->hooks);
	mutex_init(&entry->lock);
	init_completion(&entry->released);
	return entry;
}

/* Nobody reaches it any more. */
static void discard(struct kb_kernel_entry *entry)
{
	if (entry->kept)
		kb_process_free(entry->kept);
	kfree(entry);
}

int kb_kernel_register(struct kb_kernel_bench *kernel)
{
	struct kb_kernel_entry *entry;
	int error;

	if (kernel->about->abi != KB_ABI || kernel->about->size != sizeof *kernel->about) {
		pr_err("kbench: %s: built for another version of kbench.h (ABI %u, here %u): rebuild all modules with 'kbench kernel build'\n",
		       kernel->name, kernel->about->abi, KB_ABI);
		return -EPROTO;
	}
	if (!kernel->hooks->op && !kernel->hooks->observe)
		return -EINVAL;
	entry = make(kernel);
	if (!entry)
		return -ENOMEM;
	error = add_params(&entry->bench);
	if (error) {
		kfree(entry);
		return error;
	}
	kb_settings_default(&entry->settings, &entry->bench);
	kernel->entry = entry;
	mutex_lock(&registry);
	error = find(kernel->name) ? -EEXIST : kb_sysfs_add(entry);
	if (!error)
		list_add_tail(&entry->list, &entries);
	mutex_unlock(&registry);
	if (error)
		discard(entry); /* `run` may have been read already */
	return error;
}
EXPORT_SYMBOL_GPL(kb_kernel_register);

/* Removing the directory waits for readers in it, and the last reference to it may be somebody else's. */
void kb_kernel_unregister(struct kb_kernel_bench *kernel)
{
	struct kb_kernel_entry *entry = kernel->entry;

	mutex_lock(&registry);
	list_del(&entry->list);
	mutex_unlock(&registry);
	kb_sysfs_remove(entry);
	discard(entry);
}
EXPORT_SYMBOL_GPL(kb_kernel_unregister);
