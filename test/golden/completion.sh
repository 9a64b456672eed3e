#!/bin/sh
# What completion offers: each command, option and choice that --help lists, names of benchmarks, runs, labels, formats and files; asked of kbench
# itself and of the real bash, zsh and fish, where they are installed.
# runs: 5 s
set -eu
. "$KB_SRC/test/support/check.sh"

# offers WORD WORD...: the word is among what stands behind these.
offers() {
	wanted=$1
	shift
	"$KBENCH" --complete "$@" >offered || fail "--complete $*: exit code $?"
	cut -f1 offered | grep -Fqx -e "$wanted" || fail "kbench $*: '$wanted' is not offered: $(head -n 5 offered)"
}

# ---- from the descriptors: nothing can be forgotten ---------------------------------------------------

commands=$("$KBENCH" --help | sed -n 's/^  \([a-z0-9]*\)   *[A-Z].*/\1/p')
[ "$(echo "$commands" | wc -l)" -ge 18 ] || fail "kbench --help lists $commands"
for command in $commands help; do
	offers "$command" ''
	offers "$command" help ''
done
for command in $commands "trace func" "trace util" "runs label" "runs remove" "runs prune" "runs gc" "runs merge" "runs push" "runs pull" "runs copy" \
	"fleet run" "fleet gather" "fleet report"; do
	# shellcheck disable=SC2086 # a verb is two words
	"$KBENCH" $command --help >help
	sed -n 's/^  \(-[A-Za-z], \|    \)\(--[a-z-]*\).*/\2/p' help | sort >options
	# shellcheck disable=SC2086
	"$KBENCH" --complete $command -- >offered
	cut -f1 offered | sort | diff options - || fail "$command: options of --help (<) and completion (>) differ"
	# Each choice of an option: "--clock auto|ns".
	sed -n 's/^  \(-[A-Za-z], \|    \)\(--[a-z-]*\) \([a-z][a-z0-9-]*|[a-z0-9|-]*\).*/\2 \3/p' help >choices
	while read -r option words; do
		for word in $(echo "$words" | tr '|' ' '); do
			# shellcheck disable=SC2086
			offers "$word" $command "$option" ''
		done
		# shellcheck disable=SC2086
		offers "$option=$word" $command "$option="
	done <choices
done
for verb in label remove prune gc merge; do
	offers $verb runs ''
done
offers run fleet ''
offers gather fleet ''
offers report fleet ''

# ---- names of things ----------------------------------------------------------------------------------

"$KBENCH" run sys.null --processes 1 --precision 100% --budget 1s --label "my 'own' label" >/dev/null || fail "cannot measure sys.null"
id=$("$KBENCH" runs --names | sed -n 2p)
for command in show compare export "runs label" "runs remove" maintain; do
	# shellcheck disable=SC2086
	offers last $command ''
	# shellcheck disable=SC2086
	offers "$id" $command ''
	# shellcheck disable=SC2086
	offers "my 'own' label" $command ''
done
"$KBENCH" --complete show --store none.db '' | grep -q "$id" && fail "--store is not heeded"
[ ! -e none.db ] || fail "completion made a store"
offers "my 'own' label" history --label ''
offers sys.null run ''
offers mem.latency history mem
offers op=imul run -p op=
offers op=add,imul run -p op=add,im
offers sel4bench-results export --format ''
offers kanata import --as ''
offers load kernel ''
offers kernel doctor ''
offers cache params ''
offers benchmark new ''
"$KBENCH" --complete kernel '' | grep -q '\.' && fail "a verb is to be typed first"
"$KBENCH" --complete import '' | grep -qx "$(printf '\tfiles')" || fail "import wants files"
"$KBENCH" --complete trace util -- '' | grep -qx "$(printf '\tcommands')" || fail "trace util wants a command behind --"
"$KBENCH" --complete yamba build -o '' | grep -qx "$(printf '\tdirectories')" || fail "yamba build -o wants a directory"
"$KBENCH" --complete zz '' >out || fail "an unknown command: exit code $?"
[ ! -s out ] || fail "an unknown command: $(cat out)"

# ---- the shells ---------------------------------------------------------------------------------------

PATH=${KBENCH%/*}:$PATH
export PATH
touch file-one

# The same for all: what each LINE completes to, a line each; `expected` is it.
set -- 'kbench ru' 'kbench run --clock ' 'kbench runs prune --kee' 'kbench run sys.nul' 'kbench export --format sel4bench-' 'kbench show my' 'kbench import file-o'
printf '%s\n' run runs auto ns --keep sys.null sel4bench-results "my 'own' label" file-one | sort >expected

if command -v bash >/dev/null 2>&1; then
	cat >try.bash <<'END'
source "$KB_SRC/doc/kbench.bash"
for line; do
	COMP_LINE=$line COMP_POINT=${#line}
	_kbench kbench "${line##* }" ""
	for word in "${COMPREPLY[@]}"; do
		eval "printf '%s\n' $word"
	done
done
END
	bash try.bash "$@" | sort >got
	diff expected got || fail "bash: wanted (<) and completed (>)"
	# bash replaces only what stands behind the '='.
	[ "$(bash try.bash 'kbench run -p op=add,im' 'kbench run --clock=n' | xargs)" = 'add,imul ns' ] || fail "bash: behind a '='"
fi

if command -v fish >/dev/null 2>&1; then
	for line; do
		HOME=$work fish --no-config -c "source $KB_SRC/doc/kbench.fish; complete -C '$line'"
	done | cut -f1 | sort >got
	diff expected got || fail "fish: wanted (<) and completed (>)"
fi

if command -v zsh >/dev/null 2>&1; then
	mkdir functions
	cp "$KB_SRC/doc/kbench.zsh" functions/_kbench
	# In a terminal of its own, for zsh completes nowhere else. What it adds is written down before it is added.
	cat >try.zsh <<'END'
zmodload zsh/zpty
zpty inner zsh -f -i
{
	print -r -- 'PS1= PS2='
	print -r -- 'fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -D -u'
	print -r -- 'compadd() { local -a hits; builtin compadd -A hits "$@"; (( $#hits )) && print -rl -- ${(Q)hits} >>got; builtin compadd "$@" }'
	print -r -- 'next() { print -r -- done >>got; BUFFER= }; zle -N next; bindkey "^G" next; bindkey "^I" complete-word'
	print -r -- 'print -r -- done >>got'
} | while IFS= read -r line; do zpty -w inner "$line"; done
wait_for() {
	local tries
	for tries in {1..500}; do
		[[ "$(grep -cx done got 2>/dev/null)" -ge $1 ]] && return
		sleep 0.02
	done
}
wait_for 1
for line; do zpty -w -n inner "$line"$'\t\x07'; done
wait_for $(( $# + 1 ))
zpty -d inner
END
	rm -f got
	HOME=$work zsh -f try.zsh "$@" >log 2>&1 || fail "zsh: $(cat log)"
	grep -vx 'done' got | sort -u >zsh
	diff expected zsh || fail "zsh: wanted (<) and completed (>)"
fi
