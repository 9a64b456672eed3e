/* What an error of the system lacks: the limit that was reached, how much it is, and what to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/resource.h>

#include "lacking.h"

/* Lowers a limit for one look, as far as the hard one stays, and gives it back. */
static const char *with_limit(int resource, rlim_t value, const char *(*look)(int), int argument)
{
	struct rlimit former, lowered;
	static char text[300];

	assert_int_equal(getrlimit(resource, &former), 0);
	lowered = (struct rlimit){ value, former.rlim_max };
	assert_int_equal(setrlimit(resource, &lowered), 0);
	snprintf(text, sizeof text, "%s", look(argument));
	assert_int_equal(setrlimit(resource, &former), 0);
	return text;
}

static const char *descriptors(int needed)
{
	return kb_descriptors_lack((unsigned)needed) ?: "";
}

static const char *stack(int kilobytes)
{
	return kb_stack_lack((unsigned)kilobytes) ?: "";
}

static void tells_the_limit(void **state)
{
	(void)state;
	assert_string_equal(with_limit(RLIMIT_AS, (rlim_t)400 << 20, kb_lack, ENOMEM),
			    "out of memory: 400 MB of addresses are allowed (ulimit -v 409600): raise it");
	assert_string_equal(with_limit(RLIMIT_NOFILE, 9, kb_lack, EMFILE), "too few file descriptors: 9 are allowed (ulimit -n): raise it");
	assert_string_equal(with_limit(RLIMIT_NOFILE, 9, descriptors, 24),
			    "too few file descriptors: 9 are allowed (ulimit -n), 24 are needed: raise it");
	assert_string_equal(with_limit(RLIMIT_STACK, 1 << 20, stack, 2000),
			    "the stack is too small: 1024 KB are allowed (ulimit -s), 2000 are needed: raise it");
	assert_non_null(strstr(with_limit(RLIMIT_NPROC, 3, kb_start_lack, EAGAIN), "too many processes: "));
}

static void tells_no_limit_where_it_suffices(void **state)
{
	(void)state;
	assert_string_equal(with_limit(RLIMIT_NOFILE, 24, descriptors, 24), "");
	assert_string_equal(with_limit(RLIMIT_STACK, 1 << 20, stack, 1024), "");
	assert_string_equal(kb_lack(EACCES), strerror(EACCES));
	assert_string_equal(kb_start_lack(ENOENT), strerror(ENOENT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_limit),
		cmocka_unit_test(tells_no_limit_where_it_suffices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
