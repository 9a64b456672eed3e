/* See block.h. */
#include "yamba/emit/block.h"

#include <string.h>

static int item_blocks(const struct kb_member *member, struct kb_item *item, kb_block_found *found, void *context)
{
	int result = 0;

	for (; item && !result; item = item->next) {
		if (item->kind == KB_ITEM_ASM) {
			result = found(context, member, item);
		} else if (item->kind == KB_ITEM_UNROLL) {
			result = item_blocks(member, item->unroll.body, found, context);
		} else if (item->kind == KB_ITEM_IF) {
			result = item_blocks(member, item->choice.then, found, context);
			if (!result)
				result = item_blocks(member, item->choice.otherwise, found, context);
		}
	}
	return result;
}

int kb_member_blocks(const struct kb_member *member, kb_block_found *found, void *context)
{
	return item_blocks(member, member->items, found, context);
}

struct kb_assemble_block kb_block_of(
	struct kb_yamba *yamba, const struct kb_member *member, const struct kb_item *item, unsigned line)
{
	return (struct kb_assemble_block){
		.class = kb_arena_string(yamba->arena, member->owner->name),
		.member = kb_arena_string(yamba->arena, member->name), .file = member->owner->source->path, .line = line,
		.text = item->assembly.text.at, .length = item->assembly.text.length,
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
