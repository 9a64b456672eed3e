/*
 * Copies the kernel's segments to their physical addresses, the device tree behind it, and lays the root server out behind that at
 * the next 2 MiB: the order in which the kernel wants its reserved regions. Both files lie inside this image.
 */
#include "load.h"

struct file { uint8_t ident[16]; uint16_t type, machine; uint32_t version; uint64_t entry, segments, sections; uint32_t flags;
	uint16_t bytes, segment_bytes, segment_count; };
struct segment { uint32_t type, flags; uint64_t offset, virtual, physical, file_bytes, memory_bytes, align; };

#define SEGMENT_LOAD 1u

extern const unsigned char kb_kernel_file[], kb_root_file[], kb_tree_file[];

static uint64_t round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

/* Memory that is written before a kernel looks at it: volatile, so that the compiler calls no library. */
static void copy(uint64_t to, const unsigned char *from, uint64_t count)
{
	kb_clean(to, count);
	for (uint64_t i = 0; i < count; i++)
		((volatile unsigned char *)(uintptr_t)to)[i] = from[i];
	kb_clean(to, count);
}

static void clear(uint64_t to, uint64_t count)
{
	kb_clean(to, count);
	for (uint64_t i = 0; i < count; i++)
		((volatile unsigned char *)(uintptr_t)to)[i] = 0;
	kb_clean(to, count);
}

static const struct segment *segment_of(const unsigned char *bytes, unsigned i)
{
	const struct file *file = (const void *)bytes;

	return (const void *)(bytes + file->segments + (uint64_t)i * file->segment_bytes);
}

/* `shift`: what is added to the virtual address; with it 0 the file's own physical addresses hold. */
static void place(const unsigned char *bytes, uint64_t shift, bool shifted)
{
	for (unsigned i = 0; i < ((const struct file *)(const void *)bytes)->segment_count; i++) {
		const struct segment *segment = segment_of(bytes, i);
		uint64_t to = shifted ? segment->virtual + shift : segment->physical;

		if (segment->type != SEGMENT_LOAD)
			continue;
		copy(to, bytes + segment->offset, segment->file_bytes);
		clear(to + segment->file_bytes, segment->memory_bytes - segment->file_bytes);
	}
}

static void extent(const unsigned char *bytes, bool virtual, uint64_t *first, uint64_t *last)
{
	*first = UINT64_MAX;
	*last = 0;
	for (unsigned i = 0; i < ((const struct file *)(const void *)bytes)->segment_count; i++) {
		const struct segment *segment = segment_of(bytes, i);
		uint64_t at = virtual ? segment->virtual : segment->physical;

		if (segment->type != SEGMENT_LOAD)
			continue;
		*first = at < *first ? at : *first;
		*last = at + segment->memory_bytes > *last ? at + segment->memory_bytes : *last;
	}
}

static void lay_kernel(struct kb_layout *layout)
{
	uint64_t end;

	extent(kb_kernel_file, true, &layout->kernel_virtual, &end);
	extent(kb_kernel_file, false, &layout->kernel, &layout->kernel_end);
	layout->kernel_end = round_up(layout->kernel_end, 4096);
	layout->kernel_entry = ((const struct file *)(const void *)kb_kernel_file)->entry;
	place(kb_kernel_file, 0, false);
}

static bool is_tree(const unsigned char *bytes)
{
	return bytes[0] == 0xd0 && bytes[1] == 0x0d && bytes[2] == 0xfe && bytes[3] == 0xed;
}

/* Its size stands at byte 4, the high byte first. No tree, one at an address that is none, or one that the kernel has overwritten is none; then
   the kernel's own is taken, if it has one. */
static void lay_tree(struct kb_layout *layout, uint64_t tree)
{
	bool overwritten = tree >= layout->kernel && tree < layout->kernel_end;
	const unsigned char *bytes = (const void *)(uintptr_t)tree;

	layout->told = tree && tree % 4 == 0 && !overwritten && is_tree(bytes);
	if (!layout->told)
		bytes = kb_tree_file;
	layout->tree = layout->tree_bytes = 0;
	if (!is_tree(bytes))
		return;
	layout->tree_bytes = (uint64_t)bytes[4] << 24 | (uint64_t)bytes[5] << 16 | (uint64_t)bytes[6] << 8 | bytes[7];
	layout->tree = layout->kernel_end;
	copy(layout->tree, bytes, layout->tree_bytes);
}

static void lay_user(struct kb_layout *layout)
{
	uint64_t first, last;

	extent(kb_root_file, true, &first, &last);
	layout->user = round_up(layout->kernel_end + layout->tree_bytes, KB_MEGAPAGE);
	layout->user_end = layout->user + round_up(last - first, 4096);
	layout->user_offset = layout->user - first;
	layout->user_entry = ((const struct file *)(const void *)kb_root_file)->entry;
	place(kb_root_file, layout->user_offset, true);
}

void kb_load(uint64_t processor, uint64_t tree)
{
	struct kb_layout layout;

	lay_kernel(&layout);
	lay_tree(&layout, tree);
	lay_user(&layout);
	kb_enter(&layout, processor);
}
