/*
 * Any bytes as a word that somebody types, or that stands in a variable or a file of one line: the first letter chooses what it is. What is
 * accepted is in bounds and, where there is a writer, is written and read again as the same; a refusal is one line.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <stdio.h>

#include "base/boot_text.h"
#include "base/units.h"
#include "env/cpulist.h"
#include "env/env.h"
#include "evidence/events.h"
#include "import/import.h"
#include "partner/token.h"
#include "run/place.h"
#include "serve/address.h"
#include "store/store.h"
#include "suite/select.h"
#include "workflow/commands/commands.h"

static void size_or_time(const char *word)
{
	uint64_t bytes, again, ns;
	char text[40];
	struct kb_text out = kb_text_in(text, sizeof text);

	if (kb_parse_size(word, &bytes)) {
		kb_text_size(&out, bytes);
		require(!out.cut && kb_parse_size(text, &again) && again == bytes);
	}
	if (kb_parse_duration(word, &ns))
		require(word[0] >= '.' && word[0] <= '9');
}

static void cpus(const char *word)
{
	static unsigned list[KB_CPULIST_MAX];
	int count = kb_cpulist_parse(word, list, KB_CPULIST_MAX), few = kb_cpulist_parse(word, list, 3);

	require(count == -EINVAL || (count > 0 && count <= KB_CPULIST_MAX));
	require(few == (count > 3 ? -EINVAL : count));
	require(count <= 0 || few <= 0 || kb_cpulist_has(word, list[0]));
	require(kb_cpulist_count(word) == count);
}

static void host(const char *word)
{
	struct kb_span found, whole = kb_span_of(word);
	uint64_t port;

	if (kb_span_host(whole, &found, &port)) {
		require(port <= 65535 && found.length > 0);
		require(found.at >= word && found.at + found.length <= word + whole.length);
	}
}

static void address(const char *word)
{
	struct kb_address one, again;
	static struct kb_allow allow;
	char text[KB_ADDRESS_TEXT], error[256] = "";

	if (kb_address_parse(&one, word, 7353)) {
		require(kb_address_port(&one) == 7353 && kb_is_visible(kb_address_text(&one, true, text)));
		kb_address_text(&one, false, text);
		require(kb_address_parse(&again, text, 1) && kb_address_same(&one, &again));
	}
	memset(&allow, 0, sizeof allow);
	if (kb_allow_parse(&allow, word, error) == 0)
		require(allow.count > 0 && allow.count <= KB_ALLOW_MAX);
	else
		require_line(error);
	for (unsigned i = 0; i < allow.count; i++)
		require(allow.ranges[i].bits <= 8 * sizeof allow.ranges[i].bytes);
}

static void event(const char *word)
{
	struct kb_event_code code, again;
	char text[KB_EVENT_TEXT_MAX];

	if (kb_event_parse(word, &code) == 0) {
		kb_event_format(text, &code);
		require(kb_event_parse(text, &again) == 0 && !strcmp(code.name, again.name) && code.type == again.type);
		require(code.config == again.config && code.config1 == again.config1 && code.config2 == again.config2);
	}
}

static void command(const char *word)
{
	size_t count, length = strlen(word);
	char **words = kb_command_words(word, &count);
	size_t all = 0;

	require(words || count == 0);
	for (size_t i = 0; words && i < count; i++)
		all += strlen(words[i]);
	require(all <= length && (!words || !words[count]));
	free(words);
}

static void quoted(const char *word)
{
	char *text = malloc(4 * strlen(word) + 3), *back = malloc(4 * strlen(word) + 3), shown[24];
	struct kb_text out = kb_text_in(text, 4 * strlen(word) + 3);
	int length;

	require(text && back);
	kb_text_quoted(&out, word);
	require(!out.cut && !strpbrk(text, "\n\r\x1b"));
	length = kb_span_unquote(kb_span_of(text), back, 4 * strlen(word) + 3);
	require(length >= 0 && (size_t)length == strlen(word) && !memcmp(back, word, (size_t)length));
	length = kb_span_unquote(kb_span_of(word), back, 8);
	require(length < 8);
	require(kb_is_visible(kb_visible_copy(shown, sizeof shown, word)) && strlen(shown) < sizeof shown);
	memcpy(text, word, strlen(word) + 1);
	kb_make_visible(text, '?');
	require(kb_is_visible(text) && strlen(text) <= strlen(word));
	require(!kb_is_visible(word) || !strcmp(text, word));
	free(text);
	free(back);
}

/* As KBENCH_FLEET, and as all that Slurm tells. */
static const char *fleet_word, *slurm_word;

static char *get(const char *name)
{
	return (char *)(uintptr_t)(strcmp(name, KB_PLACE_ENVIRONMENT) ? slurm_word : fleet_word);
}

static void place(const char *word)
{
	struct kb_run_place place;
	char why[KB_PLACE_WHY] = "", line[KB_PLACE_LINE];
	json_t *settings = json_object();

	for (unsigned way = 0; way < 2; way++) {
		fleet_word = way ? NULL : word;
		slurm_word = way ? word : NULL;
		if (kb_place_read(get, &place, why)) {
			require(why[0]);
			continue;
		}
		require(!place.node[0] || kb_place_is_name(place.node));
		require(!place.fleet || place.rank < place.of);
		kb_place_to_settings(&place, "a", settings);
		require(kb_is_visible(kb_place_line(settings, false, line)));
	}
	json_decref(settings);
}

static void one_line(const char *word)
{
	char value[24], date[21], directory[4096];
	unsigned char token[KB_TOKEN_BYTES];

	require(kb_boot_fact(word, "arch", value, sizeof value) || value[0] == '\0');
	require(strlen(value) < sizeof value && !strchr(value, '\n'));
	kb_token_parse(word, strlen(word), token);
	require(!kb_import_date(word, date) || strlen(date) == 20);
	kb_import_directory(word, directory);
	kb_store_is_remote(word);
	require(!kb_is_bench_name(word) || (strlen(word) <= KB_BENCH_NAME_MAX && kb_is_visible(word) && word[0]));
	kb_pattern_match(word, "mem.latency");
	kb_result_matches(word, "mem.latency", "mem.latency size=64M");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const parsers[])(const char *) = { size_or_time, cpus, host, address, event, command, quoted, place, one_line };
	unsigned choice = fuzz_choice(&data, &size, sizeof parsers / sizeof parsers[0]);
	char *word = fuzz_text(data, size);

	parsers[choice](word);
	free(word);
	return 0;
}
