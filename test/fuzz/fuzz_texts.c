/*
 * Any bytes as texts of lines that users write: questions across targets, templates of instructions, weights of a mix. What is accepted lies in
 * its text; a refusal has a place, or a reason.
 */
#include "fuzz.h"

#include <math.h>
#include <stdio.h>

#include "suite/layers.h"
#include "workflow/runs/mix.h"
#include "yamba/forms/forms.h"

static void layers(char *text, size_t size)
{
	struct kb_layers layers;
	struct kb_model_error error;

	if (kb_layers_parse(&layers, text, size, &error)) {
		require(error.line > 0 && error.column > 0 && error.column <= size + 1 && error.line <= size + 1 && error.what[0]);
		return;
	}
	require(layers.count > 0 && layers.count <= KB_LAYERS_MAX);
	for (unsigned i = 0; i < layers.count; i++) {
		const struct kb_layer *layer = &layers.layers[i];

		require(layer->target.length > 0 && (layer->row.length > 0) != (layer->why.length > 0));
		require(layer->target.at >= text && layer->target.at + layer->target.length <= text + size);
		kb_layers_match(layer->row, "mem.latency size=64M copies=2");
	}
}

static void forms(char *text, size_t size)
{
	struct kb_arena arena = { .limit = 64 << 20 };
	struct kb_forms forms = { .path = NULL };
	char *program = NULL;
	size_t length = 0;
	FILE *out;

	if (!kb_forms_read(&forms, &arena, "f.forms", text)) {
		require(forms.error[0]);
	} else if (forms.form_count < 200) {
		for (const struct kb_form *form = forms.forms; form; form = form->next)
			require(form->count <= KB_FORM_OPERANDS && form->line <= size + 1 && form->name[0]);
		kb_forms_have(&forms, " avx sse2 ");
		kb_forms_measures(&forms);
		if (forms.measures) {
			out = open_memstream(&program, &length);
			require(out != NULL);
			kb_forms_program(out, &forms, "F");
			require(fclose(out) == 0 && length > 0);
			free(program);
		}
	}
	kb_arena_free(&arena);
}

static void mix(char *text, size_t size)
{
	const struct kb_comparison row = { .key = "mem.latency size=64M", .unit = "ns", .counts = true };
	struct kb_mix_cost cost = { .parts = NULL };
	struct kb_failure failure = { .code = 0 };

	/* A file is not what this is about. */
	if (size == 0 || text[0] == '@')
		return;
	if (kb_mix_of_comparisons(text, &row, 1, &cost, &failure)) {
		require(failure.code == KB_EXIT_USAGE && failure.text[0]);
	} else {
		require(cost.count == 1);
		require(isfinite(cost.parts[0].weight) && cost.parts[0].weight > 0);
	}
	kb_mix_release(&cost);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(char *, size_t) = { layers, forms, mix };
	unsigned choice = fuzz_choice(&data, &size, sizeof parsers / sizeof parsers[0]);
	char *text = fuzz_text(data, size);

	parsers[choice](text, size);
	free(text);
	return 0;
}
