/* What traced children leave behind, and the record's line of a proof. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "evidence/proof.h"

#define LIMIT_NS UINT64_C(10000000000)

static int circles(uint64_t n)
{
	kb_proof_mark(KB_PROOF_OP, n);
	kb_proof_mark(KB_PROOF_OP_TWICE, 2 * n);
	kb_proof_mark(KB_PROOF_APART, 0);
	return 0;
}

/* Sandboxes may refuse ptrace: then there is nothing to test. */
static void make(const struct kb_proof_request *request, struct kb_proof *proof)
{
	int error = kb_proof_make(request, proof);

	if (error == -EPERM)
		skip();
	assert_int_equal(error, 0);
}

static char directory[] = "/tmp/kbench-proof-XXXXXX";

static int leaving(void *context, uint64_t n)
{
	char path[64];

	snprintf(path, sizeof path, "%s/file", directory);
	close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	if (context)
		unlink(path);
	return circles(n);
}

static int leaving_segment(void *context, uint64_t n)
{
	(void)context;
	shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	return circles(n);
}

#define SOCKET "/tmp/kbench-test-socket"

static int leaving_queue(void *context, uint64_t n)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = SOCKET };

	(void)context;
	mq_close(mq_open("/kbench-test", O_CREAT | O_RDWR, 0600, NULL));
	bind(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (struct sockaddr *)&address, sizeof address);
	return circles(n);
}

/* By its size, and that nobody lives who made it or has it. */
static void remove_segment_of_children(void)
{
	struct shmid_ds status;
	struct shm_info info;
	int most = shmctl(0, SHM_INFO, (struct shmid_ds *)(void *)&info);

	for (int i = 0; i <= most; i++) {
		int id = shmctl(i, SHM_STAT, &status);

		if (id >= 0 && status.shm_segsz == 4096 && kill(status.shm_cpid, 0) && status.shm_nattch == 0)
			shmctl(id, IPC_RMID, NULL);
	}
}

static void test_left(void **state)
{
	struct kb_proof_request request = { leaving, NULL, 3, LIMIT_NS, NULL, NULL, 0 };
	struct kb_proof proof;
	char path[64];

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/file", directory);
	make(&request, &proof);
	assert_string_equal(proof.left, path);
	make(&request, &proof);
	assert_string_equal(proof.left, ""); /* it was there before */
	unlink(path);
	request.scratch = directory;
	make(&request, &proof);
	assert_string_equal(proof.left, ""); /* there it may */
	unlink(path);
	request.scratch = "/tmp/kbench-proof"; /* the beginning of a name is no directory */
	make(&request, &proof);
	assert_string_equal(proof.left, path);
	unlink(path);
	request.context = &request;
	make(&request, &proof);
	assert_string_equal(proof.left, ""); /* removed in the end */
	rmdir(directory);
	request.traced = leaving_segment;
	make(&request, &proof);
	assert_string_equal(proof.left, "a segment of shared memory");
	remove_segment_of_children();
	request.traced = leaving_queue;
	make(&request, &proof);
	assert_string_equal(proof.left, "the message queue /kbench-test and 1 more");
	assert_int_equal(mq_unlink("/kbench-test"), 0);
	assert_int_equal(unlink(SOCKET), 0);
}

/* ---- the line ------------------------------------------------------------------------------------ */

static char text[2048];
static size_t length;

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	memcpy(text + length, bytes, count);
	length += count;
	text[length] = '\0';
	return 0;
}

static void test_line(void **state)
{
	struct kb_proof proof = { { 64, 60, 3, 5, 700, 2, 4 }, { 0, 1, 6, 0, 0, 0, 0 }, 64, false, "EAGAIN", "read", "/tmp/a b and 1 more", 0 }, back;
	struct kb_record_writer out;

	(void)state;
	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	length = 0;
	kb_proof_write(&proof, &out);
	const char *line = strstr(text, "proof ") + strlen("proof ");

	assert_true(kb_proof_read((struct kb_span){ line, strcspn(line, "\n") }, &back));
	assert_int_equal(back.op.made, 64);
	assert_int_equal(back.op.failed, 3);
	assert_int_equal(back.op.transfers, 5);
	assert_int_equal(back.op.bytes, 700);
	assert_int_equal(back.op.changes, 2);
	assert_int_equal(back.op.tasks, 4);
	assert_int_equal(back.op.own, 60);
	assert_int_equal(back.base.own, 1);
	assert_int_equal(back.base.failed, 6);
	assert_int_equal(back.operations, 64);
	assert_false(back.counts_bytes);
	assert_string_equal(back.error, "EAGAIN");
	assert_string_equal(back.call, "read");
	assert_string_equal(back.left, "/tmp/a b and 1 more");
	assert_false(kb_proof_read((struct kb_span){ "calls=4", 7 }, &back));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_left), cmocka_unit_test(test_line) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
