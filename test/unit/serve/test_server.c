/*
 * A real server over the loopback: who is served and who is not, what each is told, what it counts, and that nothing is left of anybody. The
 * other side is played by hand, so that it can do wrong. Afterwards the server has as many descriptors and children as before.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/units.h"
#include "partner/message.h"
#include "serve/server.h"

static struct kb_serve_options options;
static struct kb_server server;
static pid_t child;
static int report[2];           /* of the child: what it served */

static void start(unsigned connections, const char *allow, uint64_t time_ns)
{
	char error[256];

	options = (struct kb_serve_options){ .address = "127.0.0.1", .connections = connections, .time_ns = time_ns, .token = "a token of 31 bytes and a null" };
	if (allow)
		assert_int_equal(kb_allow_parse(&options.allow, allow, error), 0);
	if (kb_server_open(&server, &options, error))
		fail_msg("%s", error);
	assert_int_equal(pipe(report), 0);
	child = fork();
	if (child == 0) {
		int number = kb_server_run(&server);

		kb_server_close(&server);
		_exit(write(report[1], &server.served, sizeof server.served) == sizeof server.served ? number : 99);
	}
	close(report[1]);
}

static struct kb_served stop(int number, int wanted)
{
	struct kb_served served;
	int status;

	if (number)
		kill(child, number);
	assert_int_equal(read(report[0], &served, sizeof served), sizeof served);
	close(report[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), wanted);
	kb_server_close(&server);
	return served;
}

static int dial(unsigned port)
{
	struct timeval limit = { 8, 0 };
	struct kb_address at = server.at;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (port)
		kb_address_set_port(&at, port);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
	assert_int_equal(connect(fd, (struct sockaddr *)&at.at, at.bytes), 0);
	return fd;
}

static bool get(int fd, void *bytes, size_t count)
{
	return recv(fd, bytes, count, MSG_WAITALL) == (ssize_t)count;
}

static void put(int fd, const void *bytes, size_t count)
{
	assert_int_equal(send(fd, bytes, count, MSG_NOSIGNAL), count);
}

static enum kb_partner_status hello(int fd, unsigned char nonce[KB_NONCE_BYTES])
{
	unsigned char bytes[KB_HELLO_BYTES];
	enum kb_partner_status status;

	assert_true(get(fd, bytes, sizeof bytes));
	assert_true(kb_hello_read(bytes, &status, nonce));
	return status;
}

static enum kb_partner_status greet(int fd, const unsigned char *token)
{
	unsigned char nonce[KB_NONCE_BYTES], proof[KB_PROOF_BYTES], expected[KB_HASH_BYTES], welcome[KB_WELCOME_BYTES];
	enum kb_partner_status status = hello(fd, nonce);

	if (status)
		return status;
	kb_proof_write_client(token, nonce, (const unsigned char *)"no chance of thirty-two bytes...", proof, expected);
	put(fd, proof, sizeof proof);
	assert_true(get(fd, welcome, sizeof welcome));
	return kb_welcome_read(welcome, expected);
}

static bool ask(int fd, struct kb_request request, struct kb_answer *answer)
{
	unsigned char bytes[KB_REQUEST_BYTES], back[KB_ANSWER_BYTES];

	kb_request_write(&request, bytes);
	put(fd, bytes, sizeof bytes);
	return get(fd, back, sizeof back) && kb_answer_read(back, answer);
}

static unsigned entries(const char *what)
{
	char path[64];
	unsigned count = 0;

	snprintf(path, sizeof path, "/proc/%d/%s", child, what);
	DIR *directory = opendir(path);

	while (directory && readdir(directory))
		count++;
	if (directory)
		closedir(directory);
	return count;
}

static bool has_children(void)
{
	char path[64], text[64] = "";
	FILE *file;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", child, child);
	file = fopen(path, "r");
	bool any = file && fgets(text, sizeof text, file) && text[0];

	if (file)
		fclose(file);
	return any;
}

/* For seconds: what ended is cleared up in its own time. */
static void expect_clean(unsigned descriptors)
{
	for (unsigned i = 0; i < 200 && (entries("fd") != descriptors || has_children()); i++)
		usleep(50000);
	assert_int_equal(entries("fd"), descriptors);
	assert_false(has_children());
}

/* ---- who ------------------------------------------------------------------------------------------------------ */

static void test_refused(void **state)
{
	unsigned char other[KB_TOKEN_BYTES] = "another token of thirty bytes.", nonce[KB_NONCE_BYTES];
	unsigned descriptors;
	int fds[8];

	(void)state;
	start(1, NULL, 60 * KB_S);
	usleep(100000);
	descriptors = entries("fd");
	fds[0] = dial(0);
	assert_int_equal(greet(fds[0], other), KB_PARTNER_TOKEN);
	close(fds[0]);
	fds[0] = dial(0);               /* leaves in the middle of it */
	hello(fds[0], nonce);
	put(fds[0], nonce, 31);
	close(fds[0]);
	expect_clean(descriptors);
	for (unsigned i = 0; i < 5; i++)
		fds[i] = dial(0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(hello(fds[i], nonce), KB_PARTNER_OK);
	assert_int_equal(hello(fds[4], nonce), KB_PARTNER_BUSY);        /* four that say nothing are enough of one address */
	for (unsigned i = 0; i < 5; i++) {
		char end;

		assert_int_equal(recv(fds[i], &end, 1, 0), 0);          /* and these wait for three seconds */
		close(fds[i]);
	}
	fds[0] = dial(0);
	assert_int_equal(greet(fds[0], options.token), KB_PARTNER_OK);
	fds[1] = dial(0);
	assert_int_equal(greet(fds[1], options.token), KB_PARTNER_BUSY);
	close(fds[0]);
	close(fds[1]);
	expect_clean(descriptors);

	struct kb_served served = stop(SIGTERM, SIGTERM);

	assert_int_equal(served.sessions, 1);
	assert_int_equal(served.refused[KB_PARTNER_TOKEN], 1);
	assert_int_equal(served.refused[KB_PARTNER_LATE], 5);
	assert_int_equal(served.refused[KB_PARTNER_BUSY], 2);
}

static void test_not_allowed(void **state)
{
	unsigned char nonce[KB_NONCE_BYTES];

	(void)state;
	start(1, "192.0.2.0/24", 5 * KB_S);
	int fd = dial(0);

	assert_int_equal(hello(fd, nonce), KB_PARTNER_ADDRESS);
	close(fd);
	assert_int_equal(stop(0, 0).refused[KB_PARTNER_ADDRESS], 1);    /* its time is up by itself */
}

/* ---- what ------------------------------------------------------------------------------------------------------ */

/* The place of who has just left is free when the server has seen that its process ended, which is a moment later. */
static int begin(struct kb_request request, struct kb_answer *answer)
{
	enum kb_partner_status status = KB_PARTNER_BUSY;
	int fd = -1;

	for (unsigned i = 0; i < 100 && status == KB_PARTNER_BUSY; i++) {
		if (fd >= 0) {
			close(fd);
			usleep(50000);
		}
		fd = dial(0);
		status = greet(fd, options.token);
	}
	assert_int_equal(status, KB_PARTNER_OK);
	assert_true(ask(fd, request, answer));
	return fd;
}

static void test_echo(void **state)
{
	struct kb_answer answer;
	unsigned char message[100], cookie[KB_COOKIE_BYTES] = { 0 }, bytes[KB_ANSWER_BYTES];

	(void)state;
	start(2, NULL, 60 * KB_S);
	int control = begin((struct kb_request){ .verb = KB_REQUEST_OPEN, .kind = KB_ECHO_TCP, .bytes = sizeof message }, &answer);

	assert_int_equal(answer.status, KB_PARTNER_OK);
	int stranger = dial(answer.port), data;

	put(stranger, cookie, sizeof cookie);
	data = dial(answer.port);
	put(data, answer.cookie, sizeof answer.cookie);
	assert_true(get(control, bytes, sizeof bytes));
	assert_false(get(stranger, cookie, 1));
	assert_true(ask(control, (struct kb_request){ .verb = KB_REQUEST_ROUND, .n = 3 }, &answer));
	for (uint64_t i = 0; i < 3; i++) {
		memset(message, 7, sizeof message);
		kb_message_stamp(message, sizeof message, i);
		put(data, message, sizeof message);
		assert_true(get(data, message, sizeof message));
		assert_true(kb_message_holds(message, sizeof message, ~i));
	}
	assert_true(ask(control, (struct kb_request){ .verb = KB_REQUEST_COUNT }, &answer));
	assert_int_equal(answer.counts.messages, 3);
	assert_int_equal(answer.counts.bytes, 300);
	assert_true(ask(control, (struct kb_request){ .verb = KB_REQUEST_ROUND, .n = 1 }, &answer));
	kb_message_stamp(message, sizeof message, 4);                   /* one is left out */
	put(data, message, sizeof message);
	assert_true(get(control, bytes, sizeof bytes));
	assert_true(kb_answer_read(bytes, &answer));
	assert_int_equal(answer.status, KB_PARTNER_REQUEST);
	assert_false(get(control, bytes, 1));                           /* else it could be killed before it has told why it ended */
	close(control);
	close(data);
	close(stranger);

	struct kb_served served = stop(SIGINT, SIGINT);

	assert_int_equal(served.counts.messages, 3);
	assert_int_equal(served.refused[KB_PARTNER_REQUEST], 1);
}

static void test_ends(void **state)
{
	struct kb_answer answer;
	uint64_t ports = 0;
	int fds[3];

	(void)state;
	start(2, NULL, 60 * KB_S);
	int control = begin((struct kb_request){ .verb = KB_REQUEST_OPEN, .kind = KB_ACCEPTS }, &answer);
	unsigned port = answer.port;

	assert_true(ask(control, (struct kb_request){ .verb = KB_REQUEST_ROUND, .n = 3 }, &answer));
	for (unsigned i = 0; i < 3; i++) {
		struct kb_address here = { .bytes = sizeof here.at };

		fds[i] = dial(port);
		getsockname(fds[i], (struct sockaddr *)&here.at, &here.bytes);
		ports += kb_address_port(&here);
	}
	assert_true(ask(control, (struct kb_request){ .verb = KB_REQUEST_COUNT }, &answer));
	assert_int_equal(answer.counts.connections, 3);
	assert_int_equal(answer.counts.ports, ports);
	assert_true(ask(control, (struct kb_request){ .verb = KB_REQUEST_ROUND, .n = 3, .ends = true }, &answer));
	setsockopt(fds[2], SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger));
	for (unsigned i = 0; i < 3; i++)
		close(fds[i]);
	assert_true(ask(control, (struct kb_request){ .verb = KB_REQUEST_COUNT }, &answer));
	assert_int_equal(answer.counts.finished, 2);
	assert_int_equal(answer.counts.aborted, 1);
	close(control);
	assert_int_equal(stop(SIGTERM, SIGTERM).counts.connections, 3);
}

/* Each is told so, and ends. */
static void test_bad_requests(void **state)
{
	static const struct kb_request bad[] = {
		{ .verb = KB_REQUEST_ROUND, .n = 1 }, { .verb = KB_REQUEST_OPEN, .kind = KB_ECHO_TCP, .bytes = 0 },
		{ .verb = KB_REQUEST_OPEN, .kind = KB_STREAM_TCP, .bytes = UINT64_MAX }, { .verb = (enum kb_request_verb)9 },
	};
	struct kb_answer answer;
	char end;

	(void)state;
	start(2, NULL, 60 * KB_S);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		int fd = begin(bad[i], &answer);

		assert_int_equal(answer.status, KB_PARTNER_REQUEST);
		assert_int_equal(recv(fd, &end, 1, 0), 0);
		close(fd);
	}
	assert_int_equal(stop(SIGTERM, SIGTERM).refused[KB_PARTNER_REQUEST], sizeof bad / sizeof bad[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused), cmocka_unit_test(test_not_allowed), cmocka_unit_test(test_echo), cmocka_unit_test(test_ends),
		cmocka_unit_test(test_bad_requests),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
