/* See params.h. A value is checked once, here, whether typed or stored: the parent and every collector share the rules. */
#include "measure/params.h"

#include "base/error.h"
#include "base/units.h"

static struct kb_span first_of(const char *list)
{
	struct kb_span all = kb_span_of(list);
	size_t length = 0;

	while (length < all.length && all.at[length] != ',' && all.at[length] != ';')
		length++;
	return (struct kb_span){ all.at, length };
}

int kb_param_index(const struct kb_bench *bench, struct kb_span name)
{
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++) {
		if (kb_span_is(name, bench->params[i].name))
			return i;
	}
	return -1;
}

static void say(struct kb_text *error, const struct kb_param *param, const char *value, const char *problem)
{
	kb_text_str(error, param->name);
	kb_text_str(error, "=");
	kb_text_str(error, value);
	kb_text_str(error, ": ");
	kb_text_str(error, problem);
}

static void say_bound(struct kb_text *error, const struct kb_param *param, uint64_t value)
{
	if (param->kind == KB_SIZE)
		kb_text_size(error, value);
	else
		kb_text_u64(error, value);
}

static int out_of_range(struct kb_text *error, const struct kb_param *param, const char *value)
{
	say(error, param, value, "outside ");
	say_bound(error, param, param->min);
	kb_text_str(error, "..");
	say_bound(error, param, param->max);
	return -KB_ERANGE;
}

static int set_number(struct kb_settings *settings, int i, struct kb_text *error)
{
	const struct kb_param *param = &settings->bench->params[i];
	const char *text = settings->text[i];
	uint64_t number;

	if (param->kind == KB_SIZE ? !kb_parse_size(text, &number) : !kb_span_u64(kb_span_of(text), &number)) {
		say(error, param, text, param->kind == KB_SIZE ? "not a size (like 64K)" : "not a number");
		return -KB_EINVAL;
	}
	if (number < param->min || number > param->max)
		return out_of_range(error, param, text);
	settings->number[i] = number;

	/* One spelling for one value, so that 64K and 65536 are the same result of the store. */
	struct kb_text canonical = kb_text_in(settings->text[i], KB_PARAM_VALUE_MAX);

	say_bound(&canonical, param, number);
	return 0;
}

/* The results of a result are named "benchmark name=value name=value", so a value must stay one word. */
static int check_text(const struct kb_param *param, const char *value, bool cut, struct kb_text *error)
{
	bool legal = *value != '\0' && !cut;

	for (; *value && legal; value++)
		legal = *value > ' ' && *value < 0x7f && *value != ',';
	if (legal)
		return 0;
	say(error, param, "", "must be 1 to 63 visible characters without spaces and commas");
	return -KB_EINVAL;
}

/* One to three digits below 256. */
static bool take_byte(const char **text)
{
	unsigned value = 0, digits = 0;

	for (; **text >= '0' && **text <= '9' && digits < 4; (*text)++, digits++)
		value = value * 10 + (unsigned)(**text - '0');
	return digits >= 1 && digits <= 3 && value < 256;
}

/* Four of them, and nothing else. No leading zero, which some would read as octal; so an address has one spelling. */
static int check_ip4(const struct kb_param *param, const char *value, struct kb_text *error)
{
	const char *at = value;
	bool legal = true;

	for (unsigned i = 0; i < 4 && legal; i++) {
		legal = !(at[0] == '0' && at[1] >= '0' && at[1] <= '9') && take_byte(&at);
		legal = legal && *at == (i < 3 ? '.' : '\0');
		at += legal && i < 3;
	}
	if (legal)
		return 0;
	say(error, param, value, "not an address (like 192.0.2.1)");
	return -KB_EINVAL;
}

static bool is_any_host(const struct kb_param *param, struct kb_span value)
{
	return param->kind == KB_HOST && kb_span_is(value, "*");
}

/* The host with which parameter i means nothing; NULL: there is none. */
static const char *host_instead(const struct kb_settings *settings, int i)
{
	const struct kb_param *params = settings->bench->params;

	for (int host = 0; host < i; host++) {
		if (params[host].kind == KB_HOST && settings->text[host][0] && params[host].choices && kb_list_has(params[host].choices, params[i].name))
			return settings->text[host];
	}
	return NULL;
}

/* What depends on whether there is a host is set anew. */
static int set_host(struct kb_settings *settings, int i, bool had, bool cut, struct kb_text *error)
{
	const struct kb_param *params = settings->bench->params;
	const char *value = settings->text[i];
	struct kb_span host;
	uint64_t port;

	if (*value && (cut || !kb_span_host(kb_span_of(value), &host, &port))) {
		say(error, &params[i], value, "not a host (like 192.0.2.1, name:7353 or [2001:db8::1]:7353)");
		settings->text[i][0] = '\0';
		return -KB_EINVAL;
	}
	for (int other = i + 1; other < KB_PARAM_MAX && params[other].name; other++) {
		if (host_instead(settings, other))
			settings->text[other][0] = '\0';
		else if (had && !*value && params[i].choices && kb_list_has(params[i].choices, params[other].name))
			kb_settings_set(settings, kb_span_of(params[other].name), first_of(params[other].values), error);
	}
	return 0;
}

static int refuse_with_host(const struct kb_param *param, struct kb_span value, const char *host, struct kb_text *error)
{
	if (value.length == 0)
		return 0;
	kb_text_str(error, param->name);
	kb_text_str(error, ": means nothing with the partner on another machine (");
	kb_text_str(error, host);
	kb_text_str(error, ")");
	return -KB_EINVAL;
}

static int set_value(struct kb_settings *settings, int i, struct kb_span value, struct kb_text *error)
{
	const char *host = host_instead(settings, i);

	if (host)
		return refuse_with_host(&settings->bench->params[i], value, host, error);

	const struct kb_param *param = &settings->bench->params[i];
	bool had = settings->text[i][0] != '\0';
	struct kb_text text = kb_text_in(settings->text[i], KB_PARAM_VALUE_MAX);

	kb_text_bytes(&text, value.at, value.length);
	if (param->kind == KB_TEXT)
		return check_text(param, settings->text[i], text.cut, error);
	if (param->kind == KB_HOST)
		return set_host(settings, i, had, text.cut, error);
	if (param->kind == KB_IP4)
		return check_ip4(param, settings->text[i], error);
	if (param->kind != KB_CHOICE)
		return set_number(settings, i, error);
	if (value.length > 0 && !text.cut && kb_list_has(param->choices, settings->text[i]))
		return 0;
	say(error, param, settings->text[i], "must be one of ");
	kb_text_str(error, param->choices);
	return -KB_EINVAL;
}

int kb_settings_set(struct kb_settings *settings, struct kb_span name, struct kb_span value, struct kb_text *error)
{
	int i = kb_param_index(settings->bench, name);

	if (i >= 0)
		return set_value(settings, i, value, error);
	kb_text_str(error, settings->bench->name);
	kb_text_str(error, " has no parameter '");
	kb_text_bytes(error, name.at, name.length);
	kb_text_str(error, "'");
	return -KB_ENOENT;
}

int kb_settings_pair(struct kb_settings *settings, const char *pair, struct kb_text *error)
{
	struct kb_span name, value;

	if (kb_span_pair(kb_span_of(pair), &name, &value))
		return kb_settings_set(settings, name, value, error);
	kb_text_str(error, "not name=value: ");
	kb_text_str(error, pair);
	return -KB_EINVAL;
}

void kb_settings_default(struct kb_settings *settings, const struct kb_bench *bench)
{
	char ignored[128];

	*settings = (struct kb_settings){ .bench = bench };
	for (int i = 0; i < KB_PARAM_MAX && bench->params[i].name; i++) {
		struct kb_text error = kb_text_in(ignored, sizeof ignored);

		set_value(settings, i, first_of(bench->params[i].values), &error);
	}
}

void kb_settings_format(struct kb_text *text, const struct kb_settings *settings)
{
	const size_t begin = text->used;

	for (int i = 0; i < KB_PARAM_MAX && settings->bench->params[i].name; i++) {
		if (!settings->text[i][0])
			continue;
		if (text->used > begin)
			kb_text_str(text, " ");
		kb_text_str(text, settings->bench->params[i].name);
		kb_text_str(text, "=");
		kb_text_str(text, settings->text[i]);
	}
}

static bool has(const struct kb_settings *settings, struct kb_span pair)
{
	struct kb_span name, value;

	if (!kb_span_pair(pair, &name, &value))
		return false;

	int i = kb_param_index(settings->bench, name);

	return i >= 0 && (is_any_host(&settings->bench->params[i], value) ? settings->text[i][0] != '\0' : kb_span_is(value, settings->text[i]));
}

bool kb_settings_match(const struct kb_settings *settings, const char *when)
{
	struct kb_span rest = kb_span_of(when), word = kb_span_word(&rest);

	if (!when)
		return true;
	do {
		if (!has(settings, word))
			return false;
		word = kb_span_word(&rest);
	} while (word.length > 0);
	return true;
}

bool kb_settings_claim(const struct kb_settings *settings, enum kb_counter counter)
{
	const struct kb_expect *expect = settings->bench->expect;
	bool claimed = false;

	for (int i = 0; i < KB_EXPECT_MAX && expect[i].counter && !claimed; i++)
		claimed = expect[i].counter == counter && kb_settings_match(settings, expect[i].when);
	return claimed;
}
