/* See batch.h. */
#include "yamba/emit/batch.h"

#include "yamba/front/class.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- one block ------------------------------------------------------------------------------------------- */

static void item_blocks(const struct kb_member *member, struct kb_item *item, kb_block_found *found, void *context)
{
	for (; item; item = item->next) {
		if (item->kind == KB_ITEM_ASM)
			found(context, member, item);
		item_blocks(member, item->body, found, context);
		item_blocks(member, item->otherwise, found, context);
	}
}

void kb_member_blocks(const struct kb_member *member, kb_block_found *found, void *context)
{
	item_blocks(member, member->items, found, context);
}

struct kb_assemble_block kb_block_of(
	struct kb_yamba *yamba, const struct kb_member *member, const struct kb_item *item, unsigned line)
{
	return (struct kb_assemble_block){
		.class = kb_arena_string(yamba->arena, member->owner->name),
		.member = kb_arena_string(yamba->arena, member->name), .file = member->owner->source->path, .line = line,
		.text = item->assembly.text.at, .length = item->assembly.text.length,
		.directives = kb_class_directives(yamba, member->owner),
	};
}

struct kb_place kb_block_place(
	const struct kb_assemble_block *block, struct kb_yamba_source *source, const struct kb_assemble_message *message)
{
	const char *at = block->text, *end = block->text + block->length;

	if (message->at)
		return (struct kb_place){ source, message->at };
	for (uint32_t here = block->line; here < message->line && at < end; at++)
		here += *at == '\n';
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return (struct kb_place){ source, at < end && *at != '\n' ? at : block->text };
}

void kb_block_diagnose(struct kb_yamba *yamba, const struct kb_target *target, struct kb_place place,
	const struct kb_assemble_message *message)
{
	const char *cause_end = message->number == 200 ? NULL : strstr(message->text, "; "), *remedy = message->remedy;
	int length = cause_end ? (int)(cause_end - message->text) : (int)strlen(message->text);
	struct kb_diagnostic *d;

	if (cause_end)
		remedy = kb_arena_format(yamba->arena, "%s", cause_end + 2);
	else if (!remedy && message->number == 200)
		remedy = kb_arena_format(yamba->arena, "write it as GNU as takes it for %s%s", target->name,
			target->intel ? ", in Intel syntax" : "");
	else if (!remedy)
		remedy = "write the operand in another way";
	d = kb_diagnose(&yamba->diagnostics, message->number, place, remedy, "%.*s", length, message->text);
	d->warning = message->warning;
}

/* ---- collecting ------------------------------------------------------------------------------------------ */

static struct kb_batch_platform *platform_of(struct kb_batch *batch, const struct kb_target *target)
{
	for (unsigned i = 0; i < batch->platform_count; i++) {
		if (batch->platforms[i].target == target)
			return &batch->platforms[i];
	}
	if (batch->platform_count == KB_BATCH_PLATFORMS)
		return NULL;
	batch->platforms[batch->platform_count].target = target;
	return &batch->platforms[batch->platform_count++];
}

struct adding { struct kb_batch *batch; struct kb_batch_platform *platform; struct kb_yamba *yamba; };

static void add_block(void *context, const struct kb_member *member, struct kb_item *item)
{
	const struct adding *adding = context;
	struct kb_arena *arena = &adding->batch->arena;
	struct kb_batch_platform *platform = adding->platform;
	unsigned line, column, count = platform->count++;

	platform->blocks = kb_arena_room(arena, platform->blocks, count, &platform->block_room, sizeof *platform->blocks);
	platform->owners = kb_arena_room(arena, platform->owners, count, &platform->owner_room, sizeof *platform->owners);
	kb_place_find((struct kb_place){ member->owner->source, item->assembly.text.at }, &line, &column);
	platform->owners[count] = (struct kb_batch_block){ adding->yamba, member->owner };
	platform->blocks[count] = kb_block_of(adding->yamba, member, item, line);
}

void kb_batch_add(struct kb_batch *batch, struct kb_yamba *yamba, const struct kb_yamba_class *class)
{
	const struct kb_target *target =
		class->platform ? kb_target_find(kb_arena_string(yamba->arena, class->platform->name)) : NULL;
	struct adding adding = { batch, target ? platform_of(batch, target) : NULL, yamba };

	batch->arena.no_memory = yamba->arena->no_memory;
	batch->arena.context = yamba->arena->context;
	for (const struct kb_member *member = class->members; adding.platform && member; member = member->next)
		kb_member_blocks(member, add_block, &adding);
}

/* ---- assembling ------------------------------------------------------------------------------------------ */

/* Reports all that was kept. True if a block was taken out: those of a file with an error, for the next round. */
static bool report(struct kb_batch_platform *platform, const struct kb_assembly *assembly)
{
	const struct kb_yamba *wrong[KB_ASSEMBLE_MESSAGES];
	unsigned count = 0, kept = 0;

	for (unsigned i = 0; i < assembly->message_count && i < KB_ASSEMBLE_MESSAGES; i++) {
		const struct kb_assemble_message *message = &assembly->messages[i];
		/* The first one stands for all. */
		ptrdiff_t block = message->block ? message->block - platform->blocks : 0;
		const struct kb_batch_block *owner = &platform->owners[block];

		kb_block_diagnose(owner->yamba, platform->target,
			kb_block_place(&platform->blocks[block], owner->owner->source, message), message);
		if (!message->warning)
			wrong[count++] = owner->yamba;
	}
	for (unsigned i = 0; i < platform->count; i++) {
		bool out = false;

		for (unsigned j = 0; j < count && !out; j++)
			out = wrong[j] == platform->owners[i].yamba;
		if (out)
			continue;
		platform->blocks[kept] = platform->blocks[i];
		platform->owners[kept++] = platform->owners[i];
	}
	bool fewer = kept < platform->count;

	platform->count = kept;
	return fewer;
}

/* More messages than one run keeps, or one that nobody can place. */
static bool is_crowded(const struct kb_assembly *assembly)
{
	bool placed = true;

	for (unsigned i = 0; i < assembly->message_count && i < KB_ASSEMBLE_MESSAGES; i++)
		placed &= assembly->messages[i].block != NULL;
	return !placed || assembly->message_count > KB_ASSEMBLE_MESSAGES;
}

/* An error of one file hides those that the assembler would have found later in others: as long as there are errors, the
   other files go through it again. What is crowded is halved, and each half has a run of its own. */
static int run(const struct kb_batch_platform *platform, unsigned from, unsigned count)
{
	struct kb_batch_platform part = *platform;
	bool again = count > 0;
	int error = 0;

	part.blocks += from;
	part.owners += from;
	part.count = count;
	while (again && part.count > 0) {
		struct kb_assembly assembly;

		error = kb_assemble(&assembly, part.target, part.blocks, part.count);
		bool halves = error == -EINVAL && is_crowded(&assembly) && part.count > 1;

		again = error == -EINVAL && !halves && report(&part, &assembly);
		if (error == 0)
			report(&part, &assembly);         /* warnings */
		kb_assemble_free(&assembly);
		if (halves) {
			error = run(&part, 0, part.count / 2);
			return error == -ENOMEM ? error : run(&part, part.count / 2, part.count - part.count / 2);
		}
	}
	return error;
}

int kb_batch_run(struct kb_batch *batch, const char **missing)
{
	int error = 0;

	for (unsigned i = 0; i < batch->platform_count && error != -ENOMEM; i++) {
		struct kb_batch_platform *platform = &batch->platforms[i];

		error = run(platform, 0, platform->count);
		platform->assembled = error != -ENOSYS;
		if (error == -ENOSYS)
			*missing = platform->target->name;
	}
	return error == -ENOMEM ? error : 0;
}

void kb_batch_free(struct kb_batch *batch)
{
	kb_arena_free(&batch->arena);
	*batch = (struct kb_batch){ 0 };
}
