# Completion of kbench for bash. `kbench --complete WORD...` knows all of it, from the descriptors of its commands; this file only hands it on.

_kbench() {
	local line=${COMP_LINE:0:COMP_POINT} words word candidate
	COMPREPLY=()
	# Not COMP_WORDS: bash takes words apart at '=' and ':', and NAME=VALUE is one word of ours.
	word=${line##*[[:space:]]}
	read -ra words <<<"${line%"$word"}"
	while IFS= read -r candidate; do
		case $candidate in
		$'\tfiles')
			compopt -o filenames 2>/dev/null
			while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -f -- "$word")
			;;
		$'\tdirectories')
			compopt -o filenames 2>/dev/null
			while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -d -- "$word")
			;;
		$'\tcommands')
			while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen -c -- "$word")
			;;
		*)
			candidate=${candidate%%$'\t'*}
			[[ $candidate == "$word"* ]] || continue
			# A label may hold blanks and more.
			[[ $candidate != *[^[:alnum:]_.,:=+/@%-]* ]] || candidate=$(printf %q "$candidate")
			COMPREPLY+=("$candidate")
			;;
		esac
	done < <("$1" --complete "${words[@]:1}" "$word" 2>/dev/null)
	# bash replaces only what follows the last of these.
	case $COMP_WORDBREAKS:$word in
	*=*:*=*) COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*=}"}"}") ;;
	esac
}

complete -F _kbench kbench
