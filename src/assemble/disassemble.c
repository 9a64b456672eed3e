/*
 * objdump over bare bytes, in a file without a name, whose descriptor it inherits. Zeros are disassembled as well (-z): a
 * listing must account for every byte.
 */
#define _GNU_SOURCE
#include "assemble/disassemble.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grown.h"
#include "io.h"

#define LIMIT_MS 60000

bool kb_code_objdump_line(char *line, size_t *address, const char **text)
{
	char *end, *last;

	if (*line != ' ' && !(*line >= '0' && *line <= '9') && !(*line >= 'a' && *line <= 'f'))
		return false;
	*address = strtoull(line, &end, 16);
	if (end == line || end[0] != ':' || end[1] != '\t')
		return false;
	*text = end + 2;
	for (last = end + 2 + strlen(end + 2); last > end + 2 && (last[-1] == ' ' || last[-1] == '\t'); last--)
		last[-1] = '\0';
	return true;
}

static int take(struct kb_code_listing *listing, size_t total)
{
	char *rest = NULL;

	for (char *line = strtok_r(listing->text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		struct kb_code_line found = { 0 };

		if (!kb_code_objdump_line(line, &found.offset, &found.text))
			continue;
		if (!KB_GROW(listing->lines, listing->line_count))
			return -ENOMEM;
		listing->lines[listing->line_count++] = found;
	}
	for (size_t i = 0; i < listing->line_count; i++) {
		size_t next = i + 1 < listing->line_count ? listing->lines[i + 1].offset : total;

		if (next <= listing->lines[i].offset || (i == 0 && listing->lines[i].offset > 0))
			return -EINVAL;
		listing->lines[i].count = next - listing->lines[i].offset;
	}
	return listing->line_count ? 0 : -EINVAL;
}

int kb_code_objdump(const struct kb_target *target, const char *const *options, struct kb_command_output *output)
{
	char tool[64];
	const char *words[KB_COMMAND_WORDS] = { tool, "-w", "-z", "--no-show-raw-insn", "-M", target->intel ? "intel" : "" };
	unsigned count = target->intel ? 6 : 4;

	while (*options)
		words[count++] = *options++;
	words[count] = NULL;
	kb_command_tool(target, "objdump", tool, sizeof(tool));
	return kb_command(words, LIMIT_MS, output);
}

/* A file without a name, and the path by which a child that inherits it opens it: its descriptor, or -errno. */
static int open_nameless(char path[static 40])
{
	int file = memfd_create("kbench-code", 0);

	snprintf(path, 40, "/proc/self/fd/%d", file);
	return file < 0 ? -errno : file;
}

static void close_nameless(int file)
{
	if (file >= 0)
		close(file);
}

/* An object that tells of extensions, which bare bytes cannot: an instruction each, for data would be shown as data. */
static int assemble_words(const struct kb_target *target, const uint8_t *bytes, size_t count, int source, const char *source_path,
	const char *object_path)
{
	char tool[64], *text = NULL;
	size_t length = 0;
	struct kb_command_output output = { NULL, 0 };
	FILE *file = open_memstream(&text, &length);
	int error;

	if (!file)
		return -ENOMEM;
	fprintf(file, ".attribute arch, \"%s\"\n", target->all_extensions);
	for (size_t at = 0; at + 2 <= count;) {
		bool whole = (bytes[at] & 3) == 3 && at + 4 <= count;
		uint32_t word = bytes[at] | (uint32_t)bytes[at + 1] << 8;

		if (whole)
			word |= (uint32_t)bytes[at + 2] << 16 | (uint32_t)bytes[at + 3] << 24;
		fprintf(file, ".insn %d, 0x%x\n", whole ? 4 : 2, word);
		at += whole ? 4 : 2;
	}
	fclose(file);
	kb_command_tool(target, target->assembler[0], tool, sizeof tool);
	error = kb_write_all(source, text, length) ?:
		kb_command((const char *const[]){ tool, "-o", object_path, source_path, NULL }, LIMIT_MS, &output);
	free(output.text);
	free(text);
	return error;
}

/* An assembler that is older than an extension takes none of it: then the bytes have to do. */
static int disassemble_words(const struct kb_target *target, const uint8_t *bytes, size_t count, struct kb_command_output *output)
{
	char source_path[40], object_path[40];
	int source = open_nameless(source_path), object = open_nameless(object_path), error = source < 0 ? source : object < 0 ? object : 0;

	error = error ?: assemble_words(target, bytes, count, source, source_path, object_path);
	error = error ?: kb_code_objdump(target, (const char *const[]){ "-d", object_path, NULL }, output);
	close_nameless(source);
	close_nameless(object);
	return error;
}

static int disassemble_bytes(const struct kb_target *target, const uint8_t *bytes, size_t count, struct kb_command_output *output)
{
	char path[40];
	int file = open_nameless(path), error = file < 0 ? file : kb_write_all(file, bytes, count);
	const char *const options[] = { "-D", "-b", "binary", "-m", target->raw_machine, path, NULL };

	error = error ?: kb_code_objdump(target, options, output);
	close_nameless(file);
	return error;
}

int kb_code_disassemble(struct kb_code_listing *listing, const struct kb_target *target, const uint8_t *bytes, size_t count)
{
	struct kb_command_output output = { NULL, 0 };
	int error = -ENOTSUP;

	*listing = (struct kb_code_listing){ .lines = NULL };
	if (count == 0)
		return 0;
	if (target->all_extensions)
		error = disassemble_words(target, bytes, count, &output);
	if (error) {
		free(output.text);
		output = (struct kb_command_output){ NULL, 0 };
		error = disassemble_bytes(target, bytes, count, &output);
	}
	listing->text = output.text;
	return error > 0 ? -EINVAL : error ? error : take(listing, count);
}

void kb_code_listing_free(struct kb_code_listing *listing)
{
	free(listing->lines);
	free(listing->text);
	*listing = (struct kb_code_listing){ .lines = NULL };
}

void kb_code_print_line(FILE *file, const uint8_t *code, size_t offset, size_t count, const char *text)
{
	fprintf(file, "  %6zx  ", offset);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%02x ", code[offset + i]);
	fprintf(file, "%*s%s", count < KB_BITS_SHOWN ? (int)(3 * (KB_BITS_SHOWN - count)) : 0, "", text);
}

int kb_bits_list(FILE *file, const struct kb_bits *bits)
{
	struct kb_code_listing listing;
	size_t end = 0;         /* of the append whose head was written last */
	int error = kb_code_disassemble(&listing, bits->target, bits->head.at, bits->head.used);

	for (size_t i = 0; i < listing.line_count && !error; i++) {
		const struct kb_code_line *line = &listing.lines[i];
		struct kb_bits_span span;

		if (line->offset >= end && kb_bits_span_at(bits, line->offset, &span)) {
			kb_bits_list_head(file, &span);
			end = span.offset + span.count;
		}
		kb_code_print_line(file, bits->head.at, line->offset, line->count, line->text);
		fputc('\n', file);
	}
	if (error)
		kb_bits_list_bytes(file, bits);
	kb_code_listing_free(&listing);
	return error;
}
