#!/bin/sh
# One word for one meaning over all commands: what takes a time is a budget or a timeout, what bounds a number of things is a limit, and
# so on. Whoever adds an option with another word adds it here, with its reason.
# runs: 1 s
set -eu
. "$KB_SRC/test/support/check.sh"

# FILE, DIR and PATH are where output goes, or:
#   store             where runs are kept
#   file, plugin, bench, headers  are read
#   perfetto          trace entries writes two files of two formats
#   junit, page       compare and fleet report print their tables as well
#   kernel, against, against-headers, prefix  are kernels, which are read
#   export-..., input cmd has the words of hyperfine
#   hosts-file, kbench, directory  of fleet are read, or are where others work
places="fleet.run:hosts-file fleet.run:kbench fleet.run:directory output store file plugin bench headers trace.entries:perfetto compare:junit fleet.report:page kernel against against-headers prefix cmd:export-csv cmd:export-json cmd:export-markdown cmd:input serve:token-file"
# A number N is how many there are to be at most (limit), or:
#   processes, seed, initial, delta, group-size, groups, parallel, samples, repeats  are what is measured, not what is printed
#   skip              K in the source document
#   timeline          asks for an output that is else not there
#   slowdown          asks for so many more runs of CMD
#   nested            pairs inside of pairs
#   keep              so many runs stay
#   boots             is what is measured
#   port, connections  serve has the words of networks
#   runs, min-runs, max-runs, warmup  cmd has the words of hyperfine
#   nodes             on so many is measured
numbers="fleet.run:nodes limit boots processes seed initial delta group-size groups parallel samples repeats trace.entries:timeline trace.entries:slowdown
	trace.overhead:nested runs.prune:keep cmd:runs cmd:min-runs cmd:max-runs cmd:warmup serve:port serve:connections"

commands=$("$KBENCH" --help | sed -n 's/^  \([a-z0-9]*\)  *[A-Z].*/\1/p')
verbs=$(for name in trace runs fleet; do
	"$KBENCH" --complete $name '' | sed "s/\t.*//; s/^/$name./"
done)
[ "$(printf '%s\n' $commands $verbs | wc -l)" -ge 20 ] || fail "only the commands $commands $verbs"

# allows WORDS COMMAND OPTION
allows() {
	for allowed in $1; do
		case $allowed in "$3" | "$2:$3") return 0 ;; esac
	done
	return 1
}

for name in $commands $verbs yamba.paper; do
	# shellcheck disable=SC2046 # a verb is two words
	"$KBENCH" $(printf %s "$name" | tr . ' ') --help | sed -n 's/^  \(-[A-Za-z], \|    \)--\([a-z-]*\) \([^ ]*\).*/\2 \3/p' >options
	while read -r option value; do
		case $value in
		# fleet run has the word of sbatch, for its limit of a node is what Slurm schedules by.
		TIME) allows "budget timeout fleet.run:time serve:time" "$name" "$option" || fail "$name --$option TIME: a time is a --budget, or the --timeout of a process" ;;
		PERCENT) allows "precision confidence margin" "$name" "$option" || fail "$name --$option PERCENT: see the words in this file" ;;
		FILE* | DIR | PATH) allows "$places" "$name" "$option" || fail "$name --$option $value: where output goes is -o, --output" ;;
		N | S) allows "$numbers" "$name" "$option" || fail "$name --$option N: what bounds a number of things is a --limit" ;;
		esac
		# The other way round: the words mean nothing else, but in cmd, where --output WHERE is hyperfine's.
		case $name.$option:$value in cmd.output:WHERE) continue ;; esac
		case $option:$value in
		budget:TIME | timeout:TIME | limit:N | precision:PERCENT | confidence:PERCENT | margin:PERCENT) ;;
		output:FILE | output:DIR | output:PATH | store:FILE | cpus:LIST | label:TEXT | label:PATTERN) ;;
		budget:* | timeout:* | limit:* | precision:* | confidence:* | margin:* | output:* | store:* | cpus:* | label:*)
			fail "$name --$option $value: this word has another meaning elsewhere" ;;
		esac
	done <options
	"$KBENCH" $(printf %s "$name" | tr . ' ') --help | grep -q -e '--output [FDP]' || continue
	"$KBENCH" $(printf %s "$name" | tr . ' ') --help | grep -q -e '^  -o, --output' || fail "$name --output has no -o"
done

# The old words name the new ones.
for old in "run --half-width 1%:precision" "kernel build --into x:output" "sel4 build --into x:output" "yamba check --errors 2 x:limit" \
	"trace util --top 1:limit" "trace func x --seconds 1:budget" "model command --limit 1s -- true:timeout"; do
	# shellcheck disable=SC2086
	gives 2 ${old%:*}
	grep -q ", it is --${old##*:} now (see" err || fail "${old%:*}: $(printed)"
done
