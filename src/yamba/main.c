/*
 * kbench-translate: the shipped Yamba programs as C, when KBench is built. It knows nothing of measuring, so that it can be
 * linked before the rest.
 *
 *   kbench-translate ARCH DIRECTORY...                  names of the programs for this platform and Linux, one a line
 *   kbench-translate ARCH DIRECTORY... --program CLASS  its C text on standard output
 *   kbench-translate ARCH DIRECTORY... --cross        C text of what kbench must know of the programs for other platforms
 *
 * The first directory has the programs; classes are looked up in all of them.
 */
#include <stdlib.h>
#include <string.h>

#include "yamba/emit/emit.h"
#include "yamba/front/class.h"

#define ERRORS_SHOWN 20

static _Noreturn void die(const char *what, const char *about)
{
	char text[1000];

	fprintf(stderr, "kbench-translate: %s%s\n", what, kb_visible_copy(text, sizeof text, about));
	exit(2);
}

static _Noreturn void no_memory(struct kb_arena *arena)
{
	(void)arena;
	die("out of memory", "");
}

/* True if nothing is wrong. */
static bool told(struct kb_yamba *yamba)
{
	kb_diagnostics_sort(&yamba->diagnostics);
	kb_diagnostics_print(stderr, &yamba->diagnostics, ERRORS_SHOWN);
	return kb_diagnostics_errors(&yamba->diagnostics) == 0;
}

static bool is_of(const struct kb_yamba_class *class, const char *arch)
{
	return !class->platform || kb_span_is(class->platform->name, arch);
}

static bool is_program(const struct kb_yamba_class *class, const char *directory)
{
	size_t length = strlen(directory);

	return !class->abstract && !strncmp(class->source->path, directory, length) && class->source->path[length] == '/' &&
		(!class->os || kb_span_is(class->os->name, "linux")) &&
		kb_class_member(class, (struct kb_span){ "benchmark", 9 });
}

static void list(const struct kb_yamba *yamba, const char *directory, const char *arch)
{
	for (size_t i = 0; i < yamba->class_count; i++) {
		const struct kb_yamba_class *class = yamba->classes[i];

		if (is_program(class, directory) && is_of(class, arch))
			printf("%.*s\n", (int)class->name.length, class->name.at);
	}
}

static bool describe(struct kb_yamba *yamba, const char *directory, const char *arch)
{
	for (size_t i = 0; i < yamba->class_count; i++) {
		if (is_program(yamba->classes[i], directory) && !is_of(yamba->classes[i], arch))
			kb_yamba_check_class(yamba, yamba->classes[i]);
	}
	if (!told(yamba))
		return false;
	printf("/* Made by kbench-translate. */\n#include \"run/backend/backend.h\"\n\n");
	kb_yamba_emit_described(stdout);
	for (size_t i = 0; i < yamba->class_count; i++) {
		if (is_program(yamba->classes[i], directory) && !is_of(yamba->classes[i], arch))
			kb_yamba_emit_description(stdout, yamba, yamba->classes[i]);
	}
	printf("const struct kb_cross_program kb_cross_programs[] = {\n");
	for (size_t i = 0; i < yamba->class_count; i++) {
		const struct kb_yamba_class *class = yamba->classes[i];

		if (is_program(class, directory) && !is_of(class, arch))
			printf("\t{ &y_%.*s, \"%.*s\" },\n", (int)class->name.length, class->name.at,
				(int)class->platform->name.length, class->platform->name.at);
	}
	printf("\t{ 0, 0 }\n};\n");
	return true;
}

static bool translate(struct kb_yamba *yamba, const char *name)
{
	static const struct kb_emit_options options = { .benchmark = true };
	struct kb_yamba_class *class = kb_yamba_find(yamba, (struct kb_span){ name, strlen(name) });
	struct kb_assembly assembly;
	int result;
	bool good;

	if (!class || class->abstract)
		die("no program is called ", name);
	result = kb_yamba_assemble(yamba, class, &assembly);
	good = told(yamba);
	if (good && result)
		die("cannot assemble: ", strerror(-result));
	if (good)
		kb_yamba_emit(stdout, yamba, class, &assembly, &options);
	kb_assemble_free(&assembly);
	return good;
}

int main(int argc, char **argv)
{
	struct kb_arena arena = { .no_memory = no_memory };
	struct kb_yamba yamba;
	const char *program = NULL;
	bool cross = false, good = true;

	if (argc < 3)
		die("usage: kbench-translate ARCH DIRECTORY... [--program CLASS | --cross]", "");
	kb_yamba_start(&yamba, &arena);
	for (int i = 2; i < argc && !program; i++) {
		if (!strcmp(argv[i], "--program") && i + 1 < argc)
			program = argv[i + 1];
		else if (!strcmp(argv[i], "--cross"))
			cross = true;
		else if (kb_yamba_add_directory(&yamba, argv[i]))
			die("cannot read the directory ", argv[i]);
	}
	kb_yamba_resolve(&yamba);
	if (program)
		good = translate(&yamba, program);
	else if (cross)
		good = describe(&yamba, argv[2], argv[1]);
	else
		list(&yamba, argv[2], argv[1]);
	kb_arena_free(&arena);
	if (fflush(stdout) || ferror(stdout))
		die("cannot write ", "standard output");
	return good ? 0 : 2;
}
