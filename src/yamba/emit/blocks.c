/* The asm blocks of a program: numbered, assembled in one run, written as constant data. See emit.h. */
#include "yamba/emit/inside.h"

#include <errno.h>
#include <string.h>

/* ---- which there are ------------------------------------------------------------------------------------- */

struct blocks {
	unsigned count;
	kb_block_found *found;
	void *context;
};

static void number_block(void *context, const struct kb_member *member, struct kb_item *item)
{
	struct blocks *blocks = context;

	item->assembly.block = blocks->count++;
	if (blocks->found)
		blocks->found(blocks->context, member, item);
}

/* A class above two instances has its blocks once. */
unsigned kb_emit_blocks(const struct kb_emit *e, kb_block_found *found, void *context)
{
	struct blocks blocks = { .found = found, .context = context };
	unsigned mark = ++e->yamba->marks;

	for (const struct kb_instance *instance = e->instances; instance; instance = instance->next) {
		for (const struct kb_yamba_class *class = instance->class; class; class = class->base) {
			for (struct kb_member *member = class->members; member; member = member->next) {
				if (member->mark == mark)
					break;
				member->mark = mark;
				kb_member_blocks(member, number_block, &blocks);
			}
		}
	}
	return blocks.count;
}

/* ---- assembling ------------------------------------------------------------------------------------------ */

struct assembling {
	struct kb_emit e;
	struct kb_assemble_block *blocks;
	const struct kb_yamba_class **owners;   /* of each block */
};

static void add_block(void *context, const struct kb_member *member, struct kb_item *item)
{
	struct assembling *a = context;
	unsigned line = kb_emit_line(&a->e, (struct kb_place){ member->owner->source, item->assembly.text.at });

	a->owners[item->assembly.block] = member->owner;
	a->blocks[item->assembly.block] = kb_block_of(a->e.yamba, member, item, line);
}

static void diagnose(struct assembling *a, const struct kb_target *target, const struct kb_assemble_message *message)
{
	struct kb_place place = kb_class_place(a->e.program);

	if (message->block)
		place = kb_block_place(message->block, a->owners[message->block - a->blocks]->source, message);
	kb_block_diagnose(a->e.yamba, target, place, message);
}

/* Bases and imports are part of the program; what was checked before is not checked again. */
static bool check_all(const struct kb_emit *e)
{
	size_t errors = kb_diagnostics_errors(&e->yamba->diagnostics);

	for (const struct kb_instance *instance = e->instances; instance; instance = instance->next) {
		for (const struct kb_yamba_class *class = instance->class; class; class = class->base) {
			struct kb_yamba_class *found = kb_yamba_find(e->yamba, class->name);

			if (found == class)
				kb_yamba_check_class(e->yamba, found);
		}
	}
	return kb_diagnostics_errors(&e->yamba->diagnostics) == errors;
}

int kb_yamba_assemble(struct kb_yamba *yamba, const struct kb_yamba_class *class, struct kb_assembly *assembly)
{
	struct assembling a = { .e = { .yamba = yamba, .program = class } };
	const struct kb_target *target;
	unsigned count;
	int result;

	*assembly = (struct kb_assembly){ 0 };
	kb_emit_start(&a.e);
	if (!check_all(&a.e))
		return -EINVAL;
	count = kb_emit_blocks(&a.e, NULL, NULL);
	if (!count || !class->platform)
		return 0;
	a.blocks = kb_arena_take(yamba->arena, count * sizeof *a.blocks);
	a.owners = kb_arena_take(yamba->arena, count * sizeof *a.owners);
	kb_emit_blocks(&a.e, add_block, &a);
	target = kb_target_find(kb_arena_string(yamba->arena, class->platform->name));
	result = kb_assemble(assembly, target, a.blocks, count);
	for (unsigned i = 0; i < assembly->message_count && i < KB_ASSEMBLE_MESSAGES; i++)
		diagnose(&a, target, &assembly->messages[i]);
	return result;
}

/* ---- as constant data ------------------------------------------------------------------------------------ */

static void emit_bytes(struct kb_emit *e, unsigned number, const struct kb_fragment *fragment)
{
	if (!fragment->count)
		return;
	/* As text, which the compiler reads at once; its null byte has no place in the array. */
	kb_print(e, "static const uint8_t y_bytes%u[%u] =", number, fragment->count);
	for (uint32_t i = 0; i < fragment->count; i++)
		kb_print(e, "%s\\x%02x%s", i % 32 ? "" : "\n\t\"", fragment->bytes[i], i % 32 == 31 || i + 1 == fragment->count ? "\"" : "");
	kb_print(e, ";\n");
}

static void emit_holes(struct kb_emit *e, unsigned number, const struct kb_fragment *fragment)
{
	if (!fragment->hole_count)
		return;
	kb_print(e, "static const struct kb_hole y_holes%u[] = {\n", number);
	for (uint32_t i = 0; i < fragment->hole_count; i++) {
		const struct kb_hole *hole = &fragment->holes[i];

		kb_print(e, "\t{ .addend = %lld, .offset = %u, .value = %u, .line = %u, .relocation = %u, .paired = %d",
			(long long)hole->addend, hole->offset, hole->value, hole->line, hole->relocation, hole->paired);
		/* The least number of 64 bits cannot be written as one. */
		if (hole->bytes)
			kb_print(e, ",\n\t  .bytes = %u, .min = %lld - 1, .max = %lluu", hole->bytes, (long long)(hole->min + 1),
				(unsigned long long)hole->max);
		kb_print(e, " },\n");
	}
	kb_print(e, "};\n");
}

static void emit_registers(struct kb_emit *e, unsigned number, const struct kb_fragment *fragment)
{
	if (!fragment->register_count)
		return;
	kb_print(e, "static const struct kb_register_hole y_registers%u[] = {\n", number);
	for (uint32_t i = 0; i < fragment->register_count; i++) {
		const struct kb_register_hole *hole = &fragment->registers[i];

		kb_print(e, "\t{ .offset = %u, .value = %u, .line = %u, .allowed = 0x%x, .base = %u, .bytes = %u, .masks = {", hole->offset,
			hole->value, hole->line, hole->allowed, hole->base, hole->bytes);
		for (unsigned bit = 0; bit < KB_REGISTER_BITS; bit++) {
			kb_print(e, " {");
			for (unsigned j = 0; j < hole->bytes; j++)
				kb_print(e, " 0x%02x,", hole->masks[bit][j]);
			kb_print(e, hole->bytes ? " }," : " 0 },");
		}
		kb_print(e, " } },\n");
	}
	kb_print(e, "};\n");
}

static void emit_labels(struct kb_emit *e, unsigned number, const struct kb_fragment *fragment)
{
	if (!fragment->label_count)
		return;
	kb_print(e, "static const struct kb_label y_labels%u[] = {\n", number);
	for (uint32_t i = 0; i < fragment->label_count; i++) {
		const struct kb_label *label = &fragment->labels[i];

		kb_print(e, "\t{ .name = \"%s\", .offset = %u, .line = %u, .defined = %d },\n", label->name, label->offset,
			label->line, label->defined);
	}
	kb_print(e, "};\n");
}

static void emit_table(struct kb_emit *e, const char *name, const char *of, uint32_t count, unsigned number)
{
	if (count)
		kb_print(e, ", .%s = y_%s%u", name, of, number);
}

/* In one of the instances above which its class stands. */
static bool is_used(const struct kb_emit *e, const struct kb_member *member)
{
	const struct kb_instance *instance = e->instances;

	while (instance && !(kb_class_is(instance->class, member->owner) && kb_is_reached(e, instance, member)))
		instance = instance->next;
	return instance != NULL;
}

static void emit_fragment(void *context, const struct kb_member *member, struct kb_item *item)
{
	struct kb_emit *e = context;
	unsigned number = item->assembly.block;
	const struct kb_fragment *fragment = &e->assembly->blocks[number].fragment;
	const char *path = kb_emit_path(e, member->owner->source);

	if (!is_used(e, member))
		return;
	emit_bytes(e, number, fragment);
	emit_holes(e, number, fragment);
	emit_labels(e, number, fragment);
	emit_registers(e, number, fragment);
	kb_print(e, "static const struct kb_fragment y_fragment%u __attribute__((unused)) = {\n", number);
	kb_print(e, "\t.class = \"%s\", .member = \"%s\", .file = ", fragment->class, fragment->member);
	kb_put_text(e, path);
	kb_print(e, ", .line = %u,\n\t.count = %u", fragment->line, fragment->count);
	emit_table(e, "bytes", "bytes", fragment->count, number);
	emit_table(e, "holes", "holes", fragment->hole_count, number);
	emit_table(e, "labels", "labels", fragment->label_count, number);
	emit_table(e, "registers", "registers", fragment->register_count, number);
	kb_print(e, ",\n\t.hole_count = %u, .label_count = %u,\n", fragment->hole_count, fragment->label_count);
	if (fragment->register_count)
		kb_print(e, "\t.register_count = %u,\n", fragment->register_count);
	kb_print(e, "};\n");
}

void kb_emit_fragments(struct kb_emit *e)
{
	kb_emit_blocks(e, emit_fragment, e);
}
