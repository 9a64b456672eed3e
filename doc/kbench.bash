# Completion of kbench for bash. Options come from `kbench help COMMAND` and names from `kbench list`, so that this
# file knows nothing that could become wrong; both take a few milliseconds.

# _kbench_options PROGRAM COMMAND: its options, one a line.
_kbench_options() {
	# shellcheck disable=SC2086 # `trace func` is two words
	"$1" help $2 2>/dev/null | sed -n 's/^  \(-[A-Za-z], \|    \)\(--[a-z-]*\).*/\2/p'
}

# _kbench_params PROGRAM WORD: NAME=VALUE, where the value goes on after the last comma.
_kbench_params() {
	local before=
	case $2 in
	*=*,*) before=${2%,*}, ;;
	esac
	if [ -z "$before" ]; then
		"$1" list --params 2>/dev/null
	else
		"$1" list --params 2>/dev/null | sed -n "s/^${2%%=*}=//p" | sed "s|^|$before|"
	fi | sort -u
}

# _kbench_words PROGRAM COMMAND WORD PREVIOUS: what may stand where the cursor is.
_kbench_words() {
	case $2:$4 in
	run:-p | run:--param | ab:-p | ab:--param | history:-p | history:--param) _kbench_params "$1" "$3"; return ;;
	run:--clock | ab:--clock) echo auto ns; return ;;
	run:--suite | list:--suite) echo quick standard full lmbench; return ;;
	run:--method) echo slope single paired kanata; return ;;
	run:--interfere) echo memory cache syscalls spin; return ;;
	run:--unit | show:--unit) echo ns us ms s cycles; return ;;
	run:--parallel | run:--event) return ;;
	run:--initial | run:--delta | run:--group-size | run:--groups) return ;;
	run:--skip | run:--confidence | run:--half-width) return ;;
	import:--as) echo kanata record hyperfine google-benchmark criterion perf-bench lmbench sel4bench sel4bench-results; return ;;
	import:--alongside) echo last; "$1" show --runs 2>/dev/null | awk 'NR > 1 { print $2 }'; return ;;
	import:--clock) echo tsc cntvct pmccntr rdtime rdcycle rdinstret ns icount; return ;;
	import:--name | import:--machine | import:--date | import:--label | import:-p | import:--param) return ;;
	analyze:--method) echo kanata slope single; return ;;
	export:--format) "$1" help export 2>/dev/null | sed -n 's/^  \([a-z0-9-]*\)   *[^- ].*/\1/p'; return ;;
	analyze:--skip | analyze:--confidence | analyze:--half-width) return ;;
	ab:--a | ab:--b) compgen -f -- "$3"; return ;;
	ab:--margin | ab:--budget | ab:--processes | ab:--timeout | ab:--cpus | ab:--seed | ab:--label) return ;;
	layers:--budget) return ;;
	model:--budget | model:--processes | model:--precision | model:--repeats | model:--limit) return ;;
	model:--timeout | model:--cpus | model:--seed | model:--label) return ;;
	model:--estimate) echo headline observed; return ;;
	model:--run) echo last; "$1" show --runs 2>/dev/null | awk 'NR > 1 { print $2 }'; return ;;
	params:--budget | params:--cpus | params:--seed) return ;;
	compare:--margin | history:--label | history:--env | history:--limit) return ;;
	run:--precision | run:--budget | run:--processes | run:--timeout | run:--cpus | run:--seed | run:--label) return ;;
	yamba:--errors | yamba:-p | yamba:--param | yamba:--start) return ;;
	new:new) case $3 in -*) ;; *) echo benchmark; return ;; esac ;;
	new:benchmark) return ;;
	yamba:-o | yamba:--output) compgen -d -- "$3"; return ;;
	kernel:--headers | kernel:--into) compgen -d -- "$3"; return ;;
	kernel:--bench) compgen -f -- "$3"; return ;;
	kernel:load) "$1" list --names kernel 2>/dev/null | sed 's/^kernel\.//'; return ;;
	sel4:--into) compgen -f -- "$3"; return ;;
	sel4:--method) echo slope single kanata; return ;;
	sel4:--clock) echo rdcycle pmccntr icount; return ;;
	sel4:--initial | sel4:--delta | sel4:--group-size | sel4:--groups) return ;;
	sel4:boot) "$1" list --names sel4 2>/dev/null; return ;;
	sel4:sel4) case $3 in -*) ;; *) echo doctor build boot; return ;; esac ;;
	kernel:kernel) case $3 in -*) ;; *) echo doctor build load unload; return ;; esac ;;
	trace:--samples | trace:--limit | trace:--seconds | trace:--timeline | trace:--buffer | trace:--slowdown | trace:--top | trace:--nested) return ;;
	trace:--perfetto) compgen -f -- "$3"; return ;;
	trace:--route) echo auto fentry kprobe syscall tracepoints; return ;;
	trace:--list) return ;;
	trace:func) case $3 in -*) ;; *) "$1" trace func --list "${3:-vfs_}*" 2>/dev/null; return ;; esac ;;
	trace:trace) case $3 in -*) ;; *) "$1" trace --help 2>/dev/null | sed -n '/^usage:/d; s/^\([a-z]*\)[A-Za-z [-]*\]\{0,1\}: .*/\1/p'; return ;; esac ;;
	trace:overhead) case $3 in -*) ;; *) return ;; esac ;;
	yamba:yamba) case $3 in -*) ;; *) echo check build show port run paper; return ;; esac ;;
	esac
	case $3 in
	-*)
		# The verbs of trace have options of their own.
		case $2:${words[2]:-} in
		trace:[a-z]*) _kbench_options "$1" "trace ${words[2]}" ;;
		*) _kbench_options "$1" "$2" ;;
		esac
		return
		;;
	esac
	case $2 in
	yamba | trace | import) compgen -f -- "$3" ;;
	run | list | ab | history) "$1" list --names 2>/dev/null ;;
	model | layers) "$1" "$2" --list 2>/dev/null | awk '{ print $1 }' ;;
	params) echo clock cache line assoc tlb tlb_huge page_walk memory core sharing latency ring ;;
	show | compare | export) echo last; "$1" list --names 2>/dev/null; "$1" show --runs 2>/dev/null | awk 'NR > 1 { print $2 }' ;;
	analyze)
		# Runs belong to --rebuild; before it is typed, a file is meant.
		case " ${words[*]} " in
		*' --rebuild '*) echo last; "$1" show --runs 2>/dev/null | awk 'NR > 1 { print $2 }' ;;
		*) compgen -f -- "$3" ;;
		esac
		;;
	esac
}

_kbench() {
	local line=${COMP_LINE:0:COMP_POINT} words word previous command
	COMPREPLY=()
	# Not COMP_WORDS: bash takes words apart at '=', and NAME=VALUE is one word of ours.
	word=${line##*[[:space:]]}
	read -ra words <<<"${line%"$word"}"
	command=${words[1]:-}
	previous=${words[${#words[@]} - 1]}

	if [ ${#words[@]} -le 1 ] || { [ ${#words[@]} -eq 2 ] && [ "$command" = help ]; }; then
		COMPREPLY=($(compgen -W "run list new show compare ab history export import analyze params model layers yamba trace kernel sel4 env doctor help --help --version" -- "$word"))
		return
	fi
	case $previous in
	--store | --plugin | --file | -o | --output)
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -f -- "$word"))
		return
		;;
	esac
	COMPREPLY=($(compgen -W "$(_kbench_words "$1" "$command" "$word" "$previous")" -- "$word"))
	# bash replaces only what follows the last '='.
	case $COMP_WORDBREAKS:$word in
	*=*:*=*) COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*=}"}"}") ;;
	esac
}

complete -F _kbench kbench
