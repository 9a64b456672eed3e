# The verb `modules` of tools/guest, which reads this file: builds kernel modules for the guest's kernel, or takes those that an
# earlier build made from the same sources.
# shellcheck shell=sh disable=SC2154 # variables of tools/guest

# mirror FROM TO: TO gets the files of FROM that are others there, and loses sources that FROM has no more.
mirror() {
	mkdir -p "$2" || return 1
	(cd "$1" && find . -type f) | while read -r file; do
		cmp -s "$1/$file" "$2/$file" || { mkdir -p "$(dirname -- "$2/$file")" && cp "$1/$file" "$2/$file"; } || exit 1
	done || return 1
	(cd "$2" && find . -type f \( -name '*.[chS]' -o -name Kbuild \) ! -name '*.mod.c' ! -path './.*') | while read -r file; do
		[ -e "$1/$file" ] || rm -f "$2/$file"
	done
}

# What modules are made from, where no --from says otherwise.
parts='kmod include src/os/kernel src/base src/arch src/measure src/trace'

# modules_key: of all that the modules depend on. Of the same there are the same modules, made once for all builds of this user.
modules_key() {
	{
		echo "${folder##*/}"
		"$cc" --version | head -n 1
		if [ -n "$from" ]; then
			contents "$from"
		else
			# shellcheck disable=SC2086 # words
			(cd "$source" && contents $parts)
		fi
		[ -z "$and" ] || contents "$and"
		echo "$only"
	} | sha256sum | cut -c 1-16
}

# make_modules: in $tree; they become the folder $work/ko. Without their types, which would need pahole.
make_modules() {
	tree=$into/tree
	if [ -n "$from" ]; then
		mirror "$from" "$tree/kmod" || failed "cannot copy $from"
	else
		for part in $parts; do
			[ ! -d "$source/$part" ] || mirror "$source/$part" "$tree/$part" || failed "cannot copy $part"
		done
	fi
	[ -z "$and" ] || cp "$and"/*.c "$tree/kmod/bench/" || failed "no benchmark in $and"
	nice make -C "$root/usr/src/linux-headers-$release" M="$tree/kmod" CC="$cc" KB_ONLY="$only" CONFIG_DEBUG_INFO_BTF_MODULES= -j"$(nproc)" modules >"$log" 2>&1 ||
		failed "the modules do not build (above; all of it: $log)"
	! grep -E 'warning:|WARNING:' "$log" >&2 || failed "warnings (above; all of it: $log)"
	# Those of this build, not what an earlier one left.
	mkdir "$work/ko" || failed "cannot write into $work"
	sed 's/\.o$/.ko/' "$tree/kmod/modules.order" | while read -r module; do
		case $module in
		/*) cp "$module" "$work/ko/" ;;
		*) cp "$tree/kmod/$module" "$work/ko/" ;;
		esac
	done
	strip --strip-debug "$work"/ko/*.ko || failed "no module was built (all of it: $log)"
}

# keep FOLDER: for the next build with the same key; of all the four that were used last.
keep() {
	# shellcheck disable=SC2012 # names of ours
	cp -r "$1" "$work/kept" && mv -T "$work/kept" "$kept" 2>/dev/null && ls -td "$cache"/modules/* | tail -n +5 | while read -r old; do
		rm -rf "$old"
	done
}

# compiler: the one the kernel was built with, if it is here.
compiler() {
	wanted=$(sed -n 's/^CC = .*\(gcc-[0-9]*\)$/\1/p' "$root/usr/src/linux-headers-$release/Makefile")
	command -v "${wanted:-gcc}" 2>/dev/null || command -v gcc 2>/dev/null
}

modules() {
	into=''
	from=''
	and=''
	only=''
	while [ $# -gt 0 ]; do
		case $1 in
		--into | --from | --and | --only) [ $# -gt 1 ] || wrong "$1 wants a folder" ;;
		*) wrong "unknown argument $1" ;;
		esac
		case $1 in
		--into) into=$2 ;;
		--from) from=$2 ;;
		--and) and=$2 ;;
		--only) only=$2 ;;
		esac
		shift 2
	done
	[ -n "$into" ] || wrong "modules needs --into"
	system
	need make make
	cc=$(compiler) || unfit "no C compiler; install gcc"
	mkdir -p "$into" && into=$(cd "$into" && pwd -P) || failed "cannot write into $into"
	locked "$into/lock"
	log=$into/log
	kept=$cache/modules/$(modules_key)
	if mkdir -p "$cache/modules" 2>/dev/null && [ -w "$cache/modules" ]; then
		scratch "$cache/modules"
	else
		scratch "$into"
	fi
	if [ -d "$kept" ] && cp -r "$kept" "$work/ko"; then
		touch "$kept"
	else
		rm -rf "$work/ko"
		make_modules
		[ ! -w "$cache/modules" ] || keep "$work/ko"
	fi
	rm -rf "$into/ko" && mv "$work/ko" "$into/ko" || failed "cannot write into $into"
	echo "$into/ko"
}
