# To be sourced by a script of test/ that is run by hand, with KB_SRC set and its defaults in variables: read_options "NAME..." "$@" takes --NAME VALUE
# of these, of --build DIR and of --directory DIR, where results stay; anything else is the usage. It leaves KB_BUILD, KBENCH, $directory and
# $scratch, in which the script then is and which it removes at its end.

read_options() {
	names=" build directory $1 " script=${0##*/} build=$KB_SRC/build directory=
	shift
	while [ $# -gt 0 ]; do
		name=${1#--}
		case $names in *" $name "*) known=$((${#1} - ${#name})) ;; *) known=0 ;; esac
		[ $known -eq 2 ] && [ $# -ge 2 ] || {
			echo "usage: $script$(printf ' [--%s VALUE]' $names); its first lines tell what these are" >&2
			exit 2
		}
		eval "$name=\$2"
		shift 2
	done
	KB_BUILD=$(cd "$build" && pwd) || exit 2
	[ -z "$directory" ] || { mkdir -p "$directory" && directory=$(cd "$directory" && pwd); } || exit 2
	KBENCH=$KB_BUILD/kbench
	scratch=$(mktemp -d) && cd "$scratch" || exit 1
	. "$KB_SRC/test/support/check.sh"
}
