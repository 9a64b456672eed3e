/* The record's `proof` line. */
#include <stddef.h>
#include <stdio.h>

#include "base/text.h"
#include "evidence/proof.h"

#define LINE_MAX_BYTES 640

static const struct { const char *key; size_t at; } numbers[] = {
	{ "n", offsetof(struct kb_proof, operations) },
	{ "calls", offsetof(struct kb_proof, op.made) }, { "own", offsetof(struct kb_proof, op.own) }, { "failed", offsetof(struct kb_proof, op.failed) },
	{ "transfers", offsetof(struct kb_proof, op.transfers) }, { "bytes", offsetof(struct kb_proof, op.bytes) },
	{ "changes", offsetof(struct kb_proof, op.changes) }, { "tasks", offsetof(struct kb_proof, op.tasks) },
	{ "base_calls", offsetof(struct kb_proof, base.own) }, { "base_failed", offsetof(struct kb_proof, base.failed) },
};

#define NUMBERS (sizeof numbers / sizeof numbers[0])

void kb_proof_write(const struct kb_proof *proof, struct kb_record_writer *out)
{
	char line[LINE_MAX_BYTES], word[64];
	struct kb_text text = kb_text_in(line, sizeof line);

	for (size_t i = 0; i < NUMBERS; i++) {
		const uint64_t *number = (const uint64_t *)((const char *)proof + numbers[i].at);

		snprintf(word, sizeof word, "%s%s=%llu", i ? " " : "", numbers[i].key, (unsigned long long)*number);
		kb_text_str(&text, word);
	}
	kb_text_str(&text, proof->counts_bytes ? " all_bytes=1" : " all_bytes=0");
	if (proof->error[0]) {
		snprintf(word, sizeof word, " error=%s call=%s", proof->error, proof->call);
		kb_text_str(&text, word);
	}
	if (proof->left[0]) {
		kb_text_str(&text, " left=");
		kb_text_quoted(&text, proof->left);
	}
	kb_record_line(out, "proof", line);
}

bool kb_proof_read(struct kb_span rest, struct kb_proof *proof)
{
	uint64_t all = 1;

	*proof = (struct kb_proof){ .operations = 0 };
	for (size_t i = 0; i < NUMBERS; i++)
		kb_record_field_u64(rest, numbers[i].key, (uint64_t *)((char *)proof + numbers[i].at));
	kb_record_field_u64(rest, "all_bytes", &all);
	proof->counts_bytes = all != 0;
	if (kb_record_field(rest, "error", proof->error, sizeof proof->error) < 0)
		proof->error[0] = '\0';
	if (kb_record_field(rest, "call", proof->call, sizeof proof->call) < 0)
		proof->call[0] = '\0';
	if (kb_record_field(rest, "left", proof->left, sizeof proof->left) < 0)
		proof->left[0] = '\0';
	return proof->operations > 0;
}
