/*
 * What kbench layers takes from a store with results of several machines: never a number of another architecture, and where a seL4 is named,
 * of that one alone.
 */
#include "unit/store/fixture.h"

#include "cli/model/layers_find.h"
#include "result/json/json.h"
#include "run/backend/sel4.h"

static const char text[] = "about a\nlayer sel4 sel4.signal\nlayer linux sys.null\n";
static const struct kb_command command = { .name = "layers" };

struct world {
	struct place *place;
	struct kb_layers layers;
	struct kb_layer_answer answers[KB_LAYERS_MAX];
	struct kb_collectors collectors;
	json_t *env;
};

static json_t *env_of(const char *id, const char *arch, const char *kernel)
{
	return json_pack("{s:s, s:{s:s, s:s, s:s}, s:{s:s, s:s}}", "id", id, "facts", "os", "Linux", "arch", arch, "kernel", "6.1", "readings",
			 "sel4_kernel", kernel, "config", "c");
}

static void put(const struct place *place, const char *run, const char *id, const char *arch, double cost)
{
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	json_t *env = env_of(id, arch, arch);
	char *env_text = kb_json_text(env), json[400];

	assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ .id = run, .started = run, .finished = "", .label = "", .command = "",
		.env_class = id, .env = env_text, .settings = "{}" }), 0);
	for (int i = 0; i < 2; i++) {
		snprintf(json, sizeof json, "{\"benchmark\":\"%s\",\"per\":\"call\",\"ticks_per_ns\":1,\"estimate\":{\"value\":%g,\"low\":1,\"high\":2,"
			 "\"method\":\"slope\"},\"headline\":\"observed\",\"processes\":5,\"arch\":\"%s\",\"verdict\":{\"status\":\"ok\"}}",
			 i ? "sys.null" : "sel4.signal", cost + i, arch);
		assert_int_equal(kb_store_put_result(store, run, i ? "sys.null" : "sel4.signal", (unsigned)i, json), 0);
	}
	kb_store_close(store);
	free(env_text);
	json_decref(env);
}

static void touch(const char *directory, const char *name, const char *content)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof path, "%s/%s", directory, name);
	for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
		*slash = '\0';
		mkdir(path, 0755);
	}

	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	assert_true(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content) && close(fd) == 0);
}

/* A kernel of that architecture, its image and what boots it, all of them named. */
static void name_sel4(const struct place *place, const char *arch)
{
	struct kb_sel4_prefix prefix;
	char directory[PATH_MAX], content[100], program[64], why[KB_SEL4_WHY];

	setenv("SEL4_PREFIX", place->directory, 1);
	setenv("XDG_CACHE_HOME", place->directory, 1);
	setenv("PATH", place->directory, 1);
	touch(place->directory, "bin/kernel.elf", "");
	assert_true(kb_sel4_prefix(&prefix, why) && kb_sel4_directory(&prefix, directory));
	snprintf(content, sizeof content, "arch=%s\nkernel=%s\nconfig=c\n", arch, arch);
	touch(directory, "facts", content);
	snprintf(program, sizeof program, "qemu-system-%s", arch);
	touch(place->directory, program, "");
	if (kb_sel4_available(why))
		fail_msg("%s", why);
}

/* This machine, with a collector for each target. */
static void look(struct world *world, const char *arch, const char *kernel)
{
	struct kb_model_error error;

	assert_int_equal(kb_layers_parse(&world->layers, text, sizeof text - 1, &error), 0);
	for (unsigned i = 0; i < KB_COLLECTORS; i++)
		world->collectors.each[i] = (struct kb_collector){ .backend = kb_backend_find(KB_SEL4) };
	json_decref(world->env);
	const char *id = strcmp(arch, "x86_64") ? "another" : "here";

	world->env = env_of(id, arch, kernel);
	kb_layers_find(&(struct kb_layers_search){ &command, world->place->path, world->env, id, &world->collectors }, &world->layers,
		       world->answers);
}

static int make_world(void **state)
{
	static struct world world;

	world = (struct world){ .env = NULL };
	unsetenv("SEL4_PREFIX");
	if (make_place((void **)&world.place))
		return -1;
	*state = &world;
	put(world.place, "1", "here", "x86_64", 100);
	return 0;
}

static int remove_world(void **state)
{
	struct world *world = *state;
	void *place = world->place;

	json_decref(world->env);
	return remove_place(&place);
}

static void another_sel4(void **state)
{
	struct world *world = *state;

	name_sel4(world->place, "riscv64");
	look(world, "x86_64", "riscv64");
	assert_false(world->answers[0].found);
	assert_non_null(strstr(world->answers[0].why, "not measured on sel4 riscv64, kernel riscv64, configuration c, QEMU, but in other"));
	assert_true(world->answers[1].found && world->answers[1].here);
	put(world->place, "2", "here", "riscv64", 200);
	put(world->place, "3", "here", "x86_64", 300);
	look(world, "x86_64", "riscv64");
	assert_true(world->answers[0].found && world->answers[0].here && world->answers[0].result.estimate.value == 200);
	assert_true(world->answers[1].found && world->answers[1].result.estimate.value == 301);
}

/* Where none is named any may be shown, and whose it is is said. */
static void no_sel4(void **state)
{
	struct world *world = *state;

	look(world, "x86_64", "");
	assert_true(world->answers[0].found && !world->answers[0].here);
	assert_non_null(strstr(world->answers[0].machine, "sel4 x86_64, kernel x86_64, configuration c, QEMU, environment ID "));
}

/* A number of another machine may stand for one of this machine, one of another architecture may not. */
static void another_machine(void **state)
{
	struct world *world = *state;

	put(world->place, "2", "elsewhere", "aarch64", 200);
	look(world, "aarch64", "");
	assert_true(world->answers[1].found && !world->answers[1].here && world->answers[1].result.estimate.value == 201);
	look(world, "riscv64", "");
	assert_false(world->answers[1].found);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_world, remove_world)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(no_sel4), TEST(another_machine), TEST(another_sel4) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
