#compdef kbench
# Completion of kbench for zsh. `kbench --complete WORD...` knows all of it, from the descriptors of its commands; this file only hands it on.

_kbench() {
	local line
	local -a candidates texts
	for line in "${(@f)$("${words[1]}" --complete "${(@Q)words[2,CURRENT-1]}" "${(Q)words[CURRENT]}" 2>/dev/null)}"; do
		case $line in
		'') ;;
		$'\tfiles') _files ;;
		$'\tdirectories') _files -/ ;;
		$'\tcommands') _command_names -e ;;
		*)
			candidates+=("${line%%$'\t'*}")
			texts+=("${line//$'\t'/  }")
			;;
		esac
	done
	(( ${#candidates} )) && compadd -l -d texts -a candidates
}

[[ $funcstack[1] != _kbench ]] || _kbench "$@"
