/* Params of translated programs, and the settings of the run time, from NAME=VALUE: whole values or none, never cut. */
#define _GNU_SOURCE
#include "code/program.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

__attribute__((format(printf, 4, 5)))
static int refuse(char *error, size_t room, int code, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(error, room, format, list);
	va_end(list);
	return code;
}

/* "4K", "0x1000", "-1": what C and sizes allow. */
static bool read_whole(const char *text, struct kb_value *value)
{
	static const char letters[] = "KMG";
	const char *digits = text + (*text == '-');
	char *end;
	const char *letter;

	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	value->bits = strtoull(digits, &end, 0);
	letter = *end ? strchr(letters, *end & ~0x20) : NULL;
	if (letter) {
		unsigned shift = 10 * (unsigned)(letter - letters + 1);

		if (value->bits >> (64 - shift))
			return false;
		value->bits <<= shift;
		end++;
	}
	if (errno || *end)
		return false;
	value->negative = *text == '-' && value->bits != 0;
	if (!value->negative)
		return true;
	value->bits = 0 - value->bits;
	return (int64_t)value->bits < 0;
}

static bool read_constant(const struct kb_yamba_param *param, const char *text, struct kb_value *value)
{
	for (const struct kb_yamba_constant *constant = param->constants; constant && constant->name; constant++) {
		if (!strcmp(constant->name, text)) {
			*value = kb_value_signed(constant->value);
			return true;
		}
	}
	return false;
}

static int set_integer(const struct kb_yamba_param *param, const char *text, char *error, size_t room)
{
	unsigned unused = 64 - 8u * param->bytes;
	bool is_signed = param->type == KB_YAMBA_SIGNED;
	int64_t min = is_signed ? INT64_MIN >> unused : 0;
	uint64_t max = is_signed ? (uint64_t)(INT64_MAX >> unused) : UINT64_MAX >> unused;
	struct kb_value value;

	if (!read_constant(param, text, &value) && !read_whole(text, &value))
		return refuse(error, room, -EINVAL, "param '%s' is %s, not '%.60s'", param->name,
			param->constants ? "a constant of its enumeration" : "an integer, such as 4096 or 4K", text);
	if (!kb_value_between(value, min, max))
		return refuse(error, room, -EINVAL, "param '%s' lies between %lld and %llu, not at %.60s", param->name,
			(long long)min, (unsigned long long)max, text);
	/* Little-endian, as all targets are. */
	memcpy(param->at, &value.bits, param->bytes);
	return 0;
}

static int set_boolean(const struct kb_yamba_param *param, const char *text, char *error, size_t room)
{
	uint8_t value = !strcmp(text, "true") || !strcmp(text, "1");

	if (!value && strcmp(text, "false") != 0 && strcmp(text, "0") != 0)
		return refuse(error, room, -EINVAL, "param '%s' is true or false, not '%.60s'", param->name, text);
	memcpy(param->at, &value, 1);
	return 0;
}

static int set_real(const struct kb_yamba_param *param, const char *text, char *error, size_t room)
{
	char *end;
	double number = strtod(text, &end);
	float narrow = (float)number;

	if (end == text || *end)
		return refuse(error, room, -EINVAL, "param '%s' is a number, not '%.60s'", param->name, text);
	if (param->bytes == sizeof narrow)
		memcpy(param->at, &narrow, sizeof narrow);
	else
		memcpy(param->at, &number, sizeof number);
	return 0;
}

/* The copy lives as long as the program may read it: always. */
static int set_text(const struct kb_yamba_param *param, const char *text, char *error, size_t room)
{
	char *copy = strdup(text);

	if (!copy)
		return refuse(error, room, -ENOMEM, "out of memory");
	memcpy(param->at, &copy, sizeof copy);
	return 0;
}

static int set_own(const char *name, size_t length, const char *text, char *error, size_t room)
{
	static const struct { const char *name; uint64_t *at; } settings[] = {
		{ "yamba.max_code", &kb_program_settings.max_code }, { "yamba.align", &kb_program_settings.align },
		{ "yamba.offset", &kb_program_settings.offset },
	};

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
		struct kb_value value;

		if (strlen(settings[i].name) != length || strncmp(settings[i].name, name, length))
			continue;
		if (!read_whole(text, &value) || value.negative)
			return refuse(error, room, -EINVAL, "%s is a number of bytes, not '%.60s'", settings[i].name, text);
		*settings[i].at = value.bits;
		return 0;
	}
	return refuse(error, room, -ENOENT, "no setting '%.*s'; there are yamba.max_code, yamba.align and yamba.offset",
		(int)(length < 60 ? length : 60), name);
}

int kb_yamba_set(struct kb_yamba_program *program, const char *setting, char *error, size_t room)
{
	static int (*const set[])(const struct kb_yamba_param *, const char *, char *, size_t) = {
		[KB_YAMBA_SIGNED] = set_integer, [KB_YAMBA_UNSIGNED] = set_integer, [KB_YAMBA_REAL] = set_real,
		[KB_YAMBA_TEXT] = set_text, [KB_YAMBA_BOOLEAN] = set_boolean,
	};
	size_t length = strcspn(setting, "=");
	struct kb_yamba_param *param = program->params;
	const char *text = setting + length + 1;

	if (!setting[length])
		return refuse(error, room, -EINVAL, "write NAME=VALUE, not '%.60s'", setting);
	if (program->kept)
		return refuse(error, room, -EBUSY, "'%.60s' comes too late: code is composed with the params as they are",
			setting);
	if (!strncmp(setting, "yamba.", 6))
		return set_own(setting, length, text, error, room);
	while (param && param->name && (strlen(param->name) != length || strncmp(param->name, setting, length)))
		param++;
	if (!param || !param->name)
		return refuse(error, room, -ENOENT, "'%s' has no param '%.*s'", program->name, (int)(length < 60 ? length : 60),
			setting);
	int result = set[param->type](param, text, error, room);

	param->set |= result == 0;
	return result;
}

static struct kb_value integer_of(const struct kb_yamba_param *param)
{
	unsigned unused = 64 - 8u * param->bytes;
	uint64_t bits = 0;

	memcpy(&bits, param->at, param->bytes);
	if (param->type == KB_YAMBA_SIGNED)
		return kb_value_signed((int64_t)(bits << unused) >> unused);
	return kb_value_unsigned(bits);
}

void kb_program_value(const struct kb_yamba_param *param, char *text, size_t room)
{
	struct kb_value value;
	double number = 0;
	float narrow;
	char *string;

	if (param->type == KB_YAMBA_TEXT) {
		memcpy(&string, param->at, sizeof string);
		snprintf(text, room, "%s", string ? string : "");
	} else if (param->type == KB_YAMBA_BOOLEAN) {
		snprintf(text, room, "%s", *(const uint8_t *)param->at ? "true" : "false");
	} else if (param->type == KB_YAMBA_REAL) {
		memcpy(&narrow, param->at, sizeof narrow);
		if (param->bytes == sizeof narrow)
			number = (double)narrow;
		else
			memcpy(&number, param->at, sizeof number);
		snprintf(text, room, "%.17g", number);
	} else {
		value = integer_of(param);
		snprintf(text, room, value.negative ? "%lld" : "%llu", (long long)value.bits);
	}
}

/* ---- arguments of an entry ----------------------------------------------------------------------- */

static int set_bitstring(const struct kb_yamba_program *program, const struct kb_yamba_argument *argument, const char *text,
	void *arguments, char *error, size_t room)
{
	const struct kb_yamba_bitstring *known = program->bitstrings;

	while (known && known->name && strcmp(known->name, text) != 0)
		known++;
	if (!known || !known->name)
		return refuse(error, room, -EINVAL, "argument '%s' is a bitstring without parameters, and '%.60s' is none", argument->name, text);
	memcpy((uint8_t *)arguments + argument->offset, &known->value, sizeof known->value);
	return 0;
}

/* As a param without a name of its own would be set. */
static int set_argument(const struct kb_yamba_program *program, const struct kb_yamba_argument *argument, const char *text, void *arguments,
	char *error, size_t room)
{
	if (argument->type == KB_YAMBA_BITSTRING)
		return set_bitstring(program, argument, text, arguments, error, room);

	const struct kb_yamba_param as_param = { .name = argument->name, .type = argument->type, .bytes = (uint8_t)argument->bytes,
		.at = (uint8_t *)arguments + argument->offset };

	if (argument->type == KB_YAMBA_TEXT || argument->bytes > 8)
		return refuse(error, room, -EINVAL, "argument '%s' is no number", argument->name);
	int result = argument->type == KB_YAMBA_REAL ? set_real(&as_param, text, error, room)
		: argument->type == KB_YAMBA_BOOLEAN ? set_boolean(&as_param, text, error, room)
						     : set_integer(&as_param, text, error, room);

	if (result && !strncmp(error, "param", 5))      /* it has the words of a param */
		snprintf(error, room, "argument '%s' cannot be %.60s", argument->name, text);
	return result;
}

static void trim(char *text)
{
	size_t start = strspn(text, " \t"), length = strlen(text + start);

	memmove(text, text + start, length + 1);
	while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
		text[--length] = '\0';
}

int kb_program_arguments(const struct kb_yamba_program *program, const struct kb_yamba_entry *entry, const char *list, void *arguments,
	char *error, size_t room)
{
	const struct kb_yamba_argument *argument = entry->arguments;
	const char *at = list && *list == '(' ? list + 1 : "", *end = strchr(at, ')');
	int result = 0;

	if (!end || end[1 + strspn(end + 1, " ")])
		return refuse(error, room, -EINVAL, "write the call as %s(5)", entry->name);
	while (at < end && !result && argument && argument->name) {
		size_t length = strcspn(at, ",)");
		char text[64];

		snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), at);
		trim(text);
		result = set_argument(program, argument++, text, arguments, error, room);
		at += length + (at[length] == ',');
	}
	if (!result && (at + strspn(at, " ") < end || (argument && argument->name))) {
		snprintf(error, room, "%s takes other arguments than '%.60s'", entry->name, list);
		result = -EINVAL;
	}
	return result;
}
