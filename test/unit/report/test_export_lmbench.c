/* lmbench's summary of fixed runs: the whole page, which results stand on it, and what it says of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "unit/report/exported.h"
#include "unit/report/fixed.h"

/* ns, give or take percent. */
static struct kb_result result_of(const char *benchmark, const char *params, double ns, double percent, enum kb_status status)
{
	struct kb_result result = fixed_pipe();

	snprintf(result.benchmark, sizeof result.benchmark, "%s", benchmark);
	snprintf(result.params, sizeof result.params, "%s", params);
	result.verdict = (struct kb_verdict){ .status = status };
	result.estimate = (struct kb_estimate){ ns, ns * (1 - percent / 100), ns * (1 + percent / 100), true, percent > 0 };
	result.bytes_per_op = 0;
	return result;
}

static struct kb_result moving(struct kb_result result, uint64_t bytes)
{
	result.bytes_per_op = bytes;
	return result;
}

static char *page_of(const struct kb_result *ours, size_t count, const struct kb_result *theirs, size_t their_count)
{
	struct kb_exported rows[16], their_rows[16];
	json_t *run = json_pack("{s:s}", "label", "mine"), *their_run = json_pack("{s:s}", "label", "");
	json_t *env = json_pack("{s:{s:s, s:s}, s:{}}", "facts", "kernel", "6.1.0-44", "line_size", "64", "readings");
	json_t *their_env = json_pack("{s:{s:s, s:s}, s:{s:s}}", "facts", "machine", "olddevice", "arch", "i686", "readings", "kernel", "2.6.32");
	struct kb_export further = { .run = their_run, .env = their_env, .rows = their_rows, .count = their_count };
	struct kb_export all = { .run = run, .env = env, .rows = rows, .count = count, .further = &further, .further_count = their_count > 0 };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	for (size_t i = 0; i < count; i++)
		rows[i] = (struct kb_exported){ .result = &ours[i] };
	for (size_t i = 0; i < their_count; i++)
		their_rows[i] = (struct kb_exported){ .result = &theirs[i] };
	assert_int_equal(kb_export_write(out, format_of("lmbench"), &all), 0);
	fclose(out);
	json_decref(run);
	json_decref(env);
	json_decref(their_run);
	json_decref(their_env);
	return text;
}

static const char page[] =
	"                 L M B E N C H   S U M M A R Y\n"
	"\n"
	"Basic system parameters\n"
	"------------------------------------------------------------------------------\n"
	"Host                 OS Description              Mhz  tlb  cache  mem   scal\n"
	"                                                     pages line   par   load\n"
	"                                                           bytes  \n"
	"--------- ------------- ----------------------- ---- ----- ----- ------ ----\n"
	"kbench    Linux 6.1.0-4                    mine 4000          64\n"
	"\n"
	"Processor, Processes - times in microseconds - smaller is better\n"
	"------------------------------------------------------------------------------\n"
	"Host                 OS  Mhz null null      open slct sig  sig  fork exec sh  \n"
	"                             call  I/O stat clos TCP  inst hndl proc proc proc\n"
	"--------- ------------- ---- ---- ---- ---- ---- ---- ---- ---- ---- ---- ----\n"
	"kbench    Linux 6.1.0-4 4000 0.10 0.15~          5.34\n"
	"olddevice  Linux 2.6.32      0.25\n"
	"\n"
	"Basic integer operations - times in nanoseconds - smaller is better\n"
	"-------------------------------------------------------------------\n"
	"Host                 OS  intgr intgr  intgr  intgr  intgr\n"
	"                          bit   add    mul    div    mod\n"
	"--------- ------------- ------ ------ ------ ------ ------\n"
	"kbench    Linux 6.1.0-4         0.250*\n"
	"\n"
	"Basic uint64 operations - times in nanoseconds - smaller is better\n"
	"------------------------------------------------------------------\n"
	"Host                 OS int64  int64  int64  int64  int64\n"
	"                         bit    add    mul    div    mod\n"
	"--------- ------------- ------ ------ ------ ------ ------\n"
	"kbench    Linux 6.1.0-4         0.250*\n"
	"\n"
	"*Local* Communication latencies in microseconds - smaller is better\n"
	"---------------------------------------------------------------------\n"
	"Host                 OS 2p/0K  Pipe AF     UDP  RPC/   TCP  RPC/ TCP\n"
	"                        ctxsw       UNIX         UDP         TCP conn\n"
	"--------- ------------- ----- ----- ---- ----- ----- ----- ----- ----\n"
	"kbench    Linux 6.1.0-4       2.412\n"
	"olddevice  Linux 2.6.32       8.413      2345K\n"
	"\n"
	"*Local* Communication bandwidths in MB/s - bigger is better\n"
	"-----------------------------------------------------------------------------\n"
	"Host                OS  Pipe AF    TCP  File   Mmap  Bcopy  Bcopy  Mem   Mem\n"
	"                             UNIX      reread reread (libc) (hand) read write\n"
	"--------- ------------- ---- ---- ---- ------ ------ ------ ------ ---- -----\n"
	"kbench    Linux 6.1.0-4                               10000?\n"
	"\n"
	"~ noisy   ? unverified   * no 95 % CI   widest 95 % CI: +-7 %, of sys.write_null\n"
	"Numbers that lmbench measured have no CI and no verdict.\n"
	"An empty cell: no result measures it. 'kbench show' prints each number with its CI; doc/lmbench.md states where the two differ.\n";

static void the_page_of_two_runs(void **state)
{
	struct kb_result theirs[] = {
		result_of("lmbench.lat_syscall", "call=null", 250, 0, KB_UNVERIFIED),
		result_of("lmbench.lat_pipe", "", 8413, 0, KB_UNVERIFIED),
		result_of("lmbench.lat_udp", "", 2345.4e6, 0, KB_UNVERIFIED),   /* a second and more: thousands of us */
	};
	struct kb_result ours[] = {
		result_of("sys.null", "", 100, 1, KB_OK),
		result_of("sys.read_zero", "bytes=1", 160, 2, KB_OK), result_of("sys.write_null", "", 140, 7, KB_NOISY),
		result_of("sys.select", "fds=100 ready=0 kind=tcp", 1000, 1, KB_OK),
		result_of("sys.select", "fds=10 ready=100 kind=tcp", 600, 1, KB_OK),
		result_of("sys.select", "fds=100 ready=100 kind=tcp", 5340, 1, KB_OK),
		result_of("ipc.pipe_latency", "placement=idle-cpu bytes=1", 9000, 1, KB_OK),
		result_of("ipc.pipe_latency", "placement=same-cpu bytes=1", 2412.25, 1, KB_OK),
		moving(result_of("mem.bw_bcopy", "size=16K pages=huge", 100, 1, KB_OK), 16384),
		moving(result_of("mem.bw_bcopy", "size=64M pages=huge", 6710886.4, 1, KB_OK), 64 << 20),
		moving(result_of("mem.bw_bcopy", "size=128M pages=huge", 13421772.8, 1, KB_UNVERIFIED), 128 << 20),
		result_of("cpu.op_latency", "op=add", 0.25, 0, KB_OK),
		result_of("fp.none", "", 5, 1, KB_OK),
		result_of("sys.stat", "depth=1", 0, 1, KB_INVALID),
	};
	char *text;

	(void)state;
	ours[11].estimate_cycles = (struct kb_estimate){ 1, 1, 1, true, true };
	text = page_of(ours, sizeof ours / sizeof *ours, theirs, 3);
	assert_string_equal(text, page);
	free(text);
}

static void latencies_of_memory_are_those_of_its_levels(void **state)
{
	struct kb_result ours[] = {
		result_of("mem.latency", "size=4K order=local stride=64 pages=huge", 9, 1, KB_OK),
		result_of("mem.latency", "size=16K order=local stride=64 pages=huge", 1, 1, KB_OK),
		result_of("mem.latency", "size=16K order=random stride=64 pages=huge", 8, 1, KB_OK),
		result_of("mem.latency", "size=256K order=local stride=64 pages=huge", 3.5, 1, KB_OK),
		result_of("mem.latency", "size=64M order=local stride=64 pages=huge", 95.2, 1, KB_OK),
		result_of("mem.latency", "size=64M order=random stride=64 pages=huge", 131, 1, KB_OK),
	}, theirs[] = {
		result_of("lmbench.lat_mem_rd", "size=1K order=forward stride=128", 1.25, 0, KB_UNVERIFIED),
		result_of("lmbench.lat_mem_rd", "size=64M order=forward stride=128", 12, 0, KB_UNVERIFIED),
	};
	char *text = page_of(ours, sizeof ours / sizeof *ours, theirs, 2);

	(void)state;
	contains(text, "\nkbench    Linux 6.1.0-4        1.000  3.500        95.2         131\n"
		       "olddevice  Linux 2.6.32        1.250               12.0\n");
	free(text);
}

static void no_page_without_a_cell(void **state)
{
	struct kb_result none = result_of("fp.none", "", 5, 1, KB_OK);
	int error;

	(void)state;
	free(exported(format_of("lmbench"), &none, 1, &error));
	assert_int_equal(error, -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_of_two_runs), cmocka_unit_test(latencies_of_memory_are_those_of_its_levels),
		cmocka_unit_test(no_page_without_a_cell),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
