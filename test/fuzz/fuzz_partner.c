/* Any bytes as what a client sends to kbench serve, and as what a server answers: nothing passes for a proof, and what is accepted is in bounds
   and writes back as the same bytes. */
#include "fuzz.h"

#include "partner/wire.h"

static void greet(const uint8_t *data, size_t size)
{
	static const unsigned char token[KB_TOKEN_BYTES] = "a token that the input has not";
	unsigned char welcome[KB_WELCOME_BYTES], digits[KB_TOKEN_BYTES];
	struct kb_greeting greeting = { .have = 0 };
	enum kb_greeted got = KB_GREETED_MORE;

	for (size_t at = 0; at < size && got == KB_GREETED_MORE; at += 1 + data[at] % 9)
		got = kb_greeting_take(&greeting, token, data + at, size - at < 9 ? size - at : 9, welcome);
	require(got != KB_GREETED_RIGHT);
	kb_token_parse((const char *)data, size, digits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_request request;
	struct kb_answer answer;
	unsigned char bytes[KB_ANSWER_BYTES] = { 0 }, back[KB_ANSWER_BYTES];

	greet(data, size);
	memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
	if (kb_request_read(bytes, &request)) {
		require(request.verb != KB_REQUEST_OPEN || request.bytes <= KB_SERVED_BYTES_MAX);
		kb_request_write(&request, back);
		require(memcmp(bytes, back, KB_REQUEST_BYTES) == 0);
	}
	if (kb_answer_read(bytes, &answer)) {
		kb_answer_write(&answer, back);
		require(memcmp(bytes, back, KB_ANSWER_BYTES - 8) == 0);
	}
	return 0;
}
