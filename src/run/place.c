/* See place.h. */
#include "run/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "result/json/json.h"

#define RANKS_MOST 1000000

static bool is_of_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("._-@:[]%", c);
}

/* No word that an option of ssh could be, no blank, no slash. */
bool kb_place_is_name(const char *name)
{
	size_t length = strlen(name);

	for (size_t i = 0; i < length; i++) {
		if (!is_of_name(name[i]))
			return false;
	}
	return length > 0 && length <= KB_PLACE_NODE && name[0] != '-' && name[0] != '.';
}

static bool take_text(struct kb_span value, char *text, size_t room)
{
	snprintf(text, room, "%.*s", (int)value.length, value.at);
	return value.length < room && kb_place_is_name(text);
}

static bool take_number(struct kb_span value, unsigned least, unsigned *number)
{
	uint64_t read;

	if (!kb_span_u64(value, &read) || read < least || read > RANKS_MOST)
		return false;
	*number = (unsigned)read;
	return true;
}

static bool take_word(struct kb_run_place *place, struct kb_span key, struct kb_span value)
{
	if (kb_span_is(key, "id"))
		return take_text(value, place->id, sizeof place->id);
	if (kb_span_is(key, "node"))
		return take_text(value, place->node, sizeof place->node);
	if (kb_span_is(key, "via"))
		return take_text(value, place->via, sizeof place->via);
	if (kb_span_is(key, "job"))
		return take_text(value, place->job, sizeof place->job);
	if (kb_span_is(key, "rank"))
		return take_number(value, 0, &place->rank);
	return kb_span_is(key, "of") && take_number(value, 1, &place->of);
}

static int read_fleet(const char *text, struct kb_run_place *place, char why[KB_PLACE_WHY])
{
	struct kb_span rest = kb_span_of(text), word, key, value;

	while ((word = kb_span_word(&rest)).length > 0) {
		if (kb_span_pair(word, &key, &value) && take_word(place, key, value))
			continue;
		snprintf(why, KB_PLACE_WHY, KB_PLACE_ENVIRONMENT ": '%.*s' is not one of id=ID, node=NAME, rank=N, of=N, via=WORD and job=ID; "
			 "'kbench fleet' sets it, else unset it", (int)(word.length < 60 ? word.length : 60), word.at);
		return -EINVAL;
	}
	place->fleet = place->id[0] && place->via[0] && place->of > 0 && place->rank < place->of;
	if (!place->fleet)
		snprintf(why, KB_PLACE_WHY, KB_PLACE_ENVIRONMENT ": id, via, of, and a rank below it are needed; 'kbench fleet' sets it, else unset it");
	return place->fleet ? 0 : -EINVAL;
}

/* What Slurm says wrong, or not at all, is left out: it is nothing that the user typed. */
static void read_text(char *(*get)(const char *name), const char *name, char *text, size_t room)
{
	if (!text[0] && !take_text(kb_span_of(get(name)), text, room))
		text[0] = '\0';
}

static void read_slurm(char *(*get)(const char *name), struct kb_run_place *place)
{
	read_text(get, "SLURMD_NODENAME", place->node, sizeof place->node);
	read_text(get, "SLURM_ARRAY_JOB_ID", place->job, sizeof place->job);
	read_text(get, "SLURM_JOB_ID", place->job, sizeof place->job);
	if (place->fleet)
		return;
	/* A shell of salloc has a job, but is on no node of it. */
	place->allocation = place->job[0] && place->node[0];
	if (!take_number(kb_span_of(get("SLURM_ARRAY_TASK_ID")), 0, &place->rank))
		take_number(kb_span_of(get("SLURM_PROCID")), 0, &place->rank);
	if (!take_number(kb_span_of(get("SLURM_ARRAY_TASK_COUNT")), 1, &place->of))
		take_number(kb_span_of(get("SLURM_NTASKS")), 1, &place->of);
	snprintf(place->via, sizeof place->via, "slurm");
}

int kb_place_read(char *(*get)(const char *name), struct kb_run_place *place, char why[KB_PLACE_WHY])
{
	const char *fleet = get(KB_PLACE_ENVIRONMENT);

	*place = (struct kb_run_place){ .rank = 0 };
	if (fleet && fleet[0] && read_fleet(fleet, place, why))
		return -EINVAL;
	if (!place->fleet || !strcmp(place->via, "slurm"))
		read_slurm(get, place);
	return 0;
}

/* ---- in the settings of a run ------------------------------------------------------------------------------- */

void kb_place_to_settings(const struct kb_run_place *place, const char *side, json_t *settings)
{
	json_t *json = json_object();

	if (place->fleet)
		json_object_set_new(json, "id", json_string(place->id));
	json_object_set_new(json, "node", place->node[0] ? json_string(place->node) : json_null());
	json_object_set_new(json, "rank", kb_json_whole(place->rank));
	if (place->of > 0)
		json_object_set_new(json, "of", kb_json_whole(place->of));
	json_object_set_new(json, "via", json_string(place->via));
	if (place->job[0])
		json_object_set_new(json, "job", json_string(place->job));
	if (place->fleet && side)
		json_object_set_new(json, "side", json_string(side));
	if (place->fleet || place->allocation)
		json_object_set(settings, place->fleet ? "fleet" : "allocation", json);
	json_decref(json);
}

static void add_part(struct kb_text *text, const char *what, const char *value)
{
	if (!value[0])
		return;
	kb_text_str(text, text->used > 0 ? ", " : "");
	kb_text_str(text, what);
	kb_text_str(text, value);
}

const char *kb_place_line(const json_t *settings, bool brief, char line[KB_PLACE_LINE])
{
	const json_t *fleet = json_object_get(settings, "fleet"), *place = fleet ? fleet : json_object_get(settings, "allocation");
	const json_t *rank = json_object_get(place, "rank"), *of = json_object_get(place, "of");
	struct kb_text text = kb_text_in(line, KB_PLACE_LINE);
	char number[60];

	snprintf(number, sizeof number, json_is_integer(of) ? "%lld of %lld" : "%lld", (long long)json_integer_value(rank),
		 (long long)json_integer_value(of));
	if (place)
		add_part(&text, "node ", kb_json_string_of(place, "node")[0] ? kb_json_string_of(place, "node") : "unknown");
	if (json_is_integer(rank))
		add_part(&text, "rank ", number);
	add_part(&text, "side ", kb_json_string_of(place, "side"));
	add_part(&text, "fleet ", brief ? "" : kb_json_string_of(place, "id"));
	add_part(&text, "job ", brief ? "" : kb_json_string_of(place, "job"));
	kb_make_visible(line, '?');
	return line;
}
