/*
 * Writes a record line by line through a small chunk on the stack: a kernel's stack has no room for a whole line.
 * Whatever it is handed, it writes lines that the reader takes: control bytes become blanks, and a line ends where
 * KB_RECORD_LINE_MAX ends.
 */
#include "base/record.h"
#include "base/crc32.h"

const char *const kb_flag_names[KB_FLAGS] = {
	"warmup", "irq", "ctxsw", "migrated", "fault", "steal", "gap", "backwards", "refuted"
};

/* The words of both versions, nearly all lines being observations. A new word is a new version: older readers would leave its lines out of the
   CRC. */
static const struct { const char *word; enum kb_line_kind kind; } words[] = {
	{ "o", KB_LINE_OBS }, { "b", KB_LINE_OBS }, { "q", KB_LINE_OBS }, { "c", KB_LINE_OBS }, { "e", KB_LINE_EVIDENCE },
	{ "eb", KB_LINE_EVIDENCE }, { "k", KB_LINE_BLOCK }, { "kbench-record", KB_LINE_BEGIN }, { "bench", KB_LINE_HEADER },
	{ "per", KB_LINE_HEADER }, { "bound", KB_LINE_HEADER }, { "method", KB_LINE_HEADER }, { "param", KB_LINE_HEADER },
	{ "clock", KB_LINE_HEADER }, { "env", KB_LINE_HEADER }, { "expect", KB_LINE_HEADER }, { "note", KB_LINE_HEADER },
	{ "module", KB_LINE_HEADER }, { "composed", KB_LINE_HEADER }, { "proof", KB_LINE_HEADER }, { "where", KB_LINE_HEADER }, { "fault", KB_LINE_HEADER },
	{ "fail", KB_LINE_FAIL }, { "end", KB_LINE_END },
};

/* Once a line, and a line is mostly found among the first four: a hash would not be faster. */
enum kb_line_kind kb_record_word_kind(struct kb_span word, unsigned version)
{
	if (kb_span_is(word, version == 1 ? "s" : "p"))
		return KB_LINE_PROBE;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (kb_span_is(word, words[i].word))
			return words[i].kind;
	return KB_LINE_FOREIGN;
}

/* Clock probes, clock pairs and headers have no count of their own: the CRC alone covers them. */
void kb_record_count(struct kb_record_counts *counts, struct kb_span word)
{
	if (kb_span_is(word, "o"))
		counts->observations++;
	else if (kb_span_is(word, "b"))
		counts->bases++;
	else if (kb_span_is(word, "q"))
		counts->singles++;
	else if (kb_span_is(word, "e") || kb_span_is(word, "eb"))
		counts->evidence++;
}

#define CHUNK 256       /* holds any data line, which then reaches the sink in one piece */

/* One line on its way out. */
struct out {
	struct kb_record_writer *writer;
	bool covered;           /* by the CRC */
	size_t left;            /* bytes that the line may still take, its newline apart */
	size_t used;
	char chunk[CHUNK];
};

/* Nothing leaves after an error, so a record is at worst cut off, never one with a hole in it. */
static void flush(struct out *out)
{
	struct kb_record_writer *writer = out->writer;

	if (writer->error == 0) {
		if (out->covered)
			writer->crc = kb_crc32(writer->crc, out->chunk, out->used);
		writer->error = writer->sink.write(writer->sink.context, out->chunk, out->used);
	}
	out->used = 0;
}

/* Flushes before the byte that does not fit, so that a line of exactly one chunk is still one piece. */
static void put_byte(struct out *out, char c)
{
	if (out->used == CHUNK)
		flush(out);
	out->chunk[out->used++] = c;
}

/* The one way text enters a line: whatever would end the line early or confuse a console becomes a blank. */
static void put(struct out *out, const char *text)
{
	size_t length = kb_clipped(text, out->left);

	for (size_t i = 0; i < length; i++) {
		bool control = (unsigned char)text[i] < ' ' || text[i] == 0x7f;

		put_byte(out, control ? ' ' : text[i]);
	}
	out->left -= length;
}

/* Fields that the caller made, without control bytes. */
static void put_fields(struct out *out, struct kb_span fields)
{
	if (fields.length == 0 || fields.length >= out->left)
		return;
	put(out, " ");
	for (size_t i = 0; i < fields.length; i++)
		put_byte(out, fields.at[i]);
	out->left -= fields.length;
}

static void put_number(struct out *out, const char *before, uint64_t value)
{
	char digits[24];
	struct kb_text text = kb_text_in(digits, sizeof(digits));

	kb_text_u64(&text, value);
	put(out, before);
	put(out, digits);
}

/* Counts here, so that a caller who writes an `o` line through kb_record_line is counted as the reader will count it. */
static void begin_line(struct out *out, struct kb_record_writer *writer, const char *word)
{
	struct kb_span span = { word, kb_strlen(word) };
	enum kb_line_kind kind = kb_record_word_kind(span, KB_RECORD_VERSION);

	out->writer = writer;
	out->covered = kind != KB_LINE_FOREIGN && kind != KB_LINE_END;
	out->left = KB_RECORD_LINE_MAX - 1;
	out->used = 0;
	kb_record_count(&writer->counts, span);
	put(out, word);
}

static void end_line(struct out *out)
{
	put_byte(out, '\n');
	flush(out);
}

void kb_record_begin(struct kb_record_writer *writer, struct kb_sink sink)
{
	struct out out;

	*writer = (struct kb_record_writer){ .sink = sink };
	begin_line(&out, writer, "kbench-record");
	put_number(&out, " ", KB_RECORD_VERSION);
	end_line(&out);
}

void kb_record_line(struct kb_record_writer *writer, const char *word, const char *rest)
{
	struct out out;

	begin_line(&out, writer, word);
	if (rest && rest[0]) {
		put(&out, " ");
		put(&out, rest);
	}
	end_line(&out);
}

/* Left out when empty: nearly all samples are undisturbed, and records are long. */
static void put_flags(struct out *out, unsigned flags)
{
	const char *before = " flags=";

	for (unsigned i = 0; i < KB_FLAGS; i++) {
		if (flags & 1u << i) {
			put(out, before);
			put(out, kb_flag_names[i]);
			before = ",";
		}
	}
}

/* " p=1352,1378" */
static void put_around(struct out *out, const struct kb_around *around)
{
	if (around->before == 0 && around->after == 0)
		return;
	put_number(out, " p=", around->before);
	put_number(out, ",", around->after);
}

/* " parts=74210:1352,70114" */
static void put_parts(struct out *out, const struct kb_obs *obs)
{
	for (unsigned i = 0; i < obs->part_count; i++) {
		put_number(out, i ? "," : " parts=", obs->parts[i].ticks);
		if (obs->parts[i].probe)
			put_number(out, ":", obs->parts[i].probe);
	}
}

void kb_record_obs(struct kb_record_writer *writer, const struct kb_obs *obs)
{
	const char word[2] = { (char)obs->role };
	struct out out;

	begin_line(&out, writer, word);
	put_number(&out, " ", obs->n);
	put_number(&out, " ", obs->ticks);
	put_number(&out, " t=", obs->t);
	put_number(&out, " k=", obs->block);
	put_number(&out, " cpu=", obs->cpu);
	put_around(&out, &obs->around);
	if (obs->twin > 0)
		put_number(&out, " twin=", obs->twin);
	put_flags(&out, obs->flags);
	put_parts(&out, obs);
	put_fields(&out, obs->extra);
	end_line(&out);
}

void kb_record_probe(struct kb_record_writer *writer, const struct kb_probe_line *probe)
{
	struct out out;

	begin_line(&out, writer, "p");
	put(&out, " ");
	put(&out, probe->name);
	put_number(&out, " ", probe->n);
	put_number(&out, " ", probe->ticks);
	put_number(&out, " k=", probe->block);
	put_around(&out, &probe->around);
	end_line(&out);
}

void kb_record_evidence(struct kb_record_writer *writer, const struct kb_evidence *evidence)
{
	struct out out;

	begin_line(&out, writer, evidence->base ? "eb" : "e");
	put(&out, " ");
	put(&out, evidence->counter);
	put_number(&out, " ", evidence->count);
	put_number(&out, " ", evidence->operations);
	put_number(&out, " ", evidence->samples);
	if (evidence->who[0] && !kb_streq(evidence->who, "self")) {
		put(&out, " who=");
		put(&out, evidence->who);
	}
	end_line(&out);
}

/* A blank, `before`, and the text as one word, clipped first to what the reader's field holds. */
static void put_quoted(struct out *out, const char *before, const char *string, size_t room)
{
	char clip[sizeof(((struct kb_line *)0)->fail.detail)];
	char quoted[4 * sizeof(clip) + 3]; /* each byte as \xHH, two quotes, the null byte */
	struct kb_text plain = kb_text_in(clip, sizeof(clip)), text = kb_text_in(quoted, sizeof(quoted));

	kb_text_bytes(&plain, string, kb_clipped(string, room - 1));
	kb_text_quoted(&text, clip);
	put(out, before);
	put(out, quoted);
}

void kb_record_note(struct kb_record_writer *writer, const char *code, const char *why)
{
	struct out out;

	begin_line(&out, writer, "note");
	put(&out, " ");
	put(&out, code);
	put_quoted(&out, " ", why, sizeof(((struct kb_line *)0)->fail.detail));
	end_line(&out);
}

void kb_record_fail(struct kb_record_writer *writer, const char *stage, int error, const char *detail)
{
	const struct kb_line *line = 0;
	/* Callers hold -errno or errno; the record has the positive number of errno.h. */
	uint64_t number = error < 0 ? 0 - (uint64_t)error : (uint64_t)error;
	struct out out;

	begin_line(&out, writer, "fail");
	put_quoted(&out, " stage=", stage, sizeof(line->fail.stage));
	put_number(&out, " errno=", number == KB_NO_ERRNO ? 0 : number);
	if (detail && detail[0])
		put_quoted(&out, " ", detail, sizeof(line->fail.detail));
	end_line(&out);
}

int kb_record_end(struct kb_record_writer *writer)
{
	char crc[16];
	struct kb_text hex = kb_text_in(crc, sizeof(crc));
	struct out out;

	/* Before the line begins: `end` is not part of what it covers. */
	kb_text_hex(&hex, writer->crc, 8);
	begin_line(&out, writer, "end");
	put_number(&out, " o=", writer->counts.observations);
	put_number(&out, " b=", writer->counts.bases);
	put_number(&out, " q=", writer->counts.singles);
	put_number(&out, " e=", writer->counts.evidence);
	put(&out, " crc=");
	put(&out, crc);
	end_line(&out);
	return writer->error;
}
