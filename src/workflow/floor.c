/* See floor.h. */
#include "workflow/floor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measure/measure.h"
#include "result/contention.h"
#include "result/json/json.h"

#define KEY 200
#define AGREEING 3u             /* runs that must agree before their K is taken for that of the CPU model */
#define LOOKED_AT 12u           /* of the newest runs */
#define AGREE 0.01

static const char *fact(const json_t *env, const char *name)
{
	return kb_json_string_of(json_object_get(env, "facts"), name);
}

static const char *reading(const json_t *env, const char *name)
{
	return kb_json_string_of(json_object_get(env, "readings"), name);
}

/*
 * What decides how many cycles the probe takes: its own length, the CPU model, and the microcode, which may change how code is
 * fetched. Records of another target name the length, for its code may be of another version, and where they cannot ask for the model
 * somebody may have named the machine. "": not known.
 */
static void key_of(const json_t *env, char key[KEY])
{
	bool elsewhere = json_object_get(json_object_get(env, "readings"), "probe_loop") != NULL;
	unsigned loop = elsewhere ? (unsigned)strtoul(reading(env, "probe_loop"), NULL, 10) : kb_contention_instructions();

	key[0] = '\0';
	if (fact(env, "cpu_vendor")[0] || !elsewhere)
		snprintf(key, KEY, "%s/%u %s %s %s %s %s", fact(env, "arch"), loop, fact(env, "cpu_vendor"), fact(env, "cpu_family"),
			 fact(env, "cpu_model_number"), fact(env, "cpu_stepping"), fact(env, "microcode"));
	else if (fact(env, "machine")[0])
		snprintf(key, KEY, "%s/%u machine %.100s", fact(env, "arch"), loop, fact(env, "machine"));
}

/* The lowest that three runs agree on: a run under interference that never paused may have seen a higher one. */
static double stored(const char *path, const char *key)
{
	struct kb_store *store;
	double k[LOOKED_AT], best = 0;
	unsigned count = 0;

	if (!kb_store_open(&store, path, KB_STORE_READ) && kb_store_get_floors(store, key, k, LOOKED_AT, &count))
		count = 0;
	kb_store_close(store);
	for (unsigned i = 0; i < count; i++) {
		unsigned agree = 0;

		for (unsigned j = 0; j < count; j++)
			agree += fabs(k[j] / k[i] - 1) <= AGREE;
		if (agree >= AGREEING && (best <= 0 || k[i] < best))
			best = k[i];
	}
	return best;
}

/* Nobody else can run on a core of this machine: it is no guest, and its cores have one hardware thread each. Or seL4 has all of it and
   started one core: no other hardware thread has anything to run. Of boards with seL4 only x86 can be asked whether it is a guest; of the others the kernel is taken to have the machine that it was
   booted on. A guest is not told what its CPUs share, whatever it is told of threads. */
static bool is_alone(const json_t *env)
{
	const char *monitor = reading(env, "hypervisor");
	bool asked = strcmp(fact(env, "arch"), "x86_64") == 0;

	if (strcmp(fact(env, "os"), "seL4") == 0 && strcmp(reading(env, "cores"), "1") == 0 &&
	    strcmp(monitor, asked || monitor[0] ? "none" : "") == 0)
		return true;
	return strcmp(fact(env, "hypervisor"), "none") == 0 && kb_list_has("notsupported,off,forceoff,notimplemented", fact(env, "smt"));
}

void kb_floor_of_records(const json_t *env, const struct kb_process_text *texts, size_t count, struct kb_floor *floor, double *k)
{
	struct kb_ratios ratios = { .all = 0 };
	struct kb_samples samples;

	for (size_t i = 0; i < count; i++) {
		if (kb_samples_load(&samples, &texts[i]) == 0 && !samples.untimed)
			kb_ratios_add(&ratios, &samples);
		kb_samples_free(&samples);
	}
	kb_ratios_floor(&ratios, is_alone(env), floor);
	*k = kb_ratios_mode(&ratios, &(bool){ false });
}

static bool find(const char *store, const char *key, struct kb_floor *floor)
{
	double k;

	if ((k = kb_floor_shipped(key)) > 0)
		*floor = (struct kb_floor){ k, KB_FLOOR_SHIPPED };
	else if ((k = stored(store, key)) > 0)
		*floor = (struct kb_floor){ k, KB_FLOOR_STORED };
	return k > 0;
}

void kb_floor_start(const json_t *env, const char *store, struct kb_run_options *options)
{
	char key[KEY];

	key_of(env, key);
	options->core_alone = is_alone(env);
	/* An emulator executes this machine's instructions: what a loop of them takes says nothing of a core. */
	options->emulated = strcmp(fact(env, "hypervisor"), "qemu-tcg") == 0;
	find(store, key, &options->floor);
}

bool kb_floor_of_model(const json_t *env, const char *store, struct kb_floor *floor)
{
	char key[KEY];

	key_of(env, key);
	return reading(env, "probe_loop")[0] && key[0] && find(store, key, floor);
}

int kb_floor_keep(struct kb_store *store, const json_t *env, const char *run_id, double k)
{
	char key[KEY];

	key_of(env, key);
	return k > 0 && key[0] ? kb_store_put_floor(store, run_id, key, k) : 0;
}

json_t *kb_floor_to_json(const struct kb_floor *floor)
{
	return json_pack("{s:o, s:s}", "k", kb_json_real(floor->k > 0 ? floor->k : NAN), "from", kb_floor_from_name(floor->from));
}
