/*
 * Reads a record line by line. The text is hostile until proven: it went through consoles, files and pipes. A line
 * is ours if it starts, at its first byte, with a word of the record's version; a malformed one of ours ends the reading.
 */
#include "base/record.h"
#include "base/crc32.h"

void kb_record_open(struct kb_record_reader *reader, const char *text, size_t length)
{
	*reader = (struct kb_record_reader){ .rest = { text, length }, .state = KB_RECORD_NOT_A_RECORD };
}

static size_t up_to(struct kb_span text, char end)
{
	size_t length = 0;

	while (length < text.length && text.at[length] != end)
		length++;
	return length;
}

/* What stands before the first `end`, or all of it; *rest is what stands behind. */
static struct kb_span take_up_to(struct kb_span *rest, char end)
{
	struct kb_span taken = { rest->at, up_to(*rest, end) };
	size_t gone = taken.length + (taken.length < rest->length);

	*rest = (struct kb_span){ rest->at + gone, rest->length - gone };
	return taken;
}

/* Takes the next line without its newline off the text. An unterminated one may still be growing: it stays. */
static bool take_line(struct kb_record_reader *reader, struct kb_span *line)
{
	if (up_to(reader->rest, '\n') == reader->rest.length)
		return false;
	*line = take_up_to(&reader->rest, '\n');
	reader->line++;
	return true;
}

/* A serial console sends \r\n, or \n\r, or \r\r\n. */
static struct kb_span strip_returns(struct kb_span line)
{
	while (line.length > 0 && line.at[0] == '\r')
		line = (struct kb_span){ line.at + 1, line.length - 1 };
	while (line.length > 0 && line.at[line.length - 1] == '\r')
		line.length--;
	return line;
}

/* Lines of ours are short and hold no control bytes: the writer makes none, and a console's must not pass. */
static bool is_clean(struct kb_span text)
{
	if (text.length >= KB_RECORD_LINE_MAX)
		return false;
	for (size_t i = 0; i < text.length; i++)
		if ((unsigned char)text.at[i] < ' ' || text.at[i] == 0x7f)
			return false;
	return true;
}

static bool take_u64(struct kb_span *rest, uint64_t *value)
{
	return kb_span_u64(kb_span_word(rest), value);
}

/* A CPU number beyond 32 bits is damage, not a CPU that happens to be the lower half. */
static bool parse_u32(struct kb_span digits, unsigned *value)
{
	uint64_t wide;

	if (!kb_span_u64(digits, &wide) || wide > 0xffffffff)
		return false;
	*value = (unsigned)wide;
	return true;
}

/* Too long is malformed: a clipped name could be another counter's. */
static bool parse_name(struct kb_span word, char *name, size_t room)
{
	return word.length > 0 && kb_span_unquote(word, name, room) >= 0;
}

/* Names that this version does not know are passed over: adding a flag is no new version. */
static unsigned parse_flags(struct kb_span list)
{
	unsigned flags = 0;

	while (list.length > 0) {
		struct kb_span name = take_up_to(&list, ',');

		for (unsigned i = 0; i < KB_FLAGS; i++)
			if (kb_span_is(name, kb_flag_names[i]))
				flags |= 1u << i;
	}
	return flags;
}

/* "1352,1378" */
static bool parse_around(struct kb_span value, struct kb_around *around)
{
	bool two = up_to(value, ',') < value.length;
	struct kb_span first = take_up_to(&value, ',');

	return two && kb_span_u64(first, &around->before) && kb_span_u64(value, &around->after);
}

bool kb_record_part(struct kb_span *text, struct kb_part *part)
{
	struct kb_span rest = *text, probe = take_up_to(&rest, ',');
	bool probed = up_to(probe, ':') < probe.length;
	struct kb_span ticks = take_up_to(&probe, ':');

	part->probe = 0;
	if (!kb_span_u64(ticks, &part->ticks) || (probed && !kb_span_u64(probe, &part->probe)))
		return false;
	*text = rest;
	return true;
}

/* All of them are looked at once, so that who reads them later meets no damage. */
static bool parse_parts(struct kb_span value, struct kb_obs *obs)
{
	struct kb_part part;

	obs->part_text = value;
	for (obs->part_count = 0; value.length > 0; obs->part_count++) {
		if (obs->part_count == KB_PARTS_MAX || !kb_record_part(&value, &part))
			return false;
	}
	return obs->part_count > 0 && obs->part_text.at[obs->part_text.length - 1] != ',';
}

/* Fields with other keys are what the benchmark said of the sample, or later additions: *other. */
static bool parse_obs_field(struct kb_span key, struct kb_span value, struct kb_obs *obs, bool *other)
{
	*other = false;
	if (kb_span_is(key, "t"))
		return kb_span_u64(value, &obs->t);
	if (kb_span_is(key, "k"))
		return kb_span_u64(value, &obs->block);
	if (kb_span_is(key, "cpu"))
		return parse_u32(value, &obs->cpu);
	if (kb_span_is(key, "p"))
		return parse_around(value, &obs->around);
	if (kb_span_is(key, "parts"))
		return parse_parts(value, obs);
	if (kb_span_is(key, "twin"))
		return kb_span_u64(value, &obs->twin);
	*other = !kb_span_is(key, "flags");
	if (!*other)
		obs->flags = parse_flags(value);
	return true;
}

static bool parse_obs(struct kb_span word, struct kb_span rest, struct kb_obs *obs)
{
	struct kb_span key, value;
	bool other;

	obs->role = (enum kb_role)word.at[0];
	if (!take_u64(&rest, &obs->n) || !take_u64(&rest, &obs->ticks))
		return false;
	/* What divides by n later must never meet a zero. */
	if (obs->role == KB_ROLE_CLOCK ? obs->n != 0 : obs->n == 0 || (obs->role == KB_ROLE_SINGLE && obs->n != 1))
		return false;
	for (word = kb_span_word(&rest); word.length > 0; word = kb_span_word(&rest)) {
		if (!kb_span_pair(word, &key, &value) || !parse_obs_field(key, value, obs, &other))
			return false;
		if (other && obs->extra.length == 0)
			obs->extra = (struct kb_span){ word.at, (size_t)(rest.at + rest.length - word.at) };
	}
	return true;
}

static bool parse_probe(struct kb_span rest, struct kb_probe_line *probe)
{
	struct kb_span name = kb_span_word(&rest), word, key, value;

	if (!parse_name(name, probe->name, sizeof(probe->name)) || !take_u64(&rest, &probe->n) || !take_u64(&rest, &probe->ticks))
		return false;
	for (word = kb_span_word(&rest); word.length > 0; word = kb_span_word(&rest)) {
		if (!kb_span_pair(word, &key, &value))
			return false;
		if (kb_span_is(key, "k") && !kb_span_u64(value, &probe->block))
			return false;
		if (kb_span_is(key, "p") && !parse_around(value, &probe->around))
			return false;
	}
	return true;
}

static bool parse_who(struct kb_span value, struct kb_evidence *evidence)
{
	if (!kb_span_is(value, "self") && !kb_span_is(value, "peer") && !kb_span_is(value, "all"))
		return false;
	return parse_name(value, evidence->who, sizeof(evidence->who));
}

static bool parse_evidence(struct kb_span line_word, struct kb_span rest, struct kb_evidence *evidence)
{
	struct kb_span counter = kb_span_word(&rest), word, key, value;

	evidence->base = kb_span_is(line_word, "eb");
	parse_who((struct kb_span){ "self", 4 }, evidence);
	if (!parse_name(counter, evidence->counter, sizeof(evidence->counter)) || !take_u64(&rest, &evidence->count) ||
	    !take_u64(&rest, &evidence->operations) || !take_u64(&rest, &evidence->samples))
		return false;
	for (word = kb_span_word(&rest); word.length > 0; word = kb_span_word(&rest)) {
		if (!kb_span_pair(word, &key, &value))
			return false;
		if (kb_span_is(key, "who") && !parse_who(value, evidence))
			return false;
	}
	return true;
}

/* What a block counted differs between collectors and is read with kb_record_field. */
static bool parse_block(struct kb_span rest, struct kb_line *line)
{
	if (!take_u64(&rest, &line->block.index))
		return false;
	if (rest.length > 0)
		rest = (struct kb_span){ rest.at + 1, rest.length - 1 };
	line->block.rest = rest;
	return true;
}

static bool parse_fail_field(struct kb_span key, struct kb_span value, struct kb_line *line)
{
	uint64_t number;

	if (kb_span_is(key, "stage"))
		return parse_name(value, line->fail.stage, sizeof(line->fail.stage));
	if (!kb_span_is(key, "errno"))
		return true;
	if (!kb_span_u64(value, &number) || number > 0x7fffffff)
		return false;
	line->fail.error = (int)number;
	return true;
}

/* The detail is the word in quotes, or the one that is no key=value. Without a stage it is not known what failed. */
static bool parse_fail(struct kb_span rest, struct kb_line *line)
{
	struct kb_span word, key, value;

	for (word = kb_span_word(&rest); word.length > 0; word = kb_span_word(&rest)) {
		if (word.at[0] == '"' || !kb_span_pair(word, &key, &value)) {
			if (kb_span_unquote(word, line->fail.detail, sizeof(line->fail.detail)) < 0)
				return false;
		} else if (!parse_fail_field(key, value, line)) {
			return false;
		}
	}
	return line->fail.stage[0] != '\0';
}

/* Lower case only, as the writer makes it, so that no changed bit of a digit goes unnoticed. */
static bool parse_hex(struct kb_span digits, uint64_t *value)
{
	uint64_t sum = 0;

	if (digits.length == 0 || digits.length > 16)
		return false;
	for (size_t i = 0; i < digits.length; i++) {
		char c = digits.at[i];

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return false;
		sum = sum << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
	}
	*value = sum;
	return true;
}

/* The next word must be key=count with exactly this count. */
static bool count_agrees(struct kb_span *rest, const char *key, uint64_t counted)
{
	struct kb_span name, value;
	uint64_t claimed;

	return kb_span_pair(kb_span_word(rest), &name, &value) && kb_span_is(name, key) &&
	       kb_span_u64(value, &claimed) && claimed == counted;
}

/* Fixed words in fixed order: the one line that no CRC covers leaves no room for a flipped byte. */
static bool end_agrees(const struct kb_record_reader *reader, struct kb_span rest)
{
	struct kb_span name, value;
	uint64_t crc;

	if (!count_agrees(&rest, "o", reader->counts.observations) || !count_agrees(&rest, "b", reader->counts.bases) ||
	    !count_agrees(&rest, "q", reader->counts.singles) || !count_agrees(&rest, "e", reader->counts.evidence))
		return false;
	return kb_span_pair(kb_span_word(&rest), &name, &value) && kb_span_is(name, "crc") && value.length == 8 &&
	       parse_hex(value, &crc) && crc == reader->crc && rest.length == 0;
}

static bool parse_line(const struct kb_record_reader *reader, struct kb_line *line)
{
	switch (line->kind) {
	case KB_LINE_OBS: return parse_obs(line->word, line->rest, &line->obs);
	case KB_LINE_PROBE: return parse_probe(line->rest, &line->probe);
	case KB_LINE_EVIDENCE: return parse_evidence(line->word, line->rest, &line->evidence);
	case KB_LINE_BLOCK: return parse_block(line->rest, line);
	case KB_LINE_FAIL: return parse_fail(line->rest, line);
	case KB_LINE_END: return end_agrees(reader, line->rest);
	case KB_LINE_HEADER: return true;
	default: return false; /* a second beginning: two collectors in one text, or one that started again */
	}
}

static enum kb_line_kind stop(struct kb_record_reader *reader, struct kb_line *line, enum kb_record_state state)
{
	reader->state = state;
	return line->kind = KB_LINE_NONE;
}

/* Without the carriage returns that a console added, or the sum would depend on the way the record came. */
static void cover(struct kb_record_reader *reader, struct kb_span text, const struct kb_line *line)
{
	reader->crc = kb_crc32(reader->crc, text.at, text.length);
	reader->crc = kb_crc32(reader->crc, "\n", 1);
	kb_record_count(&reader->counts, line->word);
}

static enum kb_line_kind begin(struct kb_record_reader *reader, struct kb_span text, struct kb_line *line)
{
	uint64_t version;

	if (line->rest.length != 1 || !kb_span_u64(line->rest, &version) || version < 1 || version > KB_RECORD_VERSION)
		return stop(reader, line, KB_RECORD_VERSION_UNKNOWN);
	reader->version = (unsigned)version;
	reader->begun = true;
	reader->state = KB_RECORD_OPEN;
	cover(reader, text, line);
	return KB_LINE_BEGIN;
}

enum kb_line_kind kb_record_next(struct kb_record_reader *reader, struct kb_line *line)
{
	struct kb_span text;

	*line = (struct kb_line){ .kind = KB_LINE_NONE };
	if (reader->state != KB_RECORD_OPEN && reader->state != KB_RECORD_NOT_A_RECORD)
		return KB_LINE_NONE;
	if (!take_line(reader, &text))
		return KB_LINE_NONE;
	text = strip_returns(text);
	/* Split at the first blank only: what follows is handed on byte for byte, or a copy would have another CRC. */
	line->rest = text;
	line->word = take_up_to(&line->rest, ' ');
	line->kind = kb_record_word_kind(line->word, reader->version);
	/* Before the record begins nothing is ours: a boot log may well say "end of ..." or "note: ...". */
	if (line->kind == KB_LINE_FOREIGN || (!reader->begun && line->kind != KB_LINE_BEGIN)) {
		reader->foreign++;
		return line->kind = KB_LINE_FOREIGN;
	}
	if (!reader->begun)
		return begin(reader, text, line);
	if (!is_clean(text) || !parse_line(reader, line))
		return stop(reader, line, KB_RECORD_GARBLED);
	/* Neither of the two that end a record is covered: the sum stands in one and is missing in the other. */
	if (line->kind == KB_LINE_END)
		reader->state = KB_RECORD_WHOLE;
	else if (line->kind == KB_LINE_FAIL)
		reader->state = KB_RECORD_FAILED;
	else
		cover(reader, text, line);
	return line->kind;
}

const char *kb_record_state_words(enum kb_record_state state)
{
	static const char *const words[] = {
		[KB_RECORD_OPEN] = "the record is cut off: it has no end line",
		[KB_RECORD_WHOLE] = "the record is whole",
		[KB_RECORD_FAILED] = "the record ends with a failure",
		[KB_RECORD_GARBLED] = "the record is garbled",
		[KB_RECORD_VERSION_UNKNOWN] = "the record has a version that this program does not know",
		[KB_RECORD_NOT_A_RECORD] = "not a record: it has no kbench-record line",
	};

	return (unsigned)state < sizeof(words) / sizeof(words[0]) ? words[state] : "?";
}

/* The first field of that name; a second one is ignored. */
static bool find_field(struct kb_span rest, const char *key, struct kb_span *value)
{
	struct kb_span word, name;

	for (word = kb_span_word(&rest); word.length > 0; word = kb_span_word(&rest))
		if (kb_span_pair(word, &name, value) && kb_span_is(name, key))
			return true;
	return false;
}

int kb_record_field(struct kb_span rest, const char *key, char *buffer, size_t room)
{
	struct kb_span value;

	return find_field(rest, key, &value) ? kb_span_unquote(value, buffer, room) : -1;
}

bool kb_record_field_u64(struct kb_span rest, const char *key, uint64_t *value)
{
	struct kb_span text;

	if (!find_field(rest, key, &text))
		return false;
	if (kb_span_starts(text, "0x"))
		return parse_hex((struct kb_span){ text.at + 2, text.length - 2 }, value);
	return kb_span_u64(text, value);
}
