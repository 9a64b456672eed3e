/* What goes over the wire comes back the same; who has not the token is found out; what goes beyond a bound is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "partner/wire.h"

static unsigned char token[KB_TOKEN_BYTES], server[KB_NONCE_BYTES], client[KB_NONCE_BYTES];

static int make_bytes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 32; i++) {
		token[i] = (unsigned char)(i * 7 + 1);
		server[i] = (unsigned char)(i * 11 + 2);
		client[i] = (unsigned char)(i * 13 + 3);
	}
	return 0;
}

static void test_hello(void **state)
{
	unsigned char hello[KB_HELLO_BYTES], nonce[KB_NONCE_BYTES];
	enum kb_partner_status status;

	(void)state;
	kb_hello_write(hello, KB_PARTNER_BUSY, server);
	assert_true(kb_hello_read(hello, &status, nonce));
	assert_int_equal(status, KB_PARTNER_BUSY);
	assert_memory_equal(nonce, server, sizeof nonce);
	hello[6]++;
	assert_false(kb_hello_read(hello, &status, nonce));
}

/* The proof comes in pieces of every size. */
static void test_greeting(void **state)
{
	unsigned char proof[KB_PROOF_BYTES], expected[KB_HASH_BYTES], welcome[KB_WELCOME_BYTES];

	(void)state;
	kb_proof_write_client(token, server, client, proof, expected);
	for (size_t piece = 1; piece <= KB_PROOF_BYTES + 5; piece++) {
		struct kb_greeting greeting = { .have = 0 };
		enum kb_greeted got = KB_GREETED_MORE;

		memcpy(greeting.nonce, server, sizeof server);
		for (size_t at = 0; at < KB_PROOF_BYTES; at += piece) {
			assert_int_equal(got, KB_GREETED_MORE);
			got = kb_greeting_take(&greeting, token, proof + at, KB_PROOF_BYTES - at < piece ? KB_PROOF_BYTES - at : piece, welcome);
		}
		assert_int_equal(got, KB_GREETED_RIGHT);
		assert_int_equal(kb_welcome_read(welcome, expected), KB_PARTNER_OK);
	}
}

static enum kb_greeted greet(const unsigned char *with, const unsigned char *nonce, const unsigned char *proof, unsigned char *welcome)
{
	struct kb_greeting greeting = { .have = 0 };

	memcpy(greeting.nonce, nonce, KB_NONCE_BYTES);
	return kb_greeting_take(&greeting, with, proof, KB_PROOF_BYTES, welcome);
}

static void test_wrong_token(void **state)
{
	unsigned char proof[KB_PROOF_BYTES], expected[KB_HASH_BYTES], welcome[KB_WELCOME_BYTES], other[32];

	(void)state;
	kb_proof_write_client(token, server, client, proof, expected);
	for (size_t i = 0; i < 8 * KB_PROOF_BYTES; i++) {
		proof[i / 8] ^= (unsigned char)(1u << i % 8);
		assert_int_equal(greet(token, server, proof, welcome), KB_GREETED_WRONG);
		assert_int_equal(kb_welcome_read(welcome, expected), KB_PARTNER_TOKEN);
		proof[i / 8] ^= (unsigned char)(1u << i % 8);
	}
	memcpy(other, token, sizeof other);
	other[31]++;
	assert_int_equal(greet(other, server, proof, welcome), KB_GREETED_WRONG);
	/* What was heard once is of no use again. */
	memcpy(other, server, sizeof other);
	other[0]++;
	assert_int_equal(greet(token, other, proof, welcome), KB_GREETED_WRONG);
	/* A server without the token cannot say that it has it, nor give back what the client sent. */
	kb_welcome_write(welcome, KB_PARTNER_OK, proof + KB_NONCE_BYTES);
	assert_int_equal(kb_welcome_read(welcome, expected), KB_PARTNER_TOKEN);
}

static bool passes(struct kb_request request)
{
	unsigned char bytes[KB_REQUEST_BYTES];
	struct kb_request back;

	kb_request_write(&request, bytes);
	if (!kb_request_read(bytes, &back))
		return false;
	assert_int_equal(back.verb, request.verb);
	assert_int_equal(back.kind, request.kind);
	assert_int_equal(back.bytes, request.bytes);
	assert_int_equal(back.buffer, request.buffer);
	assert_int_equal(back.n, request.n);
	assert_int_equal(back.ends, request.ends);
	return true;
}

static void test_requests(void **state)
{
	(void)state;
	assert_true(passes((struct kb_request){ KB_REQUEST_OPEN, KB_ECHO_TCP, 1, 0, 0, false }));
	assert_true(passes((struct kb_request){ KB_REQUEST_OPEN, KB_STREAM_TCP, 1 << 20, 1 << 26, 0, false }));
	assert_true(passes((struct kb_request){ KB_REQUEST_OPEN, KB_STREAM_UDP, 32768, 0, 0, false }));
	assert_true(passes((struct kb_request){ KB_REQUEST_OPEN, KB_ACCEPTS, 0, 0, 0, false }));
	assert_true(passes((struct kb_request){ KB_REQUEST_ROUND, KB_ECHO_TCP, 0, 0, 5, true }));
	assert_true(passes((struct kb_request){ KB_REQUEST_COUNT, KB_ECHO_TCP, 0, 0, 0, false }));
	assert_false(passes((struct kb_request){ KB_REQUEST_OPEN, KB_ECHO_TCP, 0, 0, 0, false }));
	assert_false(passes((struct kb_request){ KB_REQUEST_OPEN, KB_ECHO_TCP, (1 << 20) + 1, 0, 0, false }));
	assert_false(passes((struct kb_request){ KB_REQUEST_OPEN, KB_ECHO_UDP, 32769, 0, 0, false }));
	assert_false(passes((struct kb_request){ KB_REQUEST_OPEN, KB_STREAM_TCP, 63, 0, 0, false }));
	assert_false(passes((struct kb_request){ KB_REQUEST_OPEN, KB_STREAM_TCP, 64, 1, 0, false }));
	assert_false(passes((struct kb_request){ KB_REQUEST_OPEN, KB_STREAM_TCP, 64, UINT64_MAX, 0, false }));
	assert_false(passes((struct kb_request){ KB_REQUEST_OPEN, KB_SERVED_KINDS, 64, 0, 0, false }));
	assert_false(passes((struct kb_request){ KB_REQUEST_ROUND, KB_ECHO_TCP, 0, 0, 0, false }));
	assert_false(passes((struct kb_request){ KB_REQUEST_ROUND, KB_ECHO_TCP, 0, 0, UINT64_MAX, false }));
	assert_false(passes((struct kb_request){ (enum kb_request_verb)0, KB_ECHO_TCP, 0, 0, 0, false }));
	assert_false(passes((struct kb_request){ (enum kb_request_verb)4, KB_ECHO_TCP, 0, 0, 0, false }));
}

static void test_answers(void **state)
{
	struct kb_answer answer = { KB_PARTNER_LOST, 65535, "0123456789abcde", { 1, 2, 3, 4, 5, 6, UINT64_MAX } }, back;
	unsigned char bytes[KB_ANSWER_BYTES];

	(void)state;
	kb_answer_write(&answer, bytes);
	assert_true(kb_answer_read(bytes, &back));
	assert_int_equal(back.status, answer.status);
	assert_int_equal(back.port, 65535);
	assert_memory_equal(back.cookie, answer.cookie, sizeof back.cookie);
	assert_memory_equal(&back.counts, &answer.counts, sizeof back.counts);
	bytes[13] = 1;
	assert_false(kb_answer_read(bytes, &back));
	for (int status = 0; status < KB_PARTNER_STATUSES; status++)
		assert_non_null(kb_partner_reason((enum kb_partner_status)status));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hello), cmocka_unit_test(test_greeting), cmocka_unit_test(test_wrong_token), cmocka_unit_test(test_requests),
		cmocka_unit_test(test_answers),
	};

	return cmocka_run_group_tests(tests, make_bytes, NULL);
}
