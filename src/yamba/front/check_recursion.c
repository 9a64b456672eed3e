/*
 * No Yamba function may lead back to itself (Y121): composition would never end. Names are bound as in the class
 * that is checked, so an override can lead back where the blueprint does not; every such way goes
 * through a member of the class itself. A way through a C function is found when it is gone (code/program.c). The walk
 * keeps its own stack, for a chain of calls may be as long as the file.
 */
#include "yamba/front/class.h"

#include "yamba/front/c_names.h"

struct edge { struct kb_member *to; struct kb_place at; };
struct frame { struct kb_member *member; size_t first, next; };

struct walk {
	struct kb_yamba *yamba;
	const struct kb_yamba_class *class;
	struct kb_arena arena;          /* of this walk: each class has one, and together they would need its square */
	struct edge *edges;             /* of all frames, in their order */
	struct frame *frames;
	size_t edge_count, edge_room, depth, frame_room;
	unsigned on_path, done;         /* marks of this walk */
};

/* An imported class does not know this one, so what is taken from it leads no way back. */
static struct kb_member *meant(const struct walk *w, const struct kb_member *from, struct kb_span qualifier, struct kb_span name)
{
	if (qualifier.length && !kb_span_is(qualifier, "super"))
		return NULL;
	return kb_class_member(qualifier.length ? from->owner->base : w->class, name);
}

static void add_edge(struct walk *w, const struct kb_member *from, struct kb_member *to, const char *at)
{
	w->edges = kb_arena_room(&w->arena, w->edges, w->edge_count, &w->edge_room, sizeof *w->edges);
	w->edges[w->edge_count++] = (struct edge){ to, { from->owner->source, at } };
}

struct calls { struct walk *w; const struct kb_member *from; };

static bool is_parameter(const struct kb_member *member, struct kb_span name)
{
	const struct kb_yamba_parameter *parameter = member->parameters;

	while (parameter && !kb_span_equal(parameter->name, name))
		parameter = parameter->next;
	return parameter != NULL;
}

/* f(n) in C text composes the entry f. */
static void found_name(void *context, const struct kb_c_word *word)
{
	const struct calls *calls = context;
	const struct kb_yamba_source *source = calls->from->owner->source;
	const char *behind = word->end, *end = source->text + source->length;
	bool qualified = word->member.length > 0;
	struct kb_member *to = meant(calls->w, calls->from, qualified ? word->name : word->member, qualified ? word->member : word->name);

	while (behind < end && kb_is_blank(*behind))
		behind++;
	bool called = behind < end && *behind == '(';

	/* What is handed on is composed by whoever gets it. */
	if (to && ((to->kind == KB_MEMBER_ENTRY && called) || (kb_is_value(to) && !called && !word->local && !is_parameter(calls->from, word->name))))
		add_edge(calls->w, calls->from, to, word->name.at);
}

static void add_c(struct walk *w, const struct kb_member *from, struct kb_span text)
{
	struct calls calls = { w, from };

	kb_c_names(w->yamba, from->owner, NULL, text, found_name, &calls);
}

static void add_edges(struct walk *w, const struct kb_member *from, const struct kb_item *item)
{
	for (; item; item = item->next) {
		if (item->kind == KB_ITEM_REFERENCE) {
			struct kb_member *to = meant(w, from, item->reference.qualifier, item->reference.name);

			if (to && kb_is_composed(to))
				add_edge(w, from, to, item->text.at);
		}
		for (size_t i = 0; i < 3; i++)
			add_c(w, from, item->c_text[i]);
		for (const struct kb_asm_hole *hole = kb_holes_of(item); hole; hole = hole->next)
			add_c(w, from, hole->expression);
		add_edges(w, from, item->body);
		add_edges(w, from, item->otherwise);
	}
}

static void push(struct walk *w, struct kb_member *member)
{
	w->frames = kb_arena_room(&w->arena, w->frames, w->depth, &w->frame_room, sizeof *w->frames);
	w->frames[w->depth++] = (struct frame){ member, w->edge_count, w->edge_count };
	member->mark = w->on_path;
	add_edges(w, member, member->items);
}

static void report(struct walk *w, const struct edge *edge)
{
	struct kb_diagnostics *all = &w->yamba->diagnostics;
	struct kb_diagnostic *d;
	bool inside = false;

	d = kb_diagnose(all, 121, edge->at, "use unroll to repeat something", "'%.*s' leads back to itself",
		KB_SHORT(edge->to->name));
	for (size_t i = 0; i < w->depth; i++) {
		const struct kb_member *member = w->frames[i].member;

		inside |= member == edge->to;
		if (inside)
			kb_diagnose_note(all, d, kb_member_place(member), "through '%.*s'", KB_SHORT(member->name));
	}
}

static void walk_from(struct walk *w, struct kb_member *start)
{
	if (start->mark == w->done)
		return;
	push(w, start);
	while (w->depth > 0) {
		struct frame *frame = &w->frames[w->depth - 1];

		if (frame->next < w->edge_count) {
			struct edge edge = w->edges[frame->next++];

			if (edge.to->mark == w->on_path)
				report(w, &edge);
			else if (edge.to->mark != w->done)
				push(w, edge.to);
		} else {
			frame->member->mark = w->done;
			w->edge_count = frame->first;
			w->depth--;
		}
	}
}

void kb_check_recursion(struct kb_yamba *yamba, const struct kb_yamba_class *class)
{
	struct walk w = {
		.yamba = yamba, .class = class,
		.arena = { .no_memory = yamba->arena->no_memory, .context = yamba->arena->context },
	};

	w.on_path = yamba->marks + 1;
	w.done = yamba->marks += 2;
	for (size_t i = 0; i < class->sorted_count; i++) {
		if (kb_is_composed(class->sorted[i]))
			walk_from(&w, class->sorted[i]);
	}
	kb_arena_free(&w.arena);
}
