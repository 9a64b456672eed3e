/*
 * The run time of translated programs, on one written out as the translation writes it: the page-fault program of the
 * language's section 15 for x86-64, without its evictions. What is called runs on x86-64 only.
 */
#include "helpers.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "code/program.h"

/* PR_SET_MDWE of Linux 6.3, which older headers lack. */
enum { SET_MDWE = 65 };

/* ---- the program --------------------------------------------------------------------------------- */

typedef void (*touch_func_t)(unsigned char **);

static int num_pages, unroll_degree = 4;
static unsigned char narrow = 7;
static double scale = 1.5;
static char *file_name;

enum order { ORDER_SORTED, ORDER_RANDOM };
static enum order order;

static const struct kb_yamba_constant orders[] = {
	{ "ORDER_SORTED", ORDER_SORTED }, { "ORDER_RANDOM", ORDER_RANDOM }, { NULL, 0 }
};

#define PARAM(of, its_type, its_set, ...) \
	{ .name = #of, .summary = "comment of " #of, .class_name = "P", .file = "p.yamba", .line = 3, .type = its_type, \
	  .bytes = sizeof(of), .set = its_set, .at = &of, .constants = __VA_ARGS__ }

static struct kb_yamba_param params[] = {
	PARAM(num_pages, KB_YAMBA_SIGNED, false, NULL), PARAM(unroll_degree, KB_YAMBA_SIGNED, true, NULL),
	PARAM(narrow, KB_YAMBA_UNSIGNED, true, NULL), PARAM(scale, KB_YAMBA_REAL, true, NULL),
	PARAM(file_name, KB_YAMBA_TEXT, true, NULL), PARAM(order, KB_YAMBA_UNSIGNED, true, orders),
	{ .name = NULL }
};

static const uint8_t prologue_bytes[] = { 0x55, 0x48, 0x89, 0xe5, 0x53, 0x48, 0x89, 0xfb };
static const uint8_t touch_bytes[] = { 0x48, 0x8b, 0x83, 0, 0, 0, 0, 0x8a, 0x00 };
static const uint8_t epilogue_bytes[] = { 0x5b, 0xc9, 0xc3 };
static const struct kb_hole touch_holes[] = { { .offset = 3, .line = 94 } };    /* 32S is the first of its table */

#define PART(what, its_line, ...) \
	{ .class = "P", .member = #what, .file = "p.yamba", .line = its_line, .bytes = what##_bytes, \
	  .count = sizeof what##_bytes, .holes = __VA_ARGS__ }

static const struct kb_fragment prologue = PART(prologue, 90, NULL), epilogue = PART(epilogue, 96, NULL),
	touch = PART(touch, 94, touch_holes, .hole_count = 1);

static const char *const names_i[] = { "i" }, *const names_m[] = { "m" };
static const struct kb_scope of_touch = { "P", "touch", names_i, 1 }, of_unroll = { "P", NULL, names_i, 1 },
	of_func = { "P", "touch_func", names_m, 1 };

struct arguments { unsigned int m; long long offset; };

static void compose_touch_func(struct kb_bits *bits, const void *given)
{
	const struct arguments *arguments = given;

	kb_bits_enter(bits, &of_func, (struct kb_value[]){ KB_VALUE(arguments->m) });
	kb_bits_append(bits, &prologue, NULL);
	for (unsigned int i = 0; i < arguments->m; i++) {
		kb_bits_enter(bits, &of_unroll, (struct kb_value[]){ KB_VALUE(i) });
		kb_bits_enter(bits, &of_touch, (struct kb_value[]){ KB_VALUE(i) });
		kb_bits_append(bits, &touch, (struct kb_value[]){ KB_VALUE(8 * i + arguments->offset) });
		kb_bits_leave(bits);
		kb_bits_leave(bits);
	}
	kb_bits_append(bits, &epilogue, NULL);
	kb_bits_leave(bits);
}

static const struct kb_yamba_argument touch_func_arguments[] = {
	KB_YAMBA_ARGUMENT(struct arguments, m), KB_YAMBA_ARGUMENT(struct arguments, offset), { .name = NULL }
};

static struct kb_yamba_entry touch_func_entry = { .class_name = "P", .name = "touch_func", .compose = compose_touch_func,
	.arguments = touch_func_arguments, .bytes = sizeof(struct arguments), .signature = "void c_function(byte_t **first_page)" };
static struct kb_yamba_entry *entries[] = { &touch_func_entry, NULL };
static struct kb_yamba_program program = { .name = "P", .platform = "x86_64", .file = "p.yamba", .params = params,
	.entries = entries };

static touch_func_t touch_func_at(unsigned int m, long long offset)
{
	struct arguments arguments;

	memset(&arguments, 0, sizeof arguments);
	arguments.m = m;
	arguments.offset = offset;
	return (touch_func_t)kb_yamba_compose(&program, &touch_func_entry, &arguments, sizeof arguments);
}

static touch_func_t touch_func(unsigned int m)
{
	return touch_func_at(m, 0);
}

/* ---- helpers ------------------------------------------------------------------------------------- */

static jmp_buf failed;
static char said[600];

static void on_error(const char *text)
{
	snprintf(said, sizeof said, "%s", text);
	longjmp(failed, 1);
}

#define assert_fails(call, text) do { \
	said[0] = '\0'; \
	kb_yamba_on_error(on_error); \
	if (!setjmp(failed)) { \
		call; \
		fail_msg("nothing was wrong with %s", #call); \
	} \
	kb_yamba_on_error(NULL); \
	assert_string_equal(said, text); \
} while (0)

static bool native(void)
{
	return kb_target_host() == &kb_target_x86_64;
}

static void assert_set(int result, const char *setting, const char *words)
{
	char error[256] = "";

	assert_int_equal(kb_yamba_set(&program, setting, error, sizeof error), result);
	assert_string_equal(error, words);
}

/* Params as at the start of a process. */
static int fresh(void **state)
{
	(void)state;
	free(program.kept);
	program.kept = NULL;
	assert_set(0, "num_pages=400", "");
	assert_set(0, "unroll_degree=4", "");
	/* An empty cache; what was composed stays where it is. */
	for (struct kb_yamba_table *table = touch_func_entry.all, *older; table; table = older) {
		older = table->older;
		free(table);
	}
	touch_func_entry.table = touch_func_entry.all = NULL;
	return 0;
}

/* ---- params -------------------------------------------------------------------------------------- */

static void params_take_what_fits(void **state)
{
	char text[64];

	(void)state;
	assert_set(0, "num_pages=4K", "");
	assert_int_equal(num_pages, 4096);
	assert_set(0, "num_pages=-0x10", "");
	assert_int_equal(num_pages, -16);
	kb_program_value(&params[0], text, sizeof text);
	assert_string_equal(text, "-16");
	assert_set(0, "narrow=255", "");
	assert_int_equal(narrow, 255);
	assert_set(0, "scale=2.5e3", "");
	assert_true(scale == 2500);
	assert_set(0, "file_name=/tmp/a=b", "");
	assert_string_equal(file_name, "/tmp/a=b");
	assert_set(0, "order=ORDER_RANDOM", "");
	assert_int_equal(order, ORDER_RANDOM);
	assert_set(0, "yamba.align=128", "");
	assert_int_equal(kb_program_settings.align, 128);
	assert_set(0, "yamba.align=0", "");
	free(file_name);
	file_name = NULL;
}

static void params_refuse_what_does_not(void **state)
{
	(void)state;
	assert_set(-EINVAL, "num_pages=2G", "param 'num_pages' lies between -2147483648 and 2147483647, not at 2G");
	assert_set(-EINVAL, "num_pages=4Q", "param 'num_pages' is an integer, such as 4096 or 4K, not '4Q'");
	assert_set(-EINVAL, "num_pages=", "param 'num_pages' is an integer, such as 4096 or 4K, not ''");
	assert_set(-EINVAL, "num_pages=20000000000G", "param 'num_pages' is an integer, such as 4096 or 4K, not '20000000000G'");
	assert_set(-EINVAL, "narrow=-1", "param 'narrow' lies between 0 and 255, not at -1");
	assert_set(-EINVAL, "narrow=256", "param 'narrow' lies between 0 and 255, not at 256");
	assert_set(-EINVAL, "scale=fast", "param 'scale' is a number, not 'fast'");
	assert_set(-EINVAL, "order=UPWARDS", "param 'order' is a constant of its enumeration, not 'UPWARDS'");
	assert_set(-ENOENT, "pages=3", "'P' has no param 'pages'");
	assert_set(-ENOENT, "yamba.aling=3", "no setting 'yamba.aling'; there are yamba.max_code, yamba.align and yamba.offset");
	assert_set(-EINVAL, "num_pages", "write NAME=VALUE, not 'num_pages'");
	assert_int_equal(num_pages, 400);
}

static void params_are_frozen(void **state)
{
	(void)state;
	params[0].set = false;
	assert_fails(kb_yamba_freeze(&program), "p.yamba:3: error Y160: param 'num_pages' of 'P' has no value: comment of num_pages; "
		"set it with -p num_pages=VALUE, or in the class");
	params[0].set = true;
	kb_yamba_freeze(&program);
	assert_set(-EBUSY, "num_pages=5", "'num_pages=5' comes too late: code is composed with the params as they are");
	unroll_degree = 5;
	assert_fails(touch_func(1), "p.yamba:3: error Y161: param 'unroll_degree' of 'P' changed after code was composed with it; "
		"set it in setup() first");
	unroll_degree = 4;
}

/* ---- the cache ----------------------------------------------------------------------------------- */

static unsigned composed;

static void count_composed(const struct kb_yamba_entry *entry)
{
	assert_ptr_equal(entry, &touch_func_entry);
	composed++;
}

static void same_arguments_same_function(void **state)
{
	unsigned char page = 3, *pages[8] = { &page, &page, &page, &page, &page, &page, &page, &page };
	touch_func_t five, seven;
	uint32_t hash = kb_program_hash();

	(void)state;
	if (!native())
		skip();
	composed = 0;
	kb_program_on_compose(count_composed);
	five = touch_func(5);
	seven = touch_func(7);
	assert_ptr_not_equal((void *)five, (void *)seven);
	assert_ptr_equal((void *)five, (void *)touch_func(5));
	assert_ptr_equal((void *)seven, (void *)touch_func(7));
	assert_int_equal(composed, 2);
	assert_int_equal((uintptr_t)five % 64, 0);
	assert_int_equal(kb_yamba_code_size((void *)five), 8 + 5 * 9 + 3);
	assert_int_equal(kb_yamba_code_size(&page), 0);
	assert_int_not_equal(kb_program_hash(), hash);
	five(pages);
	seven(pages);
	kb_yamba_forget((void *)five);
	kb_yamba_forget(&page);
	assert_int_equal(kb_yamba_code_size((void *)five), 0);
	touch_func(5)(pages);
	assert_int_equal(composed, 3);
	kb_program_on_compose(NULL);
}

static void the_list_says_who_wrote_what(void **state)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	if (!native())
		skip();
	assert_int_equal(kb_yamba_list(file, &size), -ENOENT);
	assert_int_equal(kb_yamba_list(file, (void *)touch_func(1)), 0);
	fclose(file);
	assert_string_equal(text,
		"P.touch_func(m=1)  p.yamba:90\n       0  55 48 89 e5 53 48 89 fb \n"
		"P.touch(i=0), unroll i=0, P.touch_func(m=1)  p.yamba:94\n       8  48 8b 83 00 00 00 00 8a 00 \n"
		"P.touch_func(m=1)  p.yamba:96\n      11  5b c9 c3 \n");
	free(text);
}

static void errors_of_composing_are_told(void **state)
{
	(void)state;
	assert_fails(touch_func_at(2, 0x7ffffff8), "p.yamba:94: error Y301: hole value 2147483648 does not fit (min -2147483648, "
		"max 2147483647)\n    in P.touch(i=1), unroll i=1, P.touch_func(m=2)");
	kb_program_settings.max_code = 20;
	assert_fails(touch_func(9), "p.yamba:94: error Y312: composed code is larger than 20 bytes\n"
		"    in P.touch(i=1), unroll i=1, P.touch_func(m=9)");
	kb_program_settings.max_code = KB_BITS_LIMIT;
	program.platform = native() ? "riscv64" : "x86_64";
	if (native())
		assert_fails(touch_func(0), "p.yamba: error: 'P' is for riscv64; its code cannot be called on x86_64");
	program.platform = "x86_64";
}

/* Without a handler the text goes to standard error and the process ends with 2. */
static void errors_end_the_process(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0) {
		fclose(stderr);
		params[0].set = false;
		kb_yamba_freeze(&program);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
}

static void alignment_and_offset_are_kept(void **state)
{
	(void)state;
	if (!native())
		skip();
	assert_set(0, "yamba.align=1K", "");
	assert_set(0, "yamba.offset=48", "");
	assert_int_equal((uintptr_t)touch_func(2) % 1024, 48);
	kb_program_settings.align = kb_program_settings.offset = 0;
}

/* The second way to executable memory, in a process that may not have the first. */
static void code_runs_under_mdwe(void **state)
{
	unsigned char page = 3, *pages[3] = { &page, &page, &page };
	int status;
	pid_t child = native() ? fork() : -1;

	(void)state;
	if (!native())
		skip();
	if (child == 0) {
		if (prctl(SET_MDWE, 1, 0, 0, 0))
			_exit(77);
		touch_func(3)(pages);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* ---- a crash ------------------------------------------------------------------------------------- */

static struct kb_program_place place;
static sigjmp_buf after_crash;

static void on_crash(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	(void)info;
	siglongjmp(after_crash, 1);
}

static void a_crash_has_a_place(void **state)
{
	struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO }, before;
	unsigned char page = 3, *pages[20] = { &page };
	const uint8_t *code;

	(void)state;
	if (!native())
		skip();
	for (int i = 0; i < 17; i++)
		pages[i] = &page;
	code = (const uint8_t *)touch_func(20);
	sigaction(SIGSEGV, &action, &before);
	if (!sigsetjmp(after_crash, 1)) {
		touch_func(20)(pages);  /* the pointer of i = 17 is NULL */
		fail_msg("did not crash");
	}
	sigaction(SIGSEGV, &before, NULL);
	assert_true(kb_program_place(code + 8 + 17 * 9 + 7, &place));
	assert_string_equal(place.text, "P.touch(i=17) at +0xa8 (p.yamba:94)");
	assert_int_equal(place.rest, 3 * 9 - 7 + 3);
	assert_true(kb_program_place(code, &place));
	assert_string_equal(place.text, "P.touch_func(m=20) at +0x0 (p.yamba:90)");
	assert_false(kb_program_place(code + kb_yamba_code_size((void *)(uintptr_t)code), &place));
	assert_false(kb_program_place(code - 1, &place));
	assert_false(kb_program_place(NULL, &place));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(params_take_what_fits, fresh),
		cmocka_unit_test_setup(params_refuse_what_does_not, fresh),
		cmocka_unit_test_setup(params_are_frozen, fresh),
		cmocka_unit_test_setup(same_arguments_same_function, fresh),
		cmocka_unit_test_setup(the_list_says_who_wrote_what, fresh),
		cmocka_unit_test_setup(errors_of_composing_are_told, fresh),
		cmocka_unit_test_setup(errors_end_the_process, fresh),
		cmocka_unit_test_setup(alignment_and_offset_are_kept, fresh),
		cmocka_unit_test_setup(code_runs_under_mdwe, fresh),
		cmocka_unit_test_setup(a_crash_has_a_place, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
