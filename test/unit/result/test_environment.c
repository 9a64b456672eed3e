/* What a result says that it was measured on, by itself and by the environment of its run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "result/json/environment.h"
#include "result/json/json.h"

#define HOST "{\"id\":\"host\",\"facts\":{\"os\":\"Linux\",\"arch\":\"x86_64\",\"kernel\":\"6.1\",\"cpu_model\":\"A CPU\"}," \
	"\"readings\":{\"sel4_kernel\":\"K\",\"config\":\"C\",\"text\":\"T\"}}"
#define BOARD "{\"id\":\"board\",\"facts\":{\"os\":\"seL4\",\"arch\":\"riscv64\",\"machine\":\"unleashed\"}," \
	"\"readings\":{\"kernel\":\"K\",\"config\":\"C\"}}"

static struct kb_environment of(const char *benchmark, const char *arch, const char *env)
{
	struct kb_result result = { .benchmark = "" };
	json_t *json = json_loads(env, 0, NULL);

	snprintf(result.benchmark, sizeof result.benchmark, "%s", benchmark);
	snprintf(result.arch, sizeof result.arch, "%s", arch);
	kb_environment_settle(&result, json);
	json_decref(json);
	return result.environment;
}

static void is(const char *benchmark, const char *arch, const char *env, const char *wanted)
{
	struct kb_environment e = of(benchmark, arch, env);
	char got[500];

	snprintf(got, sizeof got, "%.*s|%s|%s|%s|%s|%s|%s", (int)strcspn(e.id, "."), e.id, e.target, e.arch, e.kernel, e.config, e.image, e.cpu);
	assert_string_equal(got, wanted);
}

static void settled(void **state)
{
	struct kb_environment emulated = of("sel4.signal", "riscv64", HOST), cross = of("yamba.walk_aarch64", "aarch64", HOST);
	char wanted[200];

	(void)state;
	is("sys.null", "x86_64", HOST, "host|linux|x86_64|6.1|||A CPU");
	is("sys.null", "", HOST, "host|linux|x86_64|6.1|||A CPU");
	is("yamba.walk_x86_32", "x86_32", HOST, "host|linux|x86_32|6.1|||A CPU");
	is("kernel.imul", "x86_64", HOST, "host|kernel|x86_64|6.1|||A CPU");
	is("sel4.signal", "riscv64", BOARD, "board|sel4|riscv64|K|C||unleashed");
	is("sel4.signal", "", "{\"id\":\"host\",\"facts\":{},\"readings\":{}}", "||||||");
	is("sys.null", "x86_64", "{}", "||||||");
	is("sys.null", "x86_64", "[]", "||||||");
	assert_int_equal(strlen(emulated.id), 34);
	snprintf(wanted, sizeof wanted, "%.16s|sel4|riscv64|K|C|T|QEMU", emulated.id);
	is("sel4.signal", "riscv64", HOST, wanted);
	assert_int_equal(strlen(cross.id), 16);
	assert_string_equal(cross.cpu, "QEMU");
	assert_false(kb_environment_same(cross.id, emulated.id, KB_SAME_MACHINE));
}

/* Each member makes another ID, and each part of it says which. */
static void parts(void **state)
{
	static const char kernel[] = "{\"id\":\"host\",\"facts\":{\"arch\":\"x86_64\"},\"readings\":{\"sel4_kernel\":\"L\",\"config\":\"C\",\"text\":\"T\"}}";
	static const char config[] = "{\"id\":\"host\",\"facts\":{\"arch\":\"x86_64\"},\"readings\":{\"sel4_kernel\":\"K\",\"config\":\"D\",\"text\":\"T\"}}";
	static const char image[] = "{\"id\":\"host\",\"facts\":{\"arch\":\"x86_64\"},\"readings\":{\"sel4_kernel\":\"K\",\"config\":\"C\",\"text\":\"U\"}}";
	struct kb_environment e = of("sel4.signal", "riscv64", HOST);
	const struct { struct kb_environment other; unsigned same; } others[] = {
		{ of("sel4.signal", "x86_64", HOST), 0 }, { of("sel4.signal", "riscv64", config), KB_SAME_MACHINE },
		{ of("sel4.signal", "riscv64", kernel), KB_SAME_CONFIG }, { of("sel4.signal", "riscv64", image), KB_SAME_CONFIG },
		{ of("sel4.fault", "riscv64", HOST), KB_SAME_ENVIRONMENT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		for (unsigned part = KB_SAME_MACHINE; part <= KB_SAME_ENVIRONMENT; part++)
			assert_int_equal(kb_environment_same(e.id, others[i].other.id, part), part <= others[i].same);
	}
	assert_true(kb_environment_same("a", "a.b.c", KB_SAME_MACHINE));
	assert_false(kb_environment_same("a", "a.b.c", KB_SAME_CONFIG));
	assert_false(kb_environment_same("a", "ab", KB_SAME_MACHINE));
	assert_true(kb_environment_same("", "", KB_SAME_ENVIRONMENT));
}

/* It stays as it was stored, whatever the run says; and a result without it has no member. */
static void stored(void **state)
{
	struct kb_result result = { .benchmark = "sys.null", .arch = "x86_64", .method = KB_METHOD_SLOPE }, read;
	json_t *json = kb_result_to_json(&result), *env = json_loads(HOST, 0, NULL), *board = json_loads(BOARD, 0, NULL);

	(void)state;
	assert_null(json_object_get(json, "environment"));
	json_decref(json);
	kb_environment_settle(&result, env);
	json = kb_result_to_json(&result);
	assert_true(json_is_null(json_object_get(json_object_get(json, "environment"), "config")));
	assert_int_equal(kb_result_from_json(&read, json), 0);
	kb_environment_settle(&read, board);
	assert_memory_equal(&read.environment, &result.environment, sizeof read.environment);
	json_object_set_new(json, "environment", json_integer(1));
	assert_int_not_equal(kb_result_from_json(&read, json), 0);
	json_decref(json);
	json_decref(env);
	json_decref(board);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(settled), cmocka_unit_test(parts), cmocka_unit_test(stored) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
