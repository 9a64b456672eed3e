/*
 * See fleet.h: the script of a node, the same for all transports. It checks the version of the kbench there, measures, and writes the file
 * `end` in one step: whoever finds it finds all of it. All words of the user's are quoted for a POSIX shell, which alone reads them.
 */
#include <stdio.h>
#include <string.h>

#include "workflow/fleet/fleet.h"

/* Exit code of a node without a kbench that can be used. */
#define NO_KBENCH 126

void kb_fleet_quote(FILE *out, const char *word)
{
	fputc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){ *word, '\0' }, out);
	fputc('\'', out);
}

/* Where the nodes' directories are on network file systems, the run is kept in a temporary directory of the node while it measures, and
   moved when it is whole: a database is no guest of such systems, and its traffic would be measured. */
static const char begin[] =
	"dir=$1 rank=$2 node=$3 job=$4\n"
	"if [ \"$via\" = slurm ]; then\n"
	"\trank=$SLURM_ARRAY_TASK_ID node=${SLURMD_NODENAME:-$(uname -n)} job=$SLURM_ARRAY_JOB_ID\n"
	"\tdir=$dir/r$rank\n"
	"fi\n"
	"echo $$ >\"$dir/pid\"\n"
	"work=$dir\n"
	"finish() {\n"
	"\tprintf 'exit %s\\nnode %s\\nwhy %s\\nend\\n' \"$1\" \"$node\" \"$2\" >\"$dir/end.part\" && mv -f \"$dir/end.part\" \"$dir/end\"\n"
	"\t[ \"$work\" = \"$dir\" ] || rm -rf \"$work\"\n"
	"\texit \"$1\"\n"
	"}\n"
	"command -v \"$kbench\" >/dev/null || finish 126 \"no $kbench there\"\n"
	"there=$(\"$kbench\" --version 2>&1 | tail -n 1 | cut -c 1-80)\n"
	"[ \"$there\" = \"$version\" ] || finish 126 \"'$kbench --version' prints '$there' there, '$version' is needed\"\n"
	"if [ \"$via\" = slurm ]; then\n"
	"\twork=$(mktemp -d \"${TMPDIR:-/tmp}/kbench-fleet.XXXXXX\") || finish 125 'no temporary directory there'\n"
	"fi\n"
	"export KBENCH_FLEET=\"id=$id node=$node rank=$rank of=$of via=$via${job:+ job=$job}\"\n";

/* In the background, so that a signal to this shell reaches it, too; what was measured until then is kept. */
static const char end[] =
	" >\"$dir/log\" 2>&1 </dev/null &\n"
	"child=$!\n"
	"trap 'kill -TERM $child 2>/dev/null' TERM INT HUP\n"
	"wait $child\n"
	"code=$?\n"
	"while kill -0 $child 2>/dev/null; do\n"
	"\twait $child\n"
	"\tcode=$?\n"
	"done\n"
	"if [ \"$work\" != \"$dir\" ]; then\n"
	"\tfor file in \"$work\"/kbench.db*; do\n"
	"\t\tto=$dir/${file##*/}\n"
	"\t\t[ ! -e \"$file\" ] || { cp \"$file\" \"$to.part\" && mv -f \"$to.part\" \"$to\"; } || finish 125 \"cannot write to $dir\"\n"
	"\tdone\n"
	"fi\n"
	/* A run that could not be kept ends with its results, and their last line does not tell why; nor does a log that found no room. */
	"why=$(grep '; the run goes on unsaved$' \"$dir/log\" | tail -n 1)\n"
	"why=${why:-$(tail -n 1 \"$dir/log\")}\n"
	"case $code,$why in\n"
	"2,kbench\\ *) ;;\n"
	"2,*) why='its log has no reason: is the disk full?' ;;\n"
	"esac\n"
	"finish $code \"$(printf '%s\\n' \"$why\" | cut -c 1-190)\"\n";

static void set(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=", name);
	kb_fleet_quote(out, value);
	fputc('\n', out);
}

static void write_words(const struct kb_fleet_request *request, FILE *out)
{
	fputs(request->sides ? "\"$kbench\" ab --store \"$work/kbench.db\"" : "\"$kbench\" run --store \"$work/kbench.db\"", out);
	for (unsigned i = 0; request->sides && i < 2; i++) {
		fprintf(out, " --%c ", "ab"[i]);
		kb_fleet_quote(out, request->sides[i]);
	}
	for (size_t i = 0; i < request->word_count; i++) {
		fputc(' ', out);
		kb_fleet_quote(out, request->words[i]);
	}
}

int kb_fleet_write_script(const struct kb_fleet_request *request, const struct kb_fleet *fleet, FILE *out)
{
	char number[24];

	fputs("#!/bin/sh\numask 077\n", out);
	set(out, "id", fleet->id);
	set(out, "via", fleet->transport->name);
	set(out, "kbench", request->kbench);
	set(out, "version", "kbench " KB_VERSION);
	snprintf(number, sizeof number, "%zu", fleet->count);
	set(out, "of", number);
	fputs(begin, out);
	write_words(request, out);
	fputs(end, out);
	return ferror(out) ? -1 : 0;
}

/* ---- what it wrote ------------------------------------------------------------------------------------------- */

/* The rest of the line that begins with this word; an empty span: there is none. */
static struct kb_span line_of(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		if (!strncmp(at, word, length) && (at[length] == ' ' || at[length] == '\n'))
			return (struct kb_span){ at + length + (at[length] == ' '), strcspn(at + length + (at[length] == ' '), "\n") };
	}
	return (struct kb_span){ text, 0 };
}

bool kb_fleet_read_end(const char *text, struct kb_fleet_node *node)
{
	struct kb_span exit = line_of(text, "exit"), name = line_of(text, "node"), why = line_of(text, "why");
	uint64_t code;
	char read[KB_PLACE_NODE + 1];

	if (!kb_span_u64(exit, &code) || code > 255 || !strstr(text, "\nend\n"))
		return false;
	node->exit = (int)code;
	snprintf(read, sizeof read, "%.*s", (int)name.length, name.at);
	if (kb_place_is_name(read))
		snprintf(node->name, sizeof node->name, "%s", read);
	snprintf(node->reason, sizeof node->reason, "%.*s", (int)why.length, why.at);
	kb_make_visible(node->reason, '?');
	return true;
}

/* A run that measured is done, whatever it found; one that was refused or was stopped is not. */
void kb_fleet_settle(struct kb_fleet_node *node)
{
	node->again = false;
	if (node->exit > 128 && node->stopped) {
		kb_fleet_lose(node, false, "%s", node->stopped);
	} else if (node->exit > 128) {
		node->state = KB_NODE_LOST;
		snprintf(node->reason, sizeof node->reason, "stopped by signal %d (%s)", node->exit - 128, strsignal(node->exit - 128));
	} else if (node->exit == KB_EXIT_USAGE || node->exit >= NO_KBENCH - 1) {
		node->state = KB_NODE_LOST;
	} else {
		node->state = KB_NODE_DONE;
		node->reason[0] = '\0';
	}
}
